use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use super::*;

const CPUINFO: &str =
    "processor\t: 0\nmodel name\t: Some CPU\ncpu MHz\t\t: 1000.1\nflags\t\t: fpu sse2\n\nprocessor\t: 1\n";

fn text(cpu: &str) -> String {
    let driver = hash(HASH, b"GNU one");
    format!(
        "# a comment\n\noutboard-policy 2\nmade 2026-11-21T12:00:00Z\ngoal balanced\nkernel 7.2.0-amd64\ncpu {cpu} Some CPU\n\
         driver virtio_crypto_aes_cbc virtio_crypto {driver}\n# why\n\
         AES-128-CBC 4096 2048 virtio_crypto_aes_cbc\nAES-256-CBC never never virtio_crypto_aes_cbc # so slow\n"
    )
}

/// The files of a system for which the policy was made.
fn system() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (file, text) in [
        ("proc/sys/kernel/osrelease", "7.2.0-amd64\n"),
        ("proc/cpuinfo", CPUINFO),
        ("sys/module/virtio_crypto/notes/.note.gnu.build-id", "GNU one"),
    ] {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[test]
fn thresholds_are_read_for_each_direction() {
    let tuned = Tuned::parse(text("0123")).unwrap();
    assert_eq!(
        ["goal", "kernel", "cpu", "x"].map(|word| tuned.value(word)),
        ["balanced", "7.2.0-amd64", "0123", ""]
    );
    let row = tuned.of("aes-128-cbc").unwrap();
    assert_eq!((row.from, row.driver, row.piece), ([Some(4096), Some(2048)], "virtio_crypto_aes_cbc", None));
    assert!(!row.is_never() && tuned.of("AES-256-CBC").unwrap().is_never());
    assert_eq!(tuned.of("AES-192-CBC"), None);
    assert_eq!([from_text(Some(64)), from_text(None)], ["64", "never"]);
}

#[test]
fn pieces_are_read_where_they_were_measured() {
    let tuned = Tuned::parse(format!("{}AES-192-CTR 64 never d 65536 # why\n", text("0"))).unwrap();
    let row = tuned.of("AES-192-CTR").unwrap();
    assert_eq!((row.from, row.driver, row.piece), ([Some(64), None], "d", Some(65536)));
}

#[test]
fn a_damaged_line_is_named() {
    let good = text("0");
    for (line, damaged) in [
        (1, String::new()),
        (1, "outboard-policy 1\n".to_owned()),
        (12, format!("{good}AES-128-CBC 1\n")),
        (12, format!("{good}AES-128-CBC 1k 1 d\n")),
        (12, format!("{good}AES-128-CBC -1 1 d\n")),
        (12, format!("{good}AES-128-CBC 1 1 d whole\n")),
        (12, format!("{good}nonsense\n")),
        (4, "\n#\noutboard-policy 2\nkernel\n".to_owned()),
    ] {
        assert_eq!(Tuned::parse(damaged.clone()), Err(line), "{damaged}");
    }
    let twice = Tuned::parse(format!("{good}AES-128-CBC 1 2 d\n")).unwrap();
    assert_eq!(twice.of("AES-128-CBC").unwrap().from, [Some(1), Some(2)]);
}

#[test]
fn a_policy_of_another_kernel_cpu_or_driver_is_stale() {
    let root = system();
    assert_eq!(module_version(root.path(), "kernel"), "-");
    let tuned = Tuned::parse(text(&cpu_identity(CPUINFO))).unwrap();
    assert!(tuned.is_of(root.path()).is_ok());
    for (file, now, named) in [
        ("sys/module/virtio_crypto/notes/.note.gnu.build-id", "GNU two", "virtio_crypto_aes_cbc "),
        ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse2 aes\n", "CPU "),
        ("proc/sys/kernel/osrelease", "7.3.0-amd64\n", "kernel 7.3.0-amd64"),
    ] {
        fs::write(root.path().join(file), now).unwrap();
        let error = tuned.is_of(root.path()).unwrap_err().to_string();
        assert!(error.contains(named) && error.contains("outboard tune"), "{error}");
    }
}

#[test]
fn a_cpu_is_what_it_can_do_and_not_how_fast_it_runs_now() {
    let same = CPUINFO.replace("1000.1", "2400.7").replace("processor\t: 1", "processor\t: 2");
    assert_eq!(cpu_identity(CPUINFO), cpu_identity(&same));
    assert_ne!(cpu_identity(CPUINFO), cpu_identity(&CPUINFO.replace("sse2", "sse2 aes")));
    assert!(cpu_identity(CPUINFO).parse::<u64>().is_ok());
    // More than the longest first part of /proc/cpuinfo is not read.
    let (root, file) = (system(), "proc/cpuinfo");
    fs::write(root.path().join(file), "x".repeat(100_000)).unwrap();
    assert_eq!(kernel_text(root.path(), file).len(), 16_384);
}

#[test]
fn a_policy_of_another_user_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy");
    assert!(Tuned::read(&path).unwrap().is_none());
    fs::write(&path, text("0")).unwrap();
    let allowed = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        Tuned::read(&path)
    };
    assert!(allowed(0o644).unwrap().is_some());
    for mode in [0o664, 0o646, 0o666] {
        assert!(matches!(allowed(mode), Err(Unfit::Owner)), "{mode:o}");
    }
    assert!(matches!(Tuned::read(folder.path()), Err(Unfit::Owner | Unfit::Io(_))));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&path, b"\xff\xfe").unwrap();
    assert!(matches!(Tuned::read(&path), Err(Unfit::Io(_))));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(outboard-policy 2\n)?[ -~\n]{0,200}") {
        let _ = Tuned::parse(text);
    }

    #[test]
    fn a_written_row_is_read_as_the_same(
        from in proptest::array::uniform2(proptest::option::of(any::<u32>())),
        sizes in proptest::collection::vec(any::<u32>(), 0..3),
        name in "[ -~\n]{0,40}",
    ) {
        let size = |at: usize| sizes.get(at).map(|bytes| *bytes as usize);
        let from = from.map(|bytes| bytes.map(|bytes| bytes as usize));
        let row = CipherRow { from, driver: "a", piece: size(0), key_bytes: size(1) };
        let measured = crate::Measured { made: "now", goal: "cpu", kernel: "7.2.0", cpu: ["12", &name] };
        let mut text = crate::PolicyText::new(measured);
        text.comment(&name);
        text.cipher("AES-192-CBC", row);
        let read = Tuned::parse(text.finish()).unwrap();
        prop_assert_eq!(read.of("AES-192-CBC"), Some(row));
        prop_assert_eq!(["goal", "cpu"].map(|word| read.value(word)), ["cpu", "12"]);
    }
}

#[test]
fn drivers_are_found_by_name() {
    let tuned = Tuned::parse(text("0")).unwrap();
    assert!(tuned.has_driver("virtio_crypto_aes_cbc") && !tuned.has_driver("virtio_crypto"));
}

#[test]
fn only_a_file_that_does_not_exist_is_none_and_only_a_short_plain_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(matches!(trusted(&at("absent")), Ok(None)));
    for (name, len) in [("longest", 65_536), ("too long", 65_537)] {
        fs::write(at(name), "x".repeat(len)).unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert!(matches!(trusted(&at("longest")), Ok(Some(text)) if text.len() == 65_536));
    assert!(matches!(trusted(&at("too long")), Err(Unfit::Owner)));
    assert!(matches!(trusted(&at("longest/below")), Err(Unfit::Io(_))));
    fs::create_dir(at("folder")).unwrap();
    fs::set_permissions(at("folder"), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(matches!(trusted(&at("folder")), Err(Unfit::Owner)));
}

/// The values of FNV-1a's authors.
#[test]
fn cpus_are_told_apart_by_fnv_1a() {
    assert_eq!(hash(HASH, b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(hash(HASH, b"foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn files_of_root_and_of_the_user_of_this_process_are_trusted() {
    for (owner, own, is_trusted) in [
        (0, Some(1000), true),
        (0, None, true),
        (1000, Some(1000), true),
        (1000, Some(0), false),
        (1000, Some(1001), false),
        (1000, None, false),
    ] {
        assert_eq!(is_trusted_owner(owner, || own), is_trusted, "{owner}, {own:?}");
    }
}

/// Returns a few bytes at a time, and each of these errors before them.
struct Interrupted(Vec<io::ErrorKind>);

impl Read for Interrupted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if let Some(kind) = self.0.pop() {
            return Err(kind.into());
        }
        let len = room.len().min(3);
        room[..len].fill(7);
        Ok(len)
    }
}

#[test]
fn a_read_that_a_signal_interrupted_is_repeated_and_other_errors_are_not() {
    let signal = io::ErrorKind::Interrupted;
    assert_eq!(beginning(Interrupted(vec![signal; 2]), 10).ok(), Some(vec![7; 10]));
    let denied = io::ErrorKind::PermissionDenied;
    let failed = beginning(Interrupted(vec![denied, signal]), 10);
    assert!(failed.is_err_and(|error| error.kind() == denied));
}
