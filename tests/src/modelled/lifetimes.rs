//! Drivers that lose their device for a while, under load.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::Modelled;
use crate::model::Word;
use crate::stream::Stream;
use crate::time_limit::wait_until;

const PM_TEST: &str = "/sys/power/pm_test";

impl Modelled {
    /// Unbinds the driver while two threads use it, and binds it again.
    #[track_caller]
    pub fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again(&self) {
        self.streams_end_right_when_it_is_unbound(|driver, device| {
            fs::write(driver.join("bind"), device).expect("bind, as root");
        });
    }

    /// The same with another way to bind it.
    #[track_caller]
    pub fn streams_end_right_when_it_is_unbound(&self, bind_again: impl FnOnce(&Path, &str)) {
        let (driver, device) = self.names.bound;
        let (cbc, driver) = (self.names.cbc, Path::new("/sys/bus").join(driver));
        let streams = self.streams_end_right_while(|| {
            fs::write(driver.join("unbind"), device).expect("unbind, as root");
        });
        assert!(!driver.join(device).exists());
        bind_again(&driver, device);
        let has_it = || fs::read_to_string("/proc/crypto").is_ok_and(|text| text.contains(cbc));
        wait_until("registered", has_it);
        self.allow(&[cbc]);
        self.assert_used_by_a_new_context();
        self.report("unbind under load", format!("{streams} streams right; bound again"));
    }

    /// The machine is suspended up to the freezer, which ends the sessions, and resumed, while two threads
    /// use the driver. Its share and the PCI devices that stand for engines of other buses do not come
    /// back from a suspend of the devices.
    #[track_caller]
    pub fn streams_end_right_when_it_is_suspended(&self) {
        // The usual five seconds there are only for a reader of the log.
        fs::write("/sys/module/suspend/parameters/pm_test_delay", "0").expect("a kernel with pm_test");
        fs::write(PM_TEST, "freezer").expect("a kernel with pm_test");
        let streams = self.streams_end_right_while(|| {
            let suspended = fs::write("/sys/power/state", "freeze");
            fs::write(PM_TEST, "none").expect("a kernel with pm_test");
            suspended.expect("the machine is suspended");
        });
        self.assert_used_by_a_new_context();
        self.report("suspend", format!("up to the freezer: {streams} streams right; used again"));
    }

    /// Does something while two threads use the driver, and returns the number of their streams.
    #[track_caller]
    fn streams_end_right_while(&self, event: impl FnOnce()) -> u32 {
        self.allow(&[self.names.cbc]);
        let world = self.world(self.names.cbc, &[]);
        let (hard, stream) =
            (world.hard("AES-128-CBC"), Stream::new(&world.soft("AES-128-CBC"), 5, 40, 8192));
        let goes_on = AtomicBool::new(true);
        thread::scope(|scope| {
            let work = || {
                let mut right = 0;
                while goes_on.load(Ordering::Relaxed) {
                    assert!(stream.runs_right(&hard));
                    right += 1;
                }
                right
            };
            let threads = [scope.spawn(work), scope.spawn(work)];
            let requests = self.engines.sum(Word::Requests);
            wait_until("busy", || self.engines.sum(Word::Requests) > requests + 100);
            event();
            goes_on.store(false, Ordering::Relaxed);
            threads.map(|thread| thread.join().expect("a thread")).iter().sum()
        })
    }

    #[track_caller]
    fn assert_used_by_a_new_context(&self) {
        let world = self.world(self.names.cbc, &[]);
        let stream = Stream::new(&world.soft("AES-128-CBC"), 6, 40, 8192);
        assert!(stream.runs_right(&world.hard("AES-128-CBC")));
        world.assert_driver_used();
        self.assert_nothing_unsupported();
    }
}
