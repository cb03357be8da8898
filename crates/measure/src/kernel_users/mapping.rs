//! dm-crypt devices, created through the kernel's interface (linux/dm-ioctl.h) so that no other
//! process receives the key. Each device is marked for removal when it is opened, so the kernel
//! removes it with its last descriptor, even if this process is killed.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use zeroize::Zeroize as _;

use super::keys::hex;

const CONTROL: &str = "/dev/mapper/control";

/// _IOWR(DM_IOCTL, number, struct dm_ioctl)
const fn request(number: libc::Ioctl) -> libc::Ioctl {
    libc::_IOWR::<Head>(0xfd, number as u32) as libc::Ioctl
}

const DEV_CREATE: libc::Ioctl = 3;
const DEV_REMOVE: libc::Ioctl = 4;
const DEV_SUSPEND: libc::Ioctl = 6;
const TABLE_LOAD: libc::Ioctl = 9;

/// The kernel wipes the buffer after use.
const SECURE_DATA: u32 = 1 << 15;
const DEFERRED_REMOVE: u32 = 1 << 17;

const DATA: usize = 4096;

/// struct dm_ioctl
#[repr(C)]
#[derive(Clone, Copy)]
struct Head {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    target_count: u32,
    open_count: i32,
    flags: u32,
    event_nr: u32,
    padding: u32,
    dev: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    data: [u8; 7],
}

/// struct dm_target_spec
#[repr(C)]
#[derive(Clone, Copy)]
struct Target {
    sector_start: u64,
    length: u64,
    status: i32,
    next: u32,
    kind: [u8; 16],
}

const _: () = assert!(size_of::<Head>() == 312 && size_of::<Target>() == 40);

#[repr(C)]
struct Message {
    head: Head,
    target: Target,
    parameters: [u8; DATA],
}

impl Message {
    fn new(name: &str, flags: u32) -> Message {
        let mut head = Head {
            version: [4, 0, 0],
            data_size: size_of::<Message>() as u32,
            data_start: size_of::<Head>() as u32,
            target_count: 0,
            open_count: 0,
            flags,
            event_nr: 0,
            padding: 0,
            dev: 0,
            name: [0; 128],
            uuid: [0; 129],
            data: [0; 7],
        };
        let length = name.len().min(127);
        head.name[..length].copy_from_slice(&name.as_bytes()[..length]);
        let target = Target { sector_start: 0, length: 0, status: 0, next: 0, kind: [0; 16] };
        Message { head, target, parameters: [0; DATA] }
    }

    fn send(&mut self, number: libc::Ioctl) -> io::Result<()> {
        let control = File::options().read(true).write(true).open(CONTROL)?;
        // SAFETY: the structure has the layout of the kernel's header, and data_size is its size.
        let done = unsafe { libc::ioctl(control.as_raw_fd(), request(number), &raw mut *self) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// The parameters can contain a key.
impl Drop for Message {
    fn drop(&mut self) {
        self.parameters.zeroize();
    }
}

pub struct Table<'a> {
    /// dm-crypt's name of the cipher: `aes-xts-plain64`, `capi:sim-xts-aes-plain64`.
    pub cipher: &'a str,
    pub key: &'a [u8],
    /// Bytes that are encrypted with one IV: the size of a request to the driver.
    pub sector: u32,
    /// The number of the underlying device, such as `7:0`.
    pub below: &'a str,
    pub bytes: u64,
}

impl Table<'_> {
    fn fill(&self, message: &mut Message) -> Result<()> {
        message.target.length = self.bytes / 512;
        message.target.kind[..5].copy_from_slice(b"crypt");
        message.head.target_count = 1;
        let mut at = 0;
        let mut put = |text: &[u8]| {
            let place = message.parameters[..DATA - 1].get_mut(at..at + text.len());
            place.context("too long a table")?.copy_from_slice(text);
            at += text.len();
            anyhow::Ok(())
        };
        put(self.cipher.as_bytes())?;
        put(b" ")?;
        put(hex(self.key).as_bytes())?;
        put(format!(" 0 {} 0", self.below).as_bytes())?;
        if self.sector != 512 {
            put(format!(" 1 sector_size:{}", self.sector).as_bytes())?;
        }
        Ok(())
    }
}

/// A device; it exists as long as a process has it open.
pub struct CryptMapping {
    node: PathBuf,
    block: PathBuf,
    file: Option<File>,
}

impl CryptMapping {
    /// Creates the device. The kernel logs why it refuses a table, but returns only an error
    /// number.
    pub fn new(name: &str, table: &Table<'_>) -> Result<CryptMapping> {
        let mut made = Message::new(name, 0);
        made.send(DEV_CREATE).with_context(|| format!("{CONTROL}: no device can be made"))?;
        CryptMapping::begin(name, libc::minor(made.head.dev), table).inspect_err(|_| {
            // The device may have been removed with its descriptor.
            let _ = remove(name);
        })
    }

    /// Loads the table and opens the device. The device node appears with the table (since Linux
    /// 5.15).
    fn begin(name: &str, minor: u32, table: &Table<'_>) -> Result<CryptMapping> {
        let mut load = Message::new(name, SECURE_DATA);
        table.fill(&mut load)?;
        load.send(TABLE_LOAD)?;
        drop(load);
        let node = PathBuf::from(format!("/dev/dm-{minor}"));
        let file = Some(open(&node)?);
        // Mark for removal now, so that the device cannot be left behind; it exists until the
        // descriptor is closed.
        remove(name).with_context(|| format!("{name} cannot be marked to be removed"))?;
        let mapping = CryptMapping { node, block: PathBuf::from(format!("/sys/block/dm-{minor}")), file };
        Message::new(name, 0).send(DEV_SUSPEND)?;
        Ok(mapping)
    }

    pub fn node(&self) -> &PathBuf {
        &self.node
    }

    /// Opens the device for direct I/O, without the page cache.
    pub fn direct(&self) -> io::Result<File> {
        File::options().read(true).write(true).custom_flags(libc::O_DIRECT).open(&self.node)
    }
}

impl Drop for CryptMapping {
    fn drop(&mut self) {
        drop(self.file.take());
        let start = Instant::now();
        // The kernel removes the device shortly after the descriptor is closed.
        while self.block.exists() && start.elapsed() < Duration::from_secs(5) {
            sleep(Duration::from_millis(5));
        }
    }
}

/// Opens the node, with retries: a device manager in user space creates it with a delay.
fn open(node: &PathBuf) -> Result<File> {
    let start = Instant::now();
    loop {
        match File::options().read(true).write(true).open(node) {
            Ok(file) => return Ok(file),
            Err(_) if start.elapsed() < Duration::from_secs(5) => sleep(Duration::from_millis(5)),
            Err(error) => bail!("{}: {error}: is /dev a devtmpfs, or does udev or mdev run?", node.display()),
        }
    }
}

/// Removes a device now, or with its last descriptor.
pub fn remove(name: &str) -> io::Result<()> {
    Message::new(name, DEFERRED_REMOVE).send(DEV_REMOVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_dm_crypt_reads_it() {
        let mut message = Message::new("x", 0);
        let table = Table {
            cipher: "capi:sim-cbc-aes-essiv:sha256",
            key: &[0x01, 0xfe],
            sector: 4096,
            below: "7:3",
            bytes: 1 << 20,
        };
        table.fill(&mut message).unwrap();
        let text = b"capi:sim-cbc-aes-essiv:sha256 01fe 0 7:3 0 1 sector_size:4096\0";
        assert_eq!(message.parameters[..text.len()], text[..]);
        assert_eq!((message.target.length, &message.target.kind[..6]), (2048, &b"crypt\0"[..]));
        Table { sector: 512, ..table }.fill(&mut message).unwrap();
        assert!(message.parameters.starts_with(b"capi:sim-cbc-aes-essiv:sha256 01fe 0 7:3 0 1"), "as it was");
        assert!(Table { key: &[0; 4096], ..table }.fill(&mut message).is_err());
    }

    #[test]
    fn numbers_are_those_of_the_header() {
        assert_eq!((request(DEV_CREATE), request(TABLE_LOAD)), (0xc138_fd03, 0xc138_fd09));
    }
}
