//! Runs a command that may be missing, slow or silent.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// The maximum output in bytes, more than `openssl` prints.
const MOST_OUTPUT: u64 = 64 << 10;

pub struct Pending {
    child: Child,
    output: Receiver<String>,
}

impl Pending {
    pub fn start(program: &str, arguments: &[&str]) -> Option<Self> {
        Self::spawn(Command::new(program).args(arguments))
    }

    /// Starts a command with an environment of its own; `None` if it cannot be started.
    pub fn spawn(command: &mut Command) -> Option<Self> {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let pipe = child.stdout.take()?;
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.take(MOST_OUTPUT).read_to_end(&mut bytes);
            if read.is_ok() {
                let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
            }
        });
        Some(Self { child, output })
    }

    /// The command's standard output; `None` if it fails or takes longer than `patience`, in which
    /// case it is killed.
    pub fn finish(mut self, patience: Duration) -> Option<String> {
        let output = self.output.recv_timeout(patience).ok();
        if output.is_none() {
            let _ = self.child.kill();
        }
        self.child.wait().ok().filter(|status| status.success())?;
        output
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_command_that_hangs_is_ended() {
        let start = Instant::now();
        let sleep = Pending::start("sleep", &["1000"]).unwrap();
        assert_eq!(sleep.finish(Duration::from_millis(50)), None);
        assert!(start.elapsed() < Duration::from_secs(100));
    }

    #[test]
    fn failing_and_missing_commands_say_nothing() {
        assert_eq!(Pending::start("false", &[]).unwrap().finish(Duration::from_secs(60)), None);
        assert!(Pending::start("no-such-command-anywhere", &[]).is_none());
        let echo = Pending::start("echo", &["hello"]).unwrap();
        assert_eq!(echo.finish(Duration::from_secs(60)).as_deref(), Some("hello\n"));
    }
}
