//! A pass over all cells in a separate process of this command. The memory layout and similar
//! properties of a process shift all its results together, and samples of one process cannot show
//! this (Mytkowicz et al., Producing wrong data without doing anything obviously wrong, ASPLOS
//! 2009).

use std::process::Command;

use outboard_measure::clock::Clock;
use outboard_measure::stop;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::process::{PipedChild, bench_command, cycles, die_with_parent};
use super::protocol::{CellRequest, CellResults, PassMessage, receive, send};

/// Interval between checks while the process measures; long, because each check costs CPU time.
const TICK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// The child process; it ends when this value is dropped.
pub struct PassProcess(PipedChild);

impl PassProcess {
    /// Starts the process, and waits until it is ready.
    pub fn start(clock: Clock) -> Result<PassProcess, String> {
        PassProcess::by(bench_command(&["--pass", &cycles(clock)]).map_err(|error| failed(&error))?)
    }

    fn by(mut command: Command) -> Result<PassProcess, String> {
        die_with_parent(&mut command, libc::SIGKILL);
        let mut pass = PassProcess(PipedChild::start(&mut command).map_err(|error| failed(&error))?);
        match pass.answer(&mut || {})? {
            PassMessage::Ready => Ok(pass),
            PassMessage::Failed(why) => Err(failed(&why)),
            other => Err(failed(&format!("it began with {other:?}"))),
        }
    }

    /// Measures a cell; returns the results, and whether a signal arrived first. `each` is called
    /// periodically. After an error the process cannot be used again.
    pub fn measure(
        &mut self,
        asked: &CellRequest,
        each: &mut dyn FnMut(),
    ) -> Result<(CellResults, bool), String> {
        let sent = self.0.to.as_mut().map(|to| send(to, asked));
        let answer = self.answer(each);
        // If sending failed, the last answer or the exit status contains the cause.
        let (brought, is_stopped) = match answer? {
            PassMessage::Measured(brought) => (brought, false),
            PassMessage::Stopped(brought) => (brought, true),
            PassMessage::Failed(why) => return Err(failed(&why)),
            PassMessage::Ready => return Err(failed(&"it began anew")),
        };
        match sent {
            Some(Ok(())) if brought.measured.len() == asked.entries.len() => Ok((brought, is_stopped)),
            Some(Err(error)) => Err(failed(&error)),
            _ => Err(failed(&format!("it returned results for {} contestants", brought.measured.len()))),
        }
    }

    /// Waits until the process has ended, so that the next one has the machine and its accelerators
    /// for itself.
    pub fn end(mut self) {
        self.0.to = None;
        // The exit status does not affect the results.
        let _ = self.0.child.wait();
    }

    fn answer(&mut self, each: &mut dyn FnMut()) -> Result<PassMessage, String> {
        self.wait(each).map_err(|error| failed(&error))?;
        match receive(&mut self.0.from) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(self.ended()),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Waits for output. Sends SIGINT to the child when this process is to stop: ^C on a terminal
    /// reaches both processes, a signal sent to this process only does not reach the child.
    fn wait(&mut self, each: &mut dyn FnMut()) -> rustix::io::Result<()> {
        let mut is_told = false;
        loop {
            if stop::asked() && !is_told {
                is_told = true;
                kill_process(Pid::from_child(&self.0.child), Signal::INT)?;
            }
            each();
            match poll(&mut [PollFd::new(self.0.from.get_ref(), PollFlags::IN)], Some(&TICK)) {
                Ok(0) | Err(Errno::INTR) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    fn ended(&mut self) -> String {
        match self.0.child.wait() {
            Ok(status) => failed(&format!("it ended ({status}); dmesg may show the reason")),
            Err(error) => failed(&error),
        }
    }
}

fn failed(why: &dyn std::fmt::Display) -> String {
    format!("the process that measures failed: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;
    use std::time::Duration;

    use crate::documents::bench::{Contestant, ContestantKind};
    use outboard_measure::turns::Plan;

    use super::super::protocol::{CellContestant, Measured};

    /// Starts a shell script in place of the child process.
    fn script(text: &str) -> Result<PassProcess, String> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text]).stdin(Stdio::piped()).stdout(Stdio::piped());
        PassProcess::by(command)
    }

    fn asked() -> CellRequest {
        let contestant =
            Contestant { name: "x".to_owned(), kind: ContestantKind::Openssl, driver: None, interface: None };
        CellRequest {
            cipher: "AES-128-CBC".to_owned(),
            direction: None,
            bytes: 16,
            threads: 1,
            plan: Plan { sample: Duration::ZERO, rounds: 1 },
            entries: vec![CellContestant { contestant, depth: 1, batches: None, lines: Vec::new() }],
        }
    }

    const NOTHING: &str = concat!(
        r#"{"arithmetic":{"secs":0,"nanos":7},"measured":"#,
        r#"[{"batches":0,"series":null,"latencies":[],"fault":null}]}"#
    );

    const NOBODY: &str = r#"{"arithmetic":{"secs":0,"nanos":7},"measured":[]}"#;

    #[test]
    fn a_cell_is_asked_for_and_answered() {
        let text = format!(
            "echo '\"ready\"'; read line; echo '{{\"measured\":{NOTHING}}}'; read line; echo '{{\"stopped\":{NOTHING}}}'"
        );
        let mut pass = script(&text).unwrap();
        let mut told = 0;
        let first = pass.measure(&asked(), &mut || told += 1).unwrap();
        let nothing =
            CellResults { arithmetic: Duration::from_nanos(7), measured: vec![Measured::default()] };
        assert_eq!(first, (nothing, false));
        assert!(told > 0 && pass.measure(&asked(), &mut || {}).unwrap().1);
        pass.end();
    }

    #[test]
    fn one_that_cannot_measure_says_why() {
        for (text, says) in [
            ("echo '{\"failed\":\"no libcrypto here\"}'", "failed: no libcrypto here"),
            ("exit 3", "exit status: 3"),
            ("kill -KILL $$", "signal: 9"),
            ("echo 'Segmentation fault'", "no message"),
            ("printf '\"read'", "ended in the middle"),
            (&format!("echo '{{\"measured\":{NOBODY}}}'"), "it began with Measured"),
        ] {
            let why = script(text).err().unwrap_or_else(|| panic!("{text}"));
            assert!(
                why.starts_with("the process that measures failed: ") && why.contains(says),
                "{text}: {why}"
            );
        }
    }

    #[test]
    fn one_that_dies_while_it_measures_is_no_measurement() {
        for (text, says) in [
            ("read line; exit 0", "exit status: 0"),
            ("read line; kill -SEGV $$", "signal: 11"),
            ("exec <&-; kill -KILL $$", "signal: 9"),
            ("read line; printf '{\"measured\":[{\"batches\":3,'", "ended in the middle"),
            ("read line; echo '{\"failed\":\"/proc/interrupts: gone\"}'", "/proc/interrupts: gone"),
            (&format!("read line; echo '{{\"measured\":{NOBODY}}}'"), "for 0 contestants"),
            ("read line; echo '\"ready\"'", "began anew"),
        ] {
            let mut pass = script(&format!("echo '\"ready\"'; {text}")).unwrap();
            let why = pass.measure(&asked(), &mut || {}).unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
    }

    #[test]
    fn one_that_does_not_end_is_ended() {
        let pass = script("echo '\"ready\"'; exec sleep 1000").unwrap();
        let pid = pass.0.child.id();
        drop(pass);
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    }
}
