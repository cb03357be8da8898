//! `outboard watch` as a command, without a terminal.

mod both;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn watch(arguments: &[&str]) -> Output {
    let mut command = Command::new(both::outboard());
    command.arg("watch").args(arguments).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn without_a_terminal_it_says_what_to_use() {
    let output = watch(&[]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(text.contains("this is no terminal: outboard watch --once"), "{text}");
    for wrong in [&["--json"][..], &["--interval", "0"], &["--interval", "x"]] {
        assert_eq!(watch(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn once_prints_one_interval() {
    let start = Instant::now();
    let text = String::from_utf8(watch(&["--once"]).stdout).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert!(text.starts_with("in 1."), "{text}");
    let json = String::from_utf8(watch(&["--once", "--json"]).stdout).unwrap();
    assert!(json.contains("\"schema\": \"outboard-watch/1\"") && json.contains("\"devices\": "), "{json}");
}

/// A terminal in a server of tmux of its own, until dropped.
struct Tmux {
    folder: tempfile::TempDir,
}

impl Tmux {
    /// Starts the command in a terminal of 80 columns and 24 lines, and then shows its exit code and
    /// whether the terminal is in canonical mode again.
    fn start() -> Option<Self> {
        let tmux = Self { folder: tempfile::tempdir().unwrap() };
        let shown = format!(
            "{} watch; echo \"code $?\"; stty -a | grep -qw -- -icanon || echo sane; sleep 60",
            both::outboard().display()
        );
        let arguments = ["new-session", "-d", "-x", "80", "-y", "24", shown.as_str()];
        match tmux.command(&arguments).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            output => {
                let output = output.unwrap();
                assert!(output.status.success(), "{output:?}");
                Some(tmux)
            }
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.folder.path().join("socket")).args(["-f", "/dev/null"]).args(arguments);
        command
    }

    fn screen(&self) -> String {
        let output = self.command(&["capture-pane", "-p"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    fn shows(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let screen = self.screen();
            if is_wanted(&screen) {
                return screen;
            }
            assert!(Instant::now() < end, "the screen does not show {what}:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
    }
}

#[test]
fn the_screen_is_drawn_resized_and_left_as_it_was() {
    for key in ["q", "C-c"] {
        let Some(tmux) = Tmux::start() else {
            println!("SKIP: the_screen_is_drawn_resized_and_left_as_it_was: tmux");
            return;
        };
        let is_drawn = |screen: &str| screen.starts_with("outboard watch, every 1 s; q quits\n");
        let screen = tmux.shows("a sample", |screen| is_drawn(screen) && screen.contains("CPU for devices"));
        assert!(screen.lines().count() == 24 && screen.lines().all(|line| line.chars().count() <= 80));
        let size = ["resize-window", "-x", "60", "-y", "12"];
        assert!(tmux.command(&size).status().unwrap().success());
        tmux.shows("a sample on 12 lines", |screen| {
            is_drawn(screen) && screen.contains("CPU for devices") && screen.lines().count() <= 12
        });
        assert!(tmux.command(&["send-keys", key]).status().unwrap().success());
        let left = tmux.shows("the terminal as it was", |screen| screen.contains("sane"));
        assert!(left.contains("code 0") && !left.contains("q quits"), "{left}");
    }
}
