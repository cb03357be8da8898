//! What was added for a service, and what its processes have.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_documents::config::{Service, ServiceProcess};
use outboard_drivers::root::Root;
use outboard_monitor::{EnvironmentValue, Process, ProviderMapping};
use outboard_services::enable::{
    self, Application, Record, State, Tree, changed_units, init_scripts, is_openwrt,
};

use super::configuration::{self, Asking};
use crate::commands::enable::Named;
use crate::commands::enable::list::{INCOMPLETE, UNVERIFIED};
use crate::live_service::init_system::InitSystem;

pub fn service(tree: &Tree, named: Named, asking: &Result<Asking, String>) -> Result<Service> {
    named.checked()?;
    let key = named.key();
    let record = Record::read(tree, &key).map_err(|why| anyhow!(why))?;
    let mut service = Service {
        name: key.clone(),
        state: "not enabled".to_owned(),
        files: Vec::new(),
        configurations: Vec::new(),
        processes: Vec::new(),
        problems: Vec::new(),
    };
    let units: Vec<String> = match (&record, Application::by_name(&key)) {
        _ if is_openwrt(tree) => init_scripts(tree, &key),
        (Some(record), _) => changed_units(&record.files),
        (None, Some(application)) => application.units.iter().map(|unit| (*unit).to_owned()).collect(),
        (None, None) => vec![key.clone()],
    };
    if let Some(record) = &record {
        let (state, problem) = match enable::state(tree, record).with_context(|| key.clone())? {
            State::Complete => ("enabled", None),
            State::Unverified => ("unverified", Some(UNVERIFIED.to_owned())),
            State::Incomplete => ("incomplete", Some(INCOMPLETE.to_owned())),
            State::Edited(files) => {
                let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
                let text = format!("edited since outboard wrote it: {}", files.join(", "));
                ("edited", Some(text))
            }
        };
        state.clone_into(&mut service.state);
        service.problems.extend(problem);
        service.files = record.files.iter().map(|file| file.path.clone()).collect();
        let fragments = service.files.iter().filter(|path| path.extension().is_some_and(|e| e == "cnf"));
        let read = |path: &PathBuf| configuration::of_file(&tree.path(path), "enable", &|_| None);
        service.configurations =
            fragments.map(|path| configuration::with_decisions(read(path), asking)).collect();
    }
    match processes(&units, record.is_some()) {
        Ok((processes, problems)) => {
            service.processes = processes;
            service.problems.extend(problems);
        }
        // Without an init system that is supported the processes of a service are not known.
        Err(error) if record.is_some() => service.problems.push(format!("{error:#}")),
        Err(error) => return Err(error),
    }
    Ok(service)
}

fn processes(units: &[String], is_enabled: bool) -> Result<(Vec<ServiceProcess>, Vec<String>)> {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    if units.is_empty() {
        return Ok((all, problems));
    }
    let Ok(init) = InitSystem::find() else {
        bail!("neither systemd nor procd runs here, so the processes of {} are not known", units.join(", "));
    };
    let running = init.running(units)?;
    if running.is_empty() && !is_enabled {
        bail!("it is not enabled, and no unit of it runs: {}", units.join(", "));
    }
    for unit in &running {
        let own = Path::new("/etc/outboard").join(format!("{}.cnf", template(unit)));
        let expected = Some(own).filter(|_| is_enabled && init == InitSystem::Systemd);
        let pids = init.processes(unit)?;
        let processes: Vec<_> = pids.iter().filter_map(|pid| Process::read(&Root::live(), *pid)).collect();
        problems.extend(expected.as_ref().and_then(|expected| difference(unit, expected, &processes)));
        all.extend(processes.into_iter().map(|process| document(process, expected.as_deref())));
    }
    Ok((all, problems))
}

fn template(unit: &str) -> String {
    match (unit.split_once('@'), unit.rsplit_once('.')) {
        (Some((name, _)), Some((_, suffix))) => format!("{name}@.{suffix}"),
        _ => unit.to_owned(),
    }
}

fn difference(unit: &str, expected: &Path, processes: &[Process]) -> Option<String> {
    let is_other = |process: &&Process| match (&process.openssl_conf, &process.provider) {
        (EnvironmentValue::Set(path), _) => Path::new(path) != expected,
        // Servers such as nginx overwrite their environment with the title of the process.
        (EnvironmentValue::Unset, provider) => *provider == ProviderMapping::NotMapped,
        (EnvironmentValue::Unreadable, _) => false,
    };
    if let Some(process) = processes.iter().find(is_other) {
        return Some(format!(
            "{unit}: process {} ({}) does not have OPENSSL_CONF={}: it runs since before the change, restart the unit",
            process.pid,
            process.name,
            expected.display()
        ));
    }
    let has = |wanted: fn(&ProviderMapping) -> bool| processes.iter().any(|p| wanted(&p.provider));
    if has(|p| matches!(p, ProviderMapping::Mapped { is_replaced: true, .. })) {
        return Some(format!(
            "{unit}: the provider was replaced since it started: restart the unit to use the new one"
        ));
    }
    let is_unused = !has(|p| matches!(p, ProviderMapping::Mapped { .. } | ProviderMapping::Unreadable));
    (is_unused && !processes.is_empty()).then(|| {
        format!("{unit}: no process has mapped outboard.so: the service does not load OpenSSL's configuration, or failed to")
    })
}

/// `of_unit`: the OPENSSL_CONF that the drop-in sets.
fn document(process: Process, of_unit: Option<&Path>) -> ServiceProcess {
    let environment_readable = process.openssl_conf != EnvironmentValue::Unreadable;
    let mappings_readable = process.provider != ProviderMapping::Unreadable;
    let is_overwritten = process.openssl_conf == EnvironmentValue::Unset
        && matches!(process.provider, ProviderMapping::Mapped { .. });
    let of_unit = of_unit.filter(|_| is_overwritten).map(|path| path.display().to_string());
    ServiceProcess {
        openssl_conf_of_unit: of_unit.is_some(),
        pid: process.pid,
        name: process.name,
        openssl_conf: match process.openssl_conf {
            EnvironmentValue::Set(path) => Some(path),
            _ => of_unit,
        },
        environment_readable,
        provider: match process.provider {
            ProviderMapping::Mapped { path, .. } => Some(path),
            _ => None,
        },
        mappings_readable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(conf: EnvironmentValue, provider: ProviderMapping) -> Process {
        let name = "nginx".to_owned();
        Process { pid: 7, name, user: Some(33), unit: None, openssl_conf: conf, provider }
    }

    #[test]
    fn a_process_that_overwrote_its_environment_has_the_value_of_its_unit() {
        let file = Path::new("/etc/outboard/nginx.service.cnf");
        let mapped = || ProviderMapping::Mapped { path: "/x/outboard.so".to_owned(), is_replaced: false };
        let shown = document(process(EnvironmentValue::Unset, mapped()), Some(file));
        assert_eq!(shown.openssl_conf.as_deref(), file.to_str());
        assert!(shown.openssl_conf_of_unit);
        for (provider, of_unit) in [(ProviderMapping::NotMapped, Some(file)), (mapped(), None)] {
            let shown = document(process(EnvironmentValue::Unset, provider), of_unit);
            assert!(shown.openssl_conf.is_none() && !shown.openssl_conf_of_unit);
        }
    }

    #[test]
    fn a_process_from_before_the_change_is_named() {
        let file = Path::new("/etc/outboard/nginx.service.cnf");
        let set = |path: &str| EnvironmentValue::Set(path.to_owned());
        let mapped = |is_replaced| ProviderMapping::Mapped { path: "/x/outboard.so".to_owned(), is_replaced };
        let say = |one: Process| difference("nginx.service", file, &[one]).unwrap_or_default();
        let ours = "/etc/outboard/nginx.service.cnf";
        assert_eq!(say(process(set(ours), mapped(false))), "");
        assert!(
            say(process(set("/other"), mapped(false)))
                .contains("process 7 (nginx) does not have OPENSSL_CONF=")
        );
        assert_eq!(say(process(EnvironmentValue::Unset, mapped(false))), "");
        assert!(
            say(process(EnvironmentValue::Unset, ProviderMapping::NotMapped)).contains("restart the unit")
        );
        assert!(say(process(set(ours), mapped(true))).contains("was replaced"));
        assert!(say(process(set(ours), ProviderMapping::NotMapped)).contains("no process has mapped"));
        assert_eq!(say(process(EnvironmentValue::Unreadable, ProviderMapping::Unreadable)), "");
        assert_eq!(template("openvpn@home.service"), "openvpn@.service");
        assert_eq!(template("nginx.service"), "nginx.service");
    }
}
