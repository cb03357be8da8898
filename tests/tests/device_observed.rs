//! `outboard prove --service`, `config` and `metrics` for services that run, in a machine that
//! systemd booted: what they report is what real clients caused.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use outboard_tests::command::{failed, succeeded};
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::services::{disables, enables, machine, meanwhile, succeeds};
use outboard_tests::sites::{downloads, site};
use outboard_tests::systemd::{AddedFiles, Started, assert_unchanged, snapshot};
use outboard_tests::tuning::{CIPHER, Machine};
use outboard_tests::verdicts::Documents;
use serde_json::Value;

use crate::device_services::{NGINX, nginx};

#[test]
fn a_running_nginx_is_observed() {
    let Some(machine) = machine("a_running_nginx_is_observed") else { return };
    let (_files, _nginx) = nginx();
    // The first start creates files in /run.
    downloads(NGINX);
    let before = snapshot();
    enables(&machine, &["nginx", "--force"]);
    let about = fs::metadata("/run/outboard-nginx.service/counters").expect("counters");
    assert_eq!((about.uid(), about.mode() & 0o7777), (0, 0o600));

    let prove = ["prove", "--quiet", "--service", "nginx", "--json", "-", "--for"];
    let proof = meanwhile(&machine, &[&prove[..], &["15s", "--require-hardware", "50"]].concat(), || {
        downloads(NGINX)
    });
    assert_eq!(
        (&proof["verdict"], &proof["service"]["name"]),
        (&"hardware".into(), &"nginx".into()),
        "{proof:#}"
    );
    assert!(proof["service"]["cpu_seconds"].as_f64() > Some(0.0), "{proof:#}");
    let all = proof["algorithms"].as_array().expect("a list");
    let cbc = all.iter().find(|one| one["name"] == CIPHER).expect("the cipher");
    assert!(cbc["hardware_bytes"].as_u64() > Some(1 << 20), "{proof:#}");
    let devices = proof["devices"].as_array().expect("a list");
    let used = devices.iter().find(|device| device["used"] == true).expect("a device");
    assert!(used["interrupts"].as_u64() > Some(0), "{proof:#}");

    // Without requests, hardware does nothing.
    let idle = ["prove", "--service", "nginx", "--for", "1s"];
    let output = machine.command(&idle).output().expect("the command runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("SOFTWARE ONLY: Hardware processed nothing: the service made no request"),
        "{text}"
    );
    let required = [&idle[..], &["--require-hardware", "1"]].concat();
    failed(&machine.command(&required).output().expect("the command runs"), &required, 125);

    // Another user reads no counters.
    let mut other = machine.command(&idle);
    let text = failed(&other.uid(65534).gid(65534).output().expect("the command runs"), &idle, 125);
    assert!(text.contains("nginx.service has no counters") && text.contains("run this as root"), "{text}");

    agreed(&machine, proof);
    measured(&machine);
    disables(&machine, &["nginx"]);
    assert_unchanged(&before);
    let text = failed(&machine.command(&idle).output().expect("the command runs"), &idle, 125);
    assert!(text.contains("nginx is not enabled: outboard enable nginx"), "{text}");
}

/// The commands say the same about the running service.
fn agreed(machine: &Machine, proof: Value) {
    let document = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command.env("OPENSSL_CONF", "/etc/outboard/nginx.service.cnf");
        let text = succeeded(&command.output().expect("the command runs"), arguments);
        serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    };
    let documents = Documents {
        status: document(&["status", "--json"]),
        ciphers: Some(document(&["ciphers", "--json"])),
        services: Some(document(&["enable", "--list", "--json"])),
        prove: Some(proof),
        ..Documents::default()
    };
    assert_eq!(documents.contradictions(), Vec::<String>::new());
}

/// The metrics contain the requests of nginx and of the driver.
fn measured(machine: &Machine) {
    let page = succeeds(machine, &["metrics"]);
    let value = |start: &str| -> u64 {
        let line = page.lines().find(|line| line.starts_with(start));
        let value = line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok());
        value.unwrap_or_else(|| panic!("{start}: {page}"))
    };
    let direct = format!("{{unit=\"nginx.service\",algorithm=\"{CIPHER}\",path=\"direct\"}}");
    assert!(value(&format!("outboard_service_bytes_total{direct}")) > 1 << 20, "{page}");
    let driver = format!("{{driver=\"{ACCELERATOR}\",algorithm=\"cbc(aes)\"}}");
    assert!(value(&format!("outboard_driver_bytes_total{driver}")) > 1 << 20, "{page}");
    assert_eq!(value(&format!("outboard_driver_errors_total{driver}")), 0, "{page}");
    assert_eq!(value(&format!("outboard_driver_requests_in_flight{driver}")), 0, "{page}");
    assert!(value("outboard_accelerator_interrupts_total{") > 0, "{page}");
    assert!(value("outboard_module_arena_bytes ") > 0, "{page}");
    assert!(value("outboard_module_limit_bytes{parameter=\"max_bytes\"}") > 0, "{page}");
    assert!(value("outboard_provider_processes{name=\"nginx\"}") >= 2, "{page}");
}

/// Waits for a server that reports its start before it listens.
#[track_caller]
fn answers(address: &str) {
    let end = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < end, "{address} does not answer");
        thread::sleep(Duration::from_millis(100));
    }
}

/// A service with a user of its own: its counters belong to that user.
#[test]
fn a_service_of_another_user_is_observed() {
    let Some(machine) = machine("a_service_of_another_user_is_observed") else { return };
    site();
    let mut files = AddedFiles::default();
    for name in ["pem", "key"] {
        let text = fs::read_to_string(format!("/root/outboard-test.{name}")).expect("a file");
        files.add(&format!("/var/www/outboard/test.{name}"), &text);
    }
    files.add(
        "/etc/systemd/system/observed-test.service",
        "[Service]\nUser=www-data\nProtectSystem=strict\nPrivateTmp=yes\nWorkingDirectory=/var/www/outboard\n\
         ExecStart=/usr/bin/openssl s_server -accept 4435 -cert test.pem -key test.key -WWW -cipher HIGH\n",
    );
    let _service = Started::start("observed-test.service");
    let request = || downloads("https://127.0.0.1:4435/file");
    answers("127.0.0.1:4435");
    request();
    let before = snapshot();
    succeeds(&machine, &["enable", "--unit", "observed-test", "--force"]);
    for arguments in [&["daemon-reload"][..], &["restart", "observed-test.service"]] {
        succeeded(&Command::new("systemctl").args(arguments).output().expect("systemctl"), arguments);
    }
    answers("127.0.0.1:4435");
    let arguments = ["prove", "--quiet", "--unit", "observed-test", "--for", "15s", "--json", "-"];
    let proof = meanwhile(&machine, &arguments, request);
    assert_eq!(proof["verdict"], "hardware", "{proof:#}");
    let about = fs::metadata("/run/outboard-observed-test.service/counters").expect("counters");
    let owner = fs::metadata("/run/outboard-observed-test.service").expect("a directory").uid();
    assert!(owner != 0 && about.uid() == owner && about.mode() & 0o7777 == 0o600, "{about:?}");
    succeeds(&machine, &["disable", "--unit", "observed-test"]);
    assert_unchanged(&before);
}
