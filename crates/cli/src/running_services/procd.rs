//! Services of procd, OpenWrt's init system: `ubus call service list`, and init scripts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use outboard_services::enable::init_script_name;
use serde_json::Value;

#[derive(Debug, PartialEq, Eq)]
struct Instance {
    pid: Option<u32>,
    program: Option<PathBuf>,
}

pub fn programs(unit: &str) -> Result<Vec<PathBuf>> {
    Ok(instances(init_script_name(unit))?.into_iter().filter_map(|one| one.program).collect())
}

pub fn running(scripts: &[String]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for script in scripts {
        if is_active(script)? {
            found.push(script.clone());
        }
    }
    Ok(found)
}

pub fn is_active(script: &str) -> Result<bool> {
    Ok(instances(script)?.iter().any(|one| one.pid.is_some()))
}

pub fn restart(scripts: &[String]) -> Result<()> {
    for script in scripts {
        output(Command::new(format!("/etc/init.d/{script}")).arg("restart"))?;
    }
    Ok(())
}

/// The processes of an init script: those that procd started, and all that descend from them.
pub fn processes(script: &str) -> Result<Vec<u32>> {
    let mut all: BTreeSet<u32> = instances(script)?.into_iter().filter_map(|one| one.pid).collect();
    let entries =
        fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parents: Vec<(u32, u32)> = entries.filter_map(|pid: u32| Some((pid, parent(pid)?))).collect();
    loop {
        let known = all.len();
        all.extend(
            parents
                .iter()
                .filter(|(_, parent)| all.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        if all.len() == known {
            return Ok(all.into_iter().collect());
        }
    }
}

/// The parent of a process, proc_pid_status(5).
fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// The last lines that a service logged; empty if the log cannot be read.
pub fn last_messages(script: &str) -> String {
    let text = output(Command::new("logread").args(["-e", script])).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(4)..].iter().map(|line| format!("\n    {line}")).collect()
}

fn instances(script: &str) -> Result<Vec<Instance>> {
    let request = serde_json::json!({ "name": script }).to_string();
    let text = output(Command::new("ubus").args(["-S", "call", "service", "list", &request]))?;
    parse(&text, script)
}

/// Reads the answer of `ubus call service list`; it is empty for a service that procd does not
/// know.
fn parse(text: &str, script: &str) -> Result<Vec<Instance>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let answer: Value =
        serde_json::from_str(text).with_context(|| format!("the answer of procd about {script}"))?;
    let all = answer[script]["instances"].as_object().into_iter().flatten();
    let instance = |(_, one): (&String, &Value)| Instance {
        pid: one["pid"].as_u64().filter(|_| one["running"] == true).and_then(|pid| pid.try_into().ok()),
        program: one["command"][0].as_str().map(PathBuf::from),
    };
    Ok(all.map(instance).collect())
}

fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{name} cannot be run"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("{name}: {}", text.lines().next().map_or_else(|| output.status.to_string(), str::to_owned));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_that_run_and_that_do_not() {
        let text = r#"{"nginx":{"instances":{"instance1":{"running":true,"pid":812,"command":["/usr/sbin/nginx","-c"]},
            "instance2":{"running":false,"command":["/bin/false"],"exit_code":1}}}}"#;
        let found = parse(text, "nginx").unwrap();
        let instance = |pid, program: &str| Instance { pid, program: Some(program.into()) };
        assert_eq!(found, [instance(Some(812), "/usr/sbin/nginx"), instance(None, "/bin/false")]);
        for nothing in
            ["", "{}", r#"{"nginx":{}}"#, r#"{"nginx":{"instances":[]}}"#, r#"{"other":{"instances":{}}}"#]
        {
            assert_eq!(parse(nothing, "nginx").unwrap(), [], "{nothing}");
        }
        assert!(parse("Command failed", "nginx").is_err());
        // Out of range, or of another type.
        let text = r#"{"a":{"instances":{"x":{"running":true,"pid":99999999999,"command":[7]},"y":5}}}"#;
        assert_eq!(parse(text, "a").unwrap(), [(); 2].map(|()| Instance { pid: None, program: None }));
    }

    #[test]
    fn a_process_has_a_parent() {
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()));
    }
}
