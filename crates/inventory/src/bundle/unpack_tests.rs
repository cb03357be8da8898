use lzma_rust2::{XzOptions, XzWriter};
use proptest::prelude::*;
use std::io::Write;
use tar::{Builder, Header};

use super::*;
use crate::bundle::pack::pack;

fn files() -> Files {
    let mut files = Files::default();
    files.add("proc/crypto", Item::File(b"name : cbc(aes)\n".repeat(500)));
    files.add("sys/bus/platform/drivers/x/1.crypto", Item::Directory);
    files.add("sys/bus/platform/drivers/x/bind", Item::File(Vec::new()));
    files.add(&format!("sys/{}", "long/".repeat(60)), Item::Directory);
    files
}

/// A tar archive with one entry whose header is written as given.
fn tar_of(path: &str, kind: EntryType, claimed: u64, content: &[u8]) -> Vec<u8> {
    let mut header = Header::new_gnu();
    // Not set_path, which refuses `..`.
    header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_size(claimed);
    if kind == EntryType::Symlink {
        header.set_link_name("/etc/shadow").unwrap();
    }
    header.set_cksum();
    let mut tar = Builder::new(Vec::new());
    tar.append(&header, content).unwrap();
    tar.into_inner().unwrap()
}

fn refused(bytes: &[u8], is_xz: bool) -> String {
    unpack(bytes, is_xz).unwrap_err().to_string()
}

#[test]
fn a_packed_archive_is_read_again() {
    let packed = pack(&files()).unwrap();
    assert!(packed.left_out.is_empty());
    assert_eq!(unpack(&packed.bytes[..], true).unwrap(), files());
    assert_eq!(pack(&files()).unwrap().bytes, packed.bytes);
}

#[test]
fn tar_unpacks_a_bundle() {
    let mut files = files();
    files.add("sys/bus", Item::Name);
    files.add("sys/bus-x", Item::Name);
    let packed = pack(&files).unwrap().bytes;
    // Not by xz(1), which a system may lack.
    let mut plain = Vec::new();
    XzReader::new_mem_limit(&packed[..], false, DECODER_KB).read_to_end(&mut plain).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut tar = std::process::Command::new("tar");
    tar.args(["-x", "-f", "-", "-C"]).arg(directory.path()).stdin(std::process::Stdio::piped());
    let mut tar = tar.stderr(std::process::Stdio::piped()).spawn().unwrap();
    tar.stdin.take().unwrap().write_all(&plain).unwrap();
    let output = tar.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(directory.path().join("sys/bus/platform/drivers/x/1.crypto").is_dir());
    assert!(directory.path().join("sys/bus-x").is_file());
}

#[test]
fn an_archive_that_is_cut_anywhere_is_damaged() {
    let bytes = pack(&files()).unwrap().bytes;
    for len in (0..bytes.len()).step_by(7) {
        assert!(unpack(&bytes[..len], true).is_err(), "{len} of {}", bytes.len());
    }
}

#[test]
fn paths_outside_the_archive_are_refused() {
    for path in ["../etc/passwd", "/etc/passwd", "proc/../../x", ".."] {
        let error = refused(&tar_of(path, EntryType::Regular, 0, b""), false);
        assert!(error.contains("leads out of it"), "{path}: {error}");
    }
}

#[test]
fn links_and_devices_are_refused() {
    for (kind, what) in [
        (EntryType::Symlink, "symbolic link"),
        (EntryType::Link, "hard link"),
        (EntryType::Char, "device node"),
        (EntryType::Fifo, "FIFO"),
    ] {
        let error = refused(&tar_of("proc/crypto", kind, 0, b""), false);
        assert!(error.contains(what) && error.contains("proc/crypto"), "{error}");
    }
    let sparse = refused(&tar_of("proc/crypto", EntryType::GNUSparse, 0, b""), false);
    assert!(sparse.contains("sparse file") || sparse.contains("damaged"), "{sparse}");
}

#[test]
fn a_size_that_is_only_claimed_costs_no_memory() {
    for claimed in [u64::from(u32::MAX) * 4, LARGEST_FILE + 1] {
        assert!(matches!(
            unpack(&tar_of("proc/crypto", EntryType::Regular, claimed, b"x")[..], false),
            Err(Unfit::TooLarge)
        ));
    }
    let cut = refused(&tar_of("proc/crypto", EntryType::Regular, LARGEST_FILE, b"x"), false);
    assert!(cut.contains("cut short"), "{cut}");
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
    let mut header = Header::new_gnu();
    header.set_path("proc/crypto").unwrap();
    header.set_size(1 << 20);
    header.set_cksum();
    let zeros = vec![0; 1 << 20];
    for _ in 0..(LARGEST >> 20) {
        xz.write_all(header.as_bytes()).unwrap();
        xz.write_all(&zeros).unwrap();
    }
    let bomb = xz.finish().unwrap();
    assert!(bomb.len() < 1 << 20);
    assert!(matches!(unpack(&bomb[..], true), Err(Unfit::TooLarge)));
}

#[test]
fn an_archive_of_many_names_is_refused() {
    let mut tar = Builder::new(Vec::new());
    for number in 0..=MOST_ENTRIES {
        let mut header = Header::new_gnu();
        header.set_size(0);
        header.set_entry_type(EntryType::Directory);
        tar.append_data(&mut header, format!("{number}"), &b""[..]).unwrap();
    }
    let bytes = tar.into_inner().unwrap();
    assert!(matches!(unpack(&bytes[..], false), Err(Unfit::TooMany | Unfit::TooLarge)));
}

#[test]
fn the_largest_files_are_left_out_of_a_bundle_that_is_too_large() {
    let mut files = files();
    // Bytes that xz cannot compress.
    let mut state = 1_u64;
    let noise: Vec<u8> = (0..3 << 20)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .collect();
    files.add("boot/noise", Item::File(noise));
    let packed = pack(&files).unwrap();
    assert_eq!(packed.left_out, ["boot/noise"]);
    assert!(packed.bytes.len() < crate::bundle::pack::LARGEST_ARCHIVE);
}

proptest! {
    #[test]
    fn a_changed_byte_is_detected_or_harmless(at in 0_usize..400, with in any::<u8>()) {
        let mut bytes = pack(&files()).unwrap().bytes;
        let at = at % bytes.len();
        bytes[at] = with;
        if let Ok(read) = unpack(&bytes[..], true) {
            prop_assert_eq!(read, files());
        }
    }

    #[test]
    fn arbitrary_bytes_cause_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000), is_xz: bool) {
        let _ = unpack(&bytes[..], is_xz);
    }
}
