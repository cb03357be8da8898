//! /dev/crypto of cryptodev-linux: one ioctl per request, in place. The user selects an algorithm,
//! and the kernel selects the driver with the highest priority.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::raw::c_void;
use std::ptr::{from_mut, null_mut};

use anyhow::{Context, Result, ensure};

use super::{Down, check};
use crate::known_answer::{IV, KEY, text};

const CRYPTO_AES_CBC: u32 = 11;
const COP_ENCRYPT: u16 = 0;
const ALG_NAME: usize = 64;

/// `struct session_op`
#[repr(C)]
struct SessionOp {
    cipher: u32,
    mac: u32,
    keylen: u32,
    key: *const u8,
    mackeylen: u32,
    mackey: *const u8,
    ses: u32,
}

/// `struct session_info_op`
#[repr(C)]
struct SessionInfoOp {
    ses: u32,
    cipher: AlgInfo,
    hash: AlgInfo,
    alignmask: u16,
    flags: u32,
}

/// `struct alg_info`
#[repr(C)]
struct AlgInfo {
    name: [u8; ALG_NAME],
    driver: [u8; ALG_NAME],
}

/// `struct crypt_op`
#[repr(C)]
struct CryptOp {
    ses: u32,
    op: u16,
    flags: u16,
    len: u32,
    src: *mut u8,
    dst: *mut u8,
    mac: *mut u8,
    iv: *const u8,
}

/// Computes `_IOWR('c', number, T)` of asm-generic/ioctl.h.
const fn iowr<T>(number: u32) -> u32 {
    3 << 30 | (size_of::<T>() as u32) << 16 | (b'c' as u32) << 8 | number
}

/// A session.
pub struct Cryptodev {
    device: File,
    session: u32,
    text: Vec<u8>,
}

impl Cryptodev {
    pub fn open(driver: &str) -> Result<Cryptodev> {
        let device =
            File::options().read(true).write(true).open("/dev/crypto").context("is not on this machine")?;
        let mut op = SessionOp {
            cipher: CRYPTO_AES_CBC,
            mac: 0,
            keylen: KEY.len() as u32,
            key: KEY.as_ptr(),
            mackeylen: 0,
            mackey: std::ptr::null(),
            ses: 0,
        };
        // SAFETY: the structure is that of the request number, and the key is valid during the
        // call.
        unsafe { ioctl(&device, iowr::<SessionOp>(102), from_mut(&mut op).cast()) }
            .context("CIOCGSESSION")?;
        // SAFETY: all-zero is a valid value.
        let mut info: SessionInfoOp = unsafe { std::mem::zeroed() };
        info.ses = op.ses;
        // SAFETY: the structure is that of the request number.
        unsafe { ioctl(&device, iowr::<SessionInfoOp>(107), from_mut(&mut info).cast()) }
            .context("CIOCGSESSINFO")?;
        let name = info.cipher.driver.split(|&byte| byte == 0).next().unwrap_or_default();
        ensure!(name == driver.as_bytes(), "leads to {}, not to {driver}", String::from_utf8_lossy(name));
        Ok(Cryptodev { device, session: op.ses, text: Vec::new() })
    }
}

/// # Safety
/// `argument` must point to the structure of the request `number`.
unsafe fn ioctl(device: &File, number: u32, argument: *mut c_void) -> std::io::Result<()> {
    // SAFETY: guaranteed by the caller.
    check(unsafe { libc::ioctl(device.as_raw_fd(), number as _, argument) }).map(drop)
}

impl Down for Cryptodev {
    fn prepare(&mut self, bytes: usize, _depth: usize) -> Result<()> {
        self.text = text(bytes);
        Ok(())
    }

    fn batch(&mut self) -> Result<()> {
        let data = self.text.as_mut_ptr();
        let mut op = CryptOp {
            ses: self.session,
            op: COP_ENCRYPT,
            flags: 0,
            len: self.text.len() as u32,
            src: data,
            dst: data,
            mac: null_mut(),
            iv: IV.as_ptr(),
        };
        // SAFETY: the structure is that of the request number, and everything that it points to is
        // valid during the call.
        unsafe { ioctl(&self.device, iowr::<CryptOp>(104), from_mut(&mut op).cast()) }.context("CIOCCRYPT")
    }

    fn result(&self, _index: usize) -> &[u8] {
        &self.text
    }
}
