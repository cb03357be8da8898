//! The storage below dm-crypt: memory or an unnamed file, as a loop device that the kernel removes
//! when its last user closes it (LO_FLAGS_AUTOCLEAR in linux/loop.h).

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use rustix::fs::{MemfdFlags, memfd_create};

const LOOP_CONTROL: &str = "/dev/loop-control";
const LOOP_CONFIGURE: libc::Ioctl = 0x4c0a;
const LOOP_CTL_GET_FREE: libc::Ioctl = 0x4c82;
const LO_FLAGS_AUTOCLEAR: u32 = 4;
const LO_FLAGS_DIRECT_IO: u32 = 16;

/// Another process can take a free loop device first.
const ATTEMPTS: u32 = 16;

/// struct loop_config, including struct loop_info64.
#[repr(C)]
struct Config {
    fd: u32,
    block_size: u32,
    device_inode_rdevice: [u64; 3],
    offset: u64,
    size_limit: u64,
    number_encryption: [u32; 3],
    flags: u32,
    names_and_key: [u8; 64 + 64 + 32],
    init: [u64; 2],
    reserved: [u64; 8],
}

const _: () = assert!(size_of::<Config>() == 304 && std::mem::offset_of!(Config, flags) == 60);

/// A loop device. It is removed when this value is dropped and no other process has it open.
pub struct LoopDevice {
    file: File,
}

impl LoopDevice {
    /// Creates a device of `bytes` bytes in memory, or in the directory `on`.
    pub fn new(on: Option<&Path>, bytes: u64) -> Result<LoopDevice> {
        let (backing, flags) = match on {
            None => {
                let memory = memfd_create("outboard-disk", MemfdFlags::CLOEXEC);
                (File::from(memory.context("no memory file can be made")?), 0)
            }
            // Direct I/O: with the page cache, memory would be measured.
            Some(on) => (file_in(on)?, LO_FLAGS_DIRECT_IO),
        };
        fill(&backing, bytes).with_context(|| format!("{} MiB do not fit", bytes >> 20))?;
        let control = File::options().read(true).write(true).open(LOOP_CONTROL).with_context(|| {
            format!("{LOOP_CONTROL}: is there the kernel module loop (on OpenWrt kmod-loop)?")
        })?;
        for _ in 0..ATTEMPTS {
            // SAFETY: no pointer is passed.
            let number = unsafe { libc::ioctl(control.as_raw_fd(), LOOP_CTL_GET_FREE) };
            if number < 0 {
                return Err(io::Error::last_os_error()).context("no loop device is free");
            }
            let file = File::options().read(true).write(true).open(format!("/dev/loop{number}"))?;
            match configure(&file, &backing, flags, bytes) {
                Ok(()) => return Ok(LoopDevice { file }),
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
                Err(error) => return Err(error).with_context(|| format!("/dev/loop{number}")),
            }
        }
        bail!("no loop device is free: losetup -l lists their users")
    }

    /// Returns the device number, such as `7:0`.
    pub fn number(&self) -> io::Result<String> {
        let device = self.file.metadata()?.rdev();
        Ok(format!("{}:{}", libc::major(device), libc::minor(device)))
    }
}

fn configure(device: &File, backing: &File, flags: u32, bytes: u64) -> io::Result<()> {
    let config = Config {
        fd: backing.as_raw_fd() as u32,
        block_size: 0,
        device_inode_rdevice: [0; 3],
        offset: 0,
        size_limit: bytes,
        number_encryption: [0; 3],
        flags: flags | LO_FLAGS_AUTOCLEAR,
        names_and_key: [0; 160],
        init: [0; 2],
        reserved: [0; 8],
    };
    // SAFETY: the structure has the layout of the kernel's header.
    let done = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CONFIGURE, &raw const config) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Creates an unnamed file (O_TMPFILE): nothing is left afterwards, and no existing file is
/// changed.
fn file_in(directory: &Path) -> Result<File> {
    let path = CString::new(directory.as_os_str().as_bytes())?;
    // SAFETY: the path is a C string, and this function is the only owner of the new descriptor.
    unsafe {
        let made = libc::open(path.as_ptr(), libc::O_TMPFILE | libc::O_RDWR | libc::O_CLOEXEC, 0o600);
        if made < 0 {
            let why = "a directory of a file system that has files without a name is wanted (O_TMPFILE)";
            return Err(io::Error::last_os_error())
                .with_context(|| format!("--on {}: {why}", directory.display()));
        }
        Ok(File::from_raw_fd(made))
    }
}

/// Writes all blocks, so that none is allocated during the measurement.
fn fill(file: &File, bytes: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    let chunk = vec![0x5a; 1 << 20];
    let mut at = 0;
    while at < bytes {
        let length = chunk.len().min((bytes - at) as usize);
        file.write_all_at(&chunk[..length], at)?;
        at += length as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let error = format!("{:#}", file_in(&folder.path().join("none")).unwrap_err());
        assert!(error.starts_with("--on ") && error.contains("O_TMPFILE"), "{error}");
        // Not all file systems support O_TMPFILE.
        if let Ok(file) = file_in(folder.path()) {
            fill(&file, (1 << 20) + 5).unwrap();
            assert_eq!(file.metadata().unwrap().len(), (1 << 20) + 5);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
