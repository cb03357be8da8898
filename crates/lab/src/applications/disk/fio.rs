//! Runs fio and parses its results.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::applications::tool::Tool;

pub const FIO: Tool = Tool { name: "fio", debian: "fio", openwrt: "fio" };

/// Time limit for a run; only a driver that does not complete requests exceeds it.
const LIMIT: Duration = Duration::from_secs(600);

#[derive(Clone, Copy)]
pub struct Pattern {
    pub writes: bool,
    pub size: u64,
    pub depth: u32,
}

impl Pattern {
    /// Reads or writes `bytes` bytes, repeatedly on a device of `device_bytes`. Returns the
    /// seconds.
    pub fn run(&self, device: &Path, device_bytes: u64, bytes: u64) -> Result<f64, String> {
        let output = FIO.run(self.command(device, device_bytes, bytes), "", LIMIT)?;
        seconds(&output.checked("fio")?, self.writes, bytes)
    }

    fn command(&self, device: &Path, device_bytes: u64, bytes: u64) -> Command {
        let mut command = Command::new(FIO.name);
        command.args([
            "--name=outboard",
            "--direct=1",
            "--ioengine=libaio",
            "--thread",
            "--output-format=json",
        ]);
        command.arg(format!("--rw={}", if self.writes { "write" } else { "read" }));
        command.arg(format!("--bs={}", self.size)).arg(format!("--iodepth={}", self.depth));
        command.arg(format!("--size={device_bytes}")).arg(format!("--io_size={bytes}"));
        command.arg(format!("--filename={}", device.display()));
        command
    }
}

/// Extracts the seconds from fio's output, in which messages can precede the JSON.
fn seconds(stdout: &str, writes: bool, bytes: u64) -> Result<f64, String> {
    let answer: Value = stdout
        .find('{')
        .and_then(|at| serde_json::from_str(&stdout[at..]).ok())
        .ok_or_else(|| format!("fio does not answer in JSON: {stdout}"))?;
    let job = &answer["jobs"][0];
    if job["error"].as_i64() != Some(0) {
        return Err(format!("fio met error {} of the system's", job["error"]));
    }
    let figures = &job[if writes { "write" } else { "read" }];
    // The runtime is in milliseconds; 0 for a run shorter than one.
    match (figures["io_bytes"].as_u64(), figures["runtime"].as_f64()) {
        (Some(done), Some(runtime)) if done == bytes => Ok(runtime.max(1.0) / 1e3),
        (done, _) => Err(format!("fio did {} of {bytes} bytes", done.unwrap_or(0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_fio_is_parsed() {
        let output = |error: u32, bytes: u64, runtime: f64| {
            format!(
                "note: something\n{{\"jobs\": [{{\"error\": {error}, \"read\": {{\"io_bytes\": {bytes}, \
                 \"runtime\": {runtime}}}, \"write\": {{\"io_bytes\": 0, \"runtime\": 0}}}}]}}"
            )
        };
        assert_eq!(seconds(&output(0, 4096, 1500.0), false, 4096), Ok(1.5));
        assert_eq!(seconds(&output(0, 4096, 0.0), false, 4096), Ok(0.001));
        for (text, writes, says) in [
            (output(5, 4096, 1.0), false, "error 5"),
            (output(0, 512, 1.0), false, "512 of 4096"),
            (output(0, 4096, 1.0), true, "0 of 4096"),
            ("no".to_owned(), false, "JSON: no"),
        ] {
            let error = seconds(&text, writes, 4096).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
