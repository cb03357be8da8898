//! A separate process removes what a measurement leaves in the kernel, even if this process is
//! killed.
//!
//! The kernel removes devices and namespaces with their last descriptor. Template instances in
//! /proc/crypto remain, and they change the driver that the kernel selects later, as priorities do.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use outboard_console::say;
use outboard_drivers::flags::Flags;
use outboard_drivers::netlink::{self, Record, change};

use super::{load_module, mapping};

/// Maximum time for which instances can remain in use: the kernel releases the resources of a
/// network namespace with a delay.
const LONGEST_USE: Duration = Duration::from_secs(30);

const POLLING_INTERVAL: Duration = Duration::from_millis(100);

/// The process. It removes everything when this value is dropped or when this process ends.
pub struct Cleaner {
    child: Child,
    orders: Option<ChildStdin>,
}

impl Cleaner {
    /// Starts this program with `arguments`, with which it calls [`serve`], and records the present
    /// instances.
    /// Errors: if this process is not root's, or the kernel has no NETLINK_CRYPTO.
    pub fn start(arguments: &[&str]) -> Result<Cleaner> {
        if !rustix::process::geteuid().is_root() {
            bail!("this must be run as root: it creates devices and keys in the kernel");
        }
        load_module("crypto_user");
        let before = netlink::dump()?;
        let mut command = Command::new("/proc/self/exe");
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null());
        // SAFETY: an async-signal-safe system call without pointers. A session of its own keeps ^C
        // and SIGHUP of the terminal from the process.
        unsafe {
            command.pre_exec(|| match libc::setsid() {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        let mut child = command.spawn().context("outboard cannot start itself")?;
        let orders = child.stdin.take();
        let mut cleaner = Cleaner { child, orders };
        for record in before {
            cleaner.order(&format!("had {}", record.name))?;
        }
        cleaner.order("all")?;
        Ok(cleaner)
    }

    /// Sets the priority that is restored for this driver at the end.
    pub fn priority(&mut self, driver: &str, priority: i32) -> Result<()> {
        self.order(&format!("priority {priority} {driver}"))
    }

    /// Announces a device of this name, before it is created.
    pub fn device(&mut self, name: &str) -> Result<()> {
        self.order(&format!("device {name}"))
    }

    fn order(&mut self, line: &str) -> Result<()> {
        let orders = self.orders.as_mut().context("the cleanup process has ended")?;
        orders
            .write_all(format!("{line}\n").as_bytes())
            .context("cannot write to the cleanup process: nothing was changed after it ended")
    }
}

impl Drop for Cleaner {
    fn drop(&mut self) {
        drop(self.orders.take());
        // The process reports its own errors.
        let _ = self.child.wait();
    }
}

/// The data received by the process.
#[derive(Debug, Default, PartialEq)]
struct Orders {
    had: HashSet<String>,
    /// All instances that existed at the start were received.
    is_whole: bool,
    priorities: HashMap<String, i32>,
    devices: Vec<String>,
}

impl Orders {
    fn read(lines: impl Iterator<Item = String>) -> Orders {
        let mut orders = Orders::default();
        for line in lines {
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("had", name) => {
                    orders.had.insert(name.to_owned());
                }
                ("all", _) => orders.is_whole = true,
                ("device", name) => orders.devices.push(name.to_owned()),
                ("priority", rest) => {
                    if let Some((Ok(priority), name)) =
                        rest.split_once(' ').map(|(number, name)| (number.parse(), name))
                    {
                        orders.priorities.insert(name.to_owned(), priority);
                    }
                }
                _ => {}
            }
        }
        orders
    }

    /// Returns whether the instance was created since the start and can be removed by its name.
    /// Instances of pcrypt are excluded: an administrator creates them explicitly.
    fn is_new(&self, record: &Record) -> bool {
        record.flags.any(Flags::INSTANCE)
            && !self.had.contains(&record.name)
            && record.name.len() < change::LONGEST_NAME
            && !record.name.starts_with("pcrypt(")
    }
}

/// Runs as the process: waits until the process that started it requests the end, or has ended.
pub fn serve() -> ExitCode {
    let orders = Orders::read(io::stdin().lock().lines().map_while(Result::ok));
    // Nothing was changed before the record was complete.
    if !orders.is_whole {
        return ExitCode::SUCCESS;
    }
    for name in &orders.devices {
        // Most devices have been removed with their descriptor.
        let _ = mapping::remove(name);
    }
    match clean_up(&orders) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("outboard: cleaning up: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn clean_up(orders: &Orders) -> Result<()> {
    for record in netlink::dump()? {
        let wanted = orders.priorities.get(&record.name).filter(|_| orders.had.contains(&record.name));
        if let Some(&priority) = wanted.filter(|&&wanted| record.priority != Some(wanted)) {
            change::prefer(&record.name, priority)
                .with_context(|| format!("cannot restore the priority {priority} of {}", record.name))?;
        }
    }
    let start = Instant::now();
    loop {
        let records = netlink::dump()?;
        let kept = of_generator(&records);
        let is_kept = |record: &Record| kept.as_ref().is_some_and(|start| record.name.starts_with(start));
        let left: Vec<&Record> = records.iter().filter(|record| orders.is_new(record)).collect();
        let mut failed = None;
        for record in &left {
            let error = change::remove(&record.name).err().filter(|_| !is_kept(record));
            failed = error.map(|error| (record, error)).or(failed);
        }
        match failed {
            None if left.iter().all(|record| is_kept(record)) => return Ok(()),
            Some((record, error)) if start.elapsed() > LONGEST_USE => bail!(
                "{} remains in /proc/crypto ({error}): it is in use, and is gone after the next boot",
                record.name
            ),
            _ => sleep(POLLING_INTERVAL),
        }
    }
}

/// How the instances of the kernel's default generator of random numbers begin, such as `hmac(sha512`. The
/// first packets of IPsec make the generator, which the kernel then keeps (crypto/geniv.c, crypto/rng.c).
fn of_generator(records: &[Record]) -> Option<String> {
    let hash =
        |record: &Record| Some((record.priority, record.name.strip_prefix("drbg_nopr_hmac_")?.to_owned()));
    let (_, hash) = records.iter().filter_map(hash).max()?;
    Some(format!("hmac({hash}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, flags: u32) -> Record {
        Record { name: name.into(), module: "cbc".into(), flags: Flags(flags), priority: Some(100) }
    }

    #[test]
    fn the_instance_of_the_generator_is_that_of_its_first_driver() {
        let record = |name: &str, priority| Record { priority: Some(priority), ..record(name, 0) };
        let mut records = vec![record("drbg_nopr_hmac_sha512", 221), record("drbg_nopr_hmac_sha384", 220)];
        assert_eq!(of_generator(&records).as_deref(), Some("hmac(sha512"));
        records.push(record("drbg_nopr_hmac_sha256", 222));
        assert_eq!(of_generator(&records).as_deref(), Some("hmac(sha256"));
        assert_eq!(of_generator(&[record("drbg_pr_sha256", 1)]), None);
    }

    #[test]
    fn only_new_instances_are_removed() {
        let text =
            ["had cbc(aes-lib)", "had sim-cbc-aes", "all", "priority -5 echainiv(a b)", "device x-1", "?"];
        let orders = Orders::read(text.iter().map(|line| (*line).to_owned()));
        assert_eq!((orders.is_whole, orders.devices.as_slice()), (true, &["x-1".to_owned()][..]));
        assert_eq!(orders.priorities["echainiv(a b)"], -5);
        for (name, flags, new) in [
            ("cbc(aes-lib)", Flags::INSTANCE, false),
            ("cbc(des3_ede-generic)", Flags::INSTANCE, true),
            ("pcrypt(echainiv(x))", Flags::INSTANCE, false),
            ("other-cbc-aes", 0, false),
        ] {
            assert_eq!(orders.is_new(&record(name, flags)), new, "{name}");
        }
        assert!(
            !orders.is_new(&record(&"x".repeat(63), Flags::INSTANCE)),
            "the name may have been truncated"
        );
    }

    #[test]
    fn an_incomplete_record_changes_nothing() {
        assert!(!Orders::read(["had a".to_owned()].into_iter()).is_whole);
    }
}
