//! Compares what the commands say about one machine, by driver, algorithm and service. Each fact has
//! one answer in all of their JSON documents.

use std::collections::BTreeMap;

use serde_json::Value;

/// The documents of the commands about one machine; those that cannot be made there are `None`.
#[derive(Default)]
pub struct Documents {
    /// `outboard status --json`
    pub status: Value,
    /// `outboard ciphers --json`
    pub ciphers: Option<Value>,
    /// `outboard check --json`
    pub check: Option<Value>,
    /// `outboard prove --json`
    pub prove: Option<Value>,
    /// `outboard enable --list --json`
    pub services: Option<Value>,
    /// `outboard report --format json`
    pub report: Option<Value>,
}

/// What a document says about a fact.
type Statements = BTreeMap<String, Vec<(&'static str, String)>>;

impl Documents {
    /// The facts about which two documents, or two parts of one, disagree.
    pub fn contradictions(&self) -> Vec<String> {
        let mut all = Statements::new();
        of_status("status", &self.status, &mut all);
        if let Some(report) = &self.report {
            of_status("report", &report["status"], &mut all);
        }
        if let Some(ciphers) = &self.ciphers {
            of_ciphers(ciphers, &mut all);
        }
        for service in self.services.iter().flat_map(|services| list(services, "services")) {
            of_service(service, "enable", &mut all);
        }
        if let Some(check) = &self.check {
            of_check(check, &mut all);
        }
        if let Some(prove) = &self.prove {
            of_prove(prove, &mut all);
        }
        let differ =
            |statements: &Vec<(&str, String)>| statements.iter().any(|(_, is)| *is != statements[0].1);
        let contradictions = all.into_iter().filter(|(_, statements)| differ(statements));
        contradictions.map(|(fact, statements)| format!("{fact}: {statements:?}")).collect()
    }
}

fn say(all: &mut Statements, fact: String, by: &'static str, is: impl ToString) {
    all.entry(fact).or_default().push((by, is.to_string()));
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn of_status(by: &'static str, status: &Value, all: &mut Statements) {
    for driver in list(status, "drivers").filter(|driver| driver["kind"] != "larval") {
        let fact = format!("kind of driver {}", text(driver, "name"));
        say(all, fact, by, text(driver, "verdict"));
    }
    let mut reached = false;
    for accelerator in list(status, "accelerators") {
        for name in list(accelerator, "drivers").filter_map(Value::as_str) {
            say(all, format!("kind of driver {name}"), by, "accelerator");
        }
        let of = text(accelerator, "reach_of");
        for route in list(accelerator, "reach") {
            say(all, format!("{} reaches {of}", text(route, "interface")), by, text(route, "answer"));
            reached |= route["for_programs"] == true && route["answer"] == "yes";
        }
    }
    for row in list(status, "reach").filter(|row| row["algorithm"] != "random numbers") {
        let driver = text(row, "driver");
        say(all, format!("kind of driver {driver}"), by, "accelerator");
        for cell in list(row, "consumers").filter(|cell| cell["consumer"] != "hwrng") {
            say(all, format!("{} reaches {driver}", text(cell, "consumer")), by, text(cell, "answer"));
        }
    }
    for cipher in list(status, "offload") {
        if let Some(driver) = cipher["direct"]["driver"].as_str() {
            say(all, format!("OpenSSL reaches {driver}"), by, "yes");
        }
    }
    for algorithm in list(status, "algorithms") {
        for pick in [&algorithm["picked"], &algorithm["accelerator"]] {
            if let Some(driver) = pick["driver"].as_str() {
                say(all, format!("kind of driver {driver}"), by, text(pick, "verdict"));
            }
        }
    }
    for checked in list(status, "checked") {
        let fact = format!("results of {}", text(checked, "driver"));
        say(all, fact, by, if checked["fault"].is_null() { "exact" } else { "wrong" });
    }
    let answer = text(&status["verdict"], "answer");
    if matches!(answer, "reached" | "unreached") {
        say(all, "programs reach an accelerator".to_owned(), by, answer == "reached");
        say(all, "programs reach an accelerator".to_owned(), by, reached);
    }
}

/// The drivers of a cipher: for requests, and for key stream.
fn serve(all: &mut Statements, by: &'static str, cipher: &str, direct: &Value, key_stream: &Value) {
    let name = |driver: &Value| driver.as_str().unwrap_or("none").to_owned();
    say(all, format!("driver of {cipher}"), by, name(direct));
    say(all, format!("key stream driver of {cipher}"), by, name(key_stream));
}

fn of_ciphers(ciphers: &Value, all: &mut Statements) {
    for one in list(ciphers, "algorithms") {
        let cipher = text(one, "name");
        if one["kernel_name"].is_null() {
            continue;
        }
        serve(all, "ciphers", cipher, &one["driver"], &one["key_stream"]);
        say(all, format!("{cipher} is offered"), "ciphers", one["offered"] == true);
        for driver in list(one, "drivers") {
            say(all, format!("kind of driver {}", text(driver, "name")), "ciphers", text(driver, "verdict"));
        }
        if one["offered"] == true && one["verdict"] == "accelerator" {
            say(all, format!("OpenSSL reaches {}", text(one, "driver")), "ciphers", "yes");
        }
        for (direction, from) in one["from"].as_object().into_iter().flatten() {
            say(all, format!("{cipher} {direction} from"), "ciphers", from);
        }
    }
}

fn of_service(service: &Value, by: &'static str, all: &mut Statements) {
    say(all, format!("state of {}", text(service, "name")), by, text(service, "state"));
}

fn of_check(check: &Value, all: &mut Statements) {
    for driver in list(check, "drivers") {
        if let verdict @ ("exact" | "wrong") = text(driver, "verdict") {
            say(all, format!("results of {}", text(driver, "name")), "check", verdict);
        }
    }
}

fn of_prove(prove: &Value, all: &mut Statements) {
    for group in list(prove, "not_offered").filter(|group| group["reason"] != "combined-code") {
        for cipher in list(group, "algorithms").filter_map(Value::as_str) {
            say(all, format!("{cipher} is offered"), "prove", false);
        }
    }
    if let Some(name) = prove["service"]["name"].as_str() {
        say(all, format!("state of {name}"), "prove", "enabled");
    }
    for algorithm in list(prove, "algorithms") {
        say(all, format!("{} is offered", text(algorithm, "name")), "prove", true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn two_documents_that_differ_about_a_driver_or_a_cipher_are_found() {
        let status = json!({
            "drivers": [{ "name": "a", "verdict": "accelerator", "kind": "skcipher" }],
            "verdict": { "answer": "unreached" },
            "checked": [{ "driver": "a", "fault": null }],
        });
        let cipher = |offered: bool| {
            json!({ "algorithms": [{
                "name": "AES-128-CBC", "kernel_name": "cbc(aes)", "offered": offered, "driver": null, "key_stream": null,
            }] })
        };
        let prove = json!({ "not_offered": [{ "algorithms": ["AES-128-CBC"], "reason": "no-driver" }] });
        let with = |ciphers| Documents {
            status: status.clone(),
            ciphers: Some(ciphers),
            prove: Some(prove.clone()),
            ..Documents::default()
        };
        assert_eq!(with(cipher(false)).contradictions(), Vec::<String>::new());
        let found = with(cipher(true)).contradictions();
        assert!(found.len() == 1 && found[0].starts_with("AES-128-CBC is offered"), "{found:?}");
        let wrong = json!({ "drivers": [{ "name": "a", "verdict": "wrong" }] });
        let found = Documents { check: Some(wrong), ..with(cipher(false)) }.contradictions();
        assert!(found.len() == 1 && found[0].starts_with("results of a"), "{found:?}");
    }
}
