//! The commands of docs/platforms, typed word by word where the machine has a model of the engine, with
//! the vendor's own driver. The commands of docs/first-board.md are those of the kit. crates/lab/tests/platform_pages.rs reads every page.

use std::path::Path;
use std::process::Command;

use super::Modelled;
use crate::command::{status_and_output, succeeded};
use crate::file_tree::{assert_same_tree, whole_etc};

/// The pages.
const PAGES: [(&str, &str); 16] = [
    ("README", include_str!("../../../docs/platforms/README.md")),
    ("allwinner", include_str!("../../../docs/platforms/allwinner.md")),
    ("amlogic", include_str!("../../../docs/platforms/amlogic.md")),
    ("aspeed", include_str!("../../../docs/platforms/aspeed.md")),
    ("broadcom", include_str!("../../../docs/platforms/broadcom.md")),
    ("geode-hifn", include_str!("../../../docs/platforms/geode-hifn.md")),
    ("marvell", include_str!("../../../docs/platforms/marvell.md")),
    ("mediatek", include_str!("../../../docs/platforms/mediatek.md")),
    ("nxp", include_str!("../../../docs/platforms/nxp.md")),
    ("qualcomm", include_str!("../../../docs/platforms/qualcomm.md")),
    ("rockchip", include_str!("../../../docs/platforms/rockchip.md")),
    ("samsung", include_str!("../../../docs/platforms/samsung.md")),
    ("st", include_str!("../../../docs/platforms/st.md")),
    ("ti", include_str!("../../../docs/platforms/ti.md")),
    ("virtual-machines", include_str!("../../../docs/platforms/virtual-machines.md")),
    ("x86", include_str!("../../../docs/platforms/x86.md")),
];

/// The entries of the catalogue whose commands the theme of a model types, by the module.
const TYPED: [(&str, &str); 9] = [
    ("amlogic_gxl_crypto", "amlogic-gxl"),
    ("caam_jr", "caam"),
    ("geode_aes", "geode"),
    ("hifn_795x", "hifn"),
    ("mxs_dcp", "mxs-dcp"),
    ("rk_crypto", "rockchip"),
    ("s5p_sss", "s5p-sss"),
    ("sun8i_ce", "sun8i-ce"),
    ("sun8i_ss", "sun8i-ss"),
];

/// The commands of a section of a page with the entries of the catalogue that it names.
struct Section {
    page: &'static str,
    entries: Vec<String>,
    commands: Vec<&'static str>,
}

/// The sections that have commands for the machine of the engine.
fn sections() -> Vec<Section> {
    let all = PAGES.iter().flat_map(|(page, text)| text.split("\n## ").map(move |section| (*page, section)));
    let section = |(page, text): (&'static str, &'static str)| {
        let joined = text.replace('\n', " ");
        let named = joined.split("`outboard catalogue ").skip(1);
        let entries = named.filter_map(|rest| Some(rest.split_once('`')?.0.to_owned())).collect();
        let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
        let commands: Vec<&str> =
            lines.map(|line| line.split(" #").next().unwrap_or_default().trim()).collect();
        Section { page, entries, commands }
    };
    let is_of_pc = |command: &&str| command.starts_with("vm/run") || command.contains("outboard prove --th");
    all.map(section)
        .map(|mut section| {
            section.commands.retain(|command| !is_of_pc(command));
            section
        })
        .filter(|section| !section.commands.is_empty())
        .collect()
}

impl Modelled {
    /// The commands of its page end well, and undo restores /etc. The module's line is that of this
    /// machine's driver, as the comment of a page for several chips says.
    #[track_caller]
    pub fn the_commands_of_its_page_run(&self) {
        let module = self.names.module;
        let entry = TYPED.iter().find(|(of, _)| *of == module).map(|(_, entry)| *entry);
        let is_its = |section: &Section| section.entries.iter().any(|one| Some(one.as_str()) == entry);
        let Some(section) = sections().into_iter().find(is_its) else {
            return self.report("its page", "without commands of its own");
        };
        self.output(&["undo", "--yes"]);
        let before = whole_etc();
        for line in &section.commands {
            let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "sudo").collect();
            match words[0] {
                "modprobe" => {
                    let output = Command::new("modprobe").arg(module).output().expect("modprobe");
                    // A driver that was built for this machine's kernel is loaded from its file.
                    let is_loaded = Path::new("/sys/module").join(module).exists();
                    assert!(output.status.success() || is_loaded, "{}", status_and_output(&output));
                }
                "outboard" => {
                    let consent: &[&str] = if words[1] == "setup" { &["--yes"] } else { &[] };
                    let text = self.output(&[&words[1..], consent].concat());
                    let is_verbose = words.contains(&"--verbose");
                    let expected = if is_verbose { self.names.device } else { self.names.cbc };
                    assert!(text.contains(expected), "{line}: {text}");
                }
                _ => panic!("{}: {line} is not known here", section.page),
            }
        }
        let undone = self.machine.command(&["undo", "--yes"]).output().expect("the command runs");
        succeeded(&undone, &["undo"]);
        assert_same_tree(&whole_etc(), &before, "undone");
        self.assert_nothing_unsupported();
        self.report("its page", format!("{} commands", section.commands.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entries whose commands no theme types, and why.
    const NOT_TYPED: [(&str, &str); 8] = [
        ("aspeed-hace", "QEMU's model computes wrong digests and no AES"),
        ("padlock", "model_padlock runs status, check and tune with options for a slow processor"),
        ("qat", "there is no model of a card that runs firmware"),
        ("qce", "there is no model of the engine with its BAM DMA"),
        ("safexcel", "the commands remove the driver"),
        ("stm32", "the page sets nothing up: software is faster"),
        (
            "sun4i-ss",
            "sun8i-ce has the same commands, and setup with a polled engine takes more than ten minutes",
        ),
        ("virtio-crypto", "the machines of all device themes have this device"),
    ];

    #[test]
    fn each_page_is_typed_by_a_theme_or_has_a_reason() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/platforms");
        assert_eq!(std::fs::read_dir(folder).expect("the pages").count(), PAGES.len());
        let known = |entry: &str| {
            TYPED.iter().any(|(_, typed)| *typed == entry) || NOT_TYPED.iter().any(|(it, _)| *it == entry)
        };
        for section in sections() {
            let is_known = section.entries.iter().any(|entry| known(entry));
            assert!(is_known, "{}: {:?} has no theme and no reason", section.page, section.entries);
        }
        for entry in TYPED.map(|(_, entry)| entry).into_iter().chain(NOT_TYPED.map(|(entry, _)| entry)) {
            let found = sections().iter().any(|section| section.entries.iter().any(|it| it == entry));
            assert!(found, "no page has commands for {entry}");
        }
    }
}
