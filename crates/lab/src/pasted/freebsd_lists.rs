//! What FreeBSD and pfSense list: kldstat, and the lines of pfSense's dashboard about cryptography.

use super::freebsd::device_named;
use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// A line of the dashboard: how it begins, and what "Yes (active)", "Yes (inactive)" and "No" mean.
struct DashboardLine {
    begins: &'static str,
    is_accelerator: bool,
    active: &'static str,
    inactive: &'static str,
    missing: &'static str,
}

const DASHBOARD: &[DashboardLine] = &[
    DashboardLine {
        begins: "AES-NI CPU Crypto:",
        is_accelerator: false,
        active: "the CPU has AES instructions and the module aesni is loaded: IPsec gains by it, most with AES-GCM; OpenSSL \
            uses the instructions without it",
        inactive: "the CPU has AES instructions, and the module aesni is not loaded: choose it under System > Advanced > \
            Miscellaneous for IPsec; OpenSSL uses the instructions without it",
        missing: "the CPU has no AES instructions: prefer ChaCha20-Poly1305 for VPNs, unless a card does AES",
    },
    DashboardLine {
        begins: "QAT Crypto:",
        is_accelerator: true,
        active: "Intel QuickAssist is in use by the kernel: IPsec gets it by itself",
        inactive: "Intel QuickAssist is there, and its module qat is not loaded: choose it under System > Advanced > \
            Miscellaneous",
        missing: "there is no Intel QuickAssist device that the kernel knows",
    },
    DashboardLine {
        begins: "IPsec-MB Crypto:",
        is_accelerator: false,
        active: "IPsec-MB is software with vector instructions of the CPU: no accelerator",
        inactive: "IPsec-MB is software with vector instructions of the CPU, and off",
        missing: "IPsec-MB, software with vector instructions of the CPU, is not there",
    },
    DashboardLine {
        begins: "SafeXcel Crypto:",
        is_accelerator: true,
        active: "the SafeXcel EIP97 is in use by the kernel: IPsec gets it by itself",
        inactive: "the SafeXcel EIP97 is there, and its module safexcel is not loaded",
        missing: "there is no SafeXcel EIP97",
    },
];

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    kldstat(lines, pasted);
    dashboard(lines, pasted);
}

/// ` 5    1 0xffffffff82f21000     2668 aesni.ko`
fn kldstat(lines: &[Line], pasted: &mut Pasted) {
    let modules: Vec<(Line, &str)> =
        lines.iter().filter_map(|&line| Some((line, kernel_module(line.text)?))).collect();
    let Some(&(first, _)) = modules.first() else { return };
    pasted.text.other_system = Some("FreeBSD".into());
    pasted.recognise("kldstat", modules.len(), "module");
    let mut has_any = false;
    for &(line, module) in &modules {
        if module == "cryptodev" {
            pasted.remark(line, "BSD's /dev/crypto is open to programs; OpenSSL uses it by its engine only");
            has_any = true;
        } else if let Some(device) = device_named(module) {
            has_any = true;
            let text = format!("the module {module} is loaded, for {}", device.meaning);
            if device.is_accelerator {
                pasted.shows(line, format!("{text}; dmesg shows whether it found a device"));
            } else {
                pasted.remark(line, text);
            }
        }
    }
    if !has_any {
        pasted.remark(
            first,
            "no module of a crypto device is loaded; dmesg names those that are built into the kernel",
        );
    }
}

fn kernel_module(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [id, references, address, size, name] = words[..] else { return None };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_hex = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_row =
        is_number(id) && is_number(references) && is_hex(address.strip_prefix("0x")?) && is_hex(size);
    match name.strip_suffix(".ko") {
        Some(module) if is_row => Some(module),
        None if is_row && name == "kernel" => Some(name),
        _ => None,
    }
}

fn dashboard(lines: &[Line], pasted: &mut Pasted) {
    let mut found = 0;
    for &line in lines {
        for kind in DASHBOARD {
            let Some((_, state)) = line.text.split_once(kind.begins) else { continue };
            let state = state.trim_start();
            let meaning = match (state.starts_with("Yes (active)"), state.starts_with("Yes")) {
                (true, _) => kind.active,
                (false, true) => kind.inactive,
                (false, false) if state.starts_with("No") => kind.missing,
                _ => continue,
            };
            found += 1;
            if kind.is_accelerator && state.starts_with("Yes") {
                pasted.shows(line, meaning);
            } else {
                pasted.remark(line, meaning);
            }
        }
        let list =
            line.text.strip_prefix("Hardware crypto").map(|rest| rest.trim_start_matches([':', '\t', ' ']));
        if let Some(list) = list.filter(|list| list.starts_with("AES") || device_named(list).is_some()) {
            found += 1;
            pasted.remark(
                line,
                format!(
                    "the kernel's crypto drivers offer {list}; the list does not tell an accelerator from the CPU's \
                     instructions: dmesg does"
                ),
            );
        }
    }
    if found > 0 {
        pasted.text.other_system = Some("FreeBSD".into());
        pasted.recognise("pfSense's dashboard", found, "line");
    }
}

#[cfg(test)]
mod tests {
    use super::super::recognise;

    fn remarks(text: &str) -> String {
        assert_eq!(recognise(text).text.other_system.as_deref(), Some("FreeBSD"), "{text}");
        super::super::tests::remarks(text)
    }

    #[test]
    fn modules_of_kldstat_are_named() {
        let head = "Id Refs Address                Size Name\n 1   20 0xffffffff80200000  3aef110 kernel\n";
        let text = remarks(&format!(
            "{head} 2    1 0xffffffff83e18000     3218 aesni.ko\n 3    1 0xffffffff83e1c000     a9b0 qat.ko\n"
        ));
        assert!(text.contains("the module aesni is loaded") && text.contains("Intel QuickAssist"), "{text}");
        assert!(remarks(head).contains("no module of a crypto device"), "{}", remarks(head));
    }

    #[test]
    fn each_state_of_the_dashboard_has_its_meaning() {
        for (text, words) in [
            ("AES-NI CPU Crypto: Yes (active)", "IPsec gains by it"),
            ("4 CPUs: 1 package(s) AES-NI CPU Crypto: Yes (inactive)", "the module aesni is not loaded"),
            ("AES-NI CPU Crypto: No", "ChaCha20-Poly1305"),
            ("QAT Crypto: Yes (active)", "Intel QuickAssist is in use"),
            ("QAT Crypto: No", "there is no Intel QuickAssist"),
            ("Hardware crypto\tAES-CBC,AES-XTS,AES-GCM,AES-ICM", "does not tell an accelerator"),
        ] {
            assert!(remarks(text).contains(words), "{text}: {}", remarks(text));
        }
    }
}
