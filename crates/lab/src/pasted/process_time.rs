//! CPU time of a command: `time -v` of GNU time and busybox, and `time` of shells.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// The times of one command, in seconds.
struct Times {
    user: f64,
    system: f64,
    elapsed: f64,
}

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let mut found = Vec::new();
    for (index, &line) in lines.iter().enumerate() {
        let rest = &lines[index..];
        let times = verbose(rest).or_else(|| of_shell(rest)).filter(|times| times.elapsed > 0.0);
        let Some(Times { user, system, elapsed }) = times else { continue };
        found.push(line);
        let used = user + system;
        let meaning = if used < elapsed * 0.5 {
            "it waited for the rest of the time, for a device or for other processes"
        } else if system > user {
            "most of it in the kernel, where drivers run: that is no relief of the CPU"
        } else {
            "nearly all of it in the program: software"
        };
        pasted.remark(
            line,
            format!(
                "the command used {used:.2} s of CPU time in {elapsed:.2} s, {system:.2} of them in the kernel; {meaning}"
            ),
        );
    }
    if let Some(&first) = found.first() {
        pasted.recognise("time", found.len(), "command");
        pasted.remark(
            first,
            "time counts the process and not interrupts: outboard bench has the CPU time of the whole system",
        );
    }
}

/// `User time (seconds): 0.46`, and the lines after it.
fn verbose(lines: &[Line]) -> Option<Times> {
    let value = |prefix: &str| lines.iter().take(5).find_map(|line| line.text.strip_prefix(prefix));
    let user = lines.first()?.text.strip_prefix("User time (seconds): ")?.trim().parse().ok()?;
    let system = value("System time (seconds): ")?.trim().parse().ok()?;
    let (_, elapsed) = value("Elapsed (wall clock) time ")?.rsplit_once(": ")?;
    Some(Times { user, system, elapsed: clock(elapsed)? })
}

/// `real    0m 18.04s`, then `user` and `sys`.
fn of_shell(lines: &[Line]) -> Option<Times> {
    let [real, user, system, ..] = lines else { return None };
    let value = |line: &Line, name: &str| clock(line.text.strip_prefix(name)?);
    Some(Times { user: value(user, "user")?, system: value(system, "sys")?, elapsed: value(real, "real")? })
}

/// `0m 15.06s`, `0m15.06s`, `0:15.06` or `1:00:15`.
fn clock(text: &str) -> Option<f64> {
    let text = text.trim();
    let seconds = match text.strip_suffix('s') {
        Some(text) => {
            let (minutes, seconds) = text.split_once('m')?;
            minutes.parse::<f64>().ok()? * 60.0 + seconds.trim().parse::<f64>().ok()?
        }
        None if text.contains(':') => {
            text.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?))?
        }
        None => return None,
    };
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::super::tests::remarks;

    #[test]
    fn all_formats_of_time_are_read() {
        for (text, words) in [
            (
                "User time (seconds): 0.46\nSystem time (seconds): 5.89\nPercent of CPU this job got: 42%\nElapsed (wall \
                 clock) time (h:mm:ss or m:ss): 0m 15.06s\n",
                "used 6.35 s of CPU time in 15.06 s, 5.89 of them in the kernel; it waited",
            ),
            (
                "User time (seconds): 15.03\nSystem time (seconds): 0.00\nPercent of CPU this job got: 99%\nElapsed (wall \
                 clock) time (h:mm:ss or m:ss): 0:15.07\n",
                "nearly all of it in the program: software",
            ),
            ("real\t0m18.040s\nuser\t0m0.720s\nsys\t0m17.270s\n", "most of it in the kernel"),
            ("real    0m 18.04s\nuser    0m 17.98s\nsys     0m 0.00s\n", "software"),
        ] {
            assert_eq!(recognise(text).text.recognised, ["time, 1 command"], "{text}");
            assert!(remarks(text).contains(words), "{text}: {}", remarks(text));
        }
        assert!(recognise("real estate\nuser friendly\nsystem\n").text.recognised.is_empty());
    }
}
