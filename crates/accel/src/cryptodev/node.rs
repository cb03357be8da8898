//! The open device and its ioctls, each wrapped once.

use std::fmt::{self, Write};
use std::io;
use std::mem::zeroed;
use std::ptr::{from_mut, from_ref};
use std::sync::atomic::{AtomicU32, Ordering};

use super::abi::{self, CryptAuthOp, CryptOp, MAX_NAME, SessionInfoOp, SessionOp};
use crate::descriptor::{Descriptor, check};
use crate::fork_mark::ForkMark;

/// Padded with zeros to the maximum length that a driver reads.
pub(super) type Iv = [u8; 16];

#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Cipher(u32),
    Hash(u32),
}

/// Closing it ends its sessions.
pub(super) struct Node {
    device: Descriptor,
    mark: ForkMark,
    /// Forks between opening the device and this process.
    generation: AtomicU32,
}

pub(super) struct Info {
    pub(super) algorithm: Name,
    pub(super) driver: Name,
    pub(super) kernel_only: bool,
}

/// A name up to its NUL; truncated if it is longer than the field.
pub(super) struct Name([u8; MAX_NAME]);

impl Name {
    pub(super) fn is(&self, name: &str) -> bool {
        self.bytes() == name.as_bytes()
    }

    fn bytes(&self) -> &[u8] {
        self.0.split(|&byte| byte == 0).next().unwrap_or_default()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.bytes().utf8_chunks() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_char(char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }
}

impl Node {
    pub(super) fn open() -> io::Result<Node> {
        Ok(Node { device: open()?, mark: ForkMark::new()?, generation: AtomicU32::new(0) })
    }

    pub(super) fn is_ours(&self) -> bool {
        self.device.is_ours()
    }

    /// Changes with every fork: a session of another generation belongs to an ancestor process.
    ///
    /// A child opens the device again under the inherited number, so that its sessions end with it,
    /// and its parent's do not live on in it. If it cannot (privileges were dropped, there is no
    /// /dev), it creates its sessions in the parent's open file.
    pub(super) fn generation(&self) -> u32 {
        self.mark.settle(|| {
            if let Ok(fresh) = open() {
                self.device.become_another_opening(&fresh);
            }
            self.generation.fetch_add(1, Ordering::Relaxed);
        });
        self.generation.load(Ordering::Relaxed)
    }

    /// For a key (empty for a digest). The number is random.
    pub(super) fn new_session(&self, purpose: Purpose, key: &[u8]) -> io::Result<u32> {
        let mut operation: SessionOp<*const u8> = empty();
        let (key_len, key) = (len_of(key)?, key.as_ptr());
        match purpose {
            Purpose::Cipher(number) => {
                (operation.cipher, operation.key_len, operation.key) = (number, key_len, key)
            }
            Purpose::Hash(number) => {
                (operation.mac, operation.mac_key_len, operation.mac_key) = (number, key_len, key)
            }
        }
        // SAFETY: `operation` is the structure of this ioctl and writable; `key` is readable for its
        // length.
        unsafe { self.ioctl(abi::GSESSION, from_mut(&mut operation).cast()) }?;
        Ok(operation.session)
    }

    pub(super) fn info(&self, purpose: Purpose, session: u32) -> io::Result<Info> {
        let mut operation: SessionInfoOp = empty();
        operation.session = session;
        // SAFETY: `operation` is the structure of this ioctl and writable.
        unsafe { self.ioctl(abi::GSESSINFO, from_mut(&mut operation).cast()) }?;
        let got = match purpose {
            Purpose::Cipher(_) => operation.cipher,
            Purpose::Hash(_) => operation.hash,
        };
        Ok(Info {
            algorithm: Name(got.name),
            driver: Name(got.driver),
            kernel_only: operation.flags & abi::KERNEL_DRIVER_ONLY != 0,
        })
    }

    /// In place. The kernel passes the pages of `data` to the driver: they must hold no other data.
    pub(super) fn crypt(&self, session: u32, op: u16, mut iv: Iv, data: &mut [u8]) -> io::Result<()> {
        let (len, at) = (len_of(data)?, data.as_mut_ptr());
        // No flag to write the next IV back: not every driver updates the IV of the request.
        let mut operation: CryptOp<*mut u8> = empty();
        (operation.session, operation.op, operation.len) = (session, op, len);
        (operation.source, operation.destination) = (at, at);
        operation.iv = iv.as_mut_ptr();
        // SAFETY: `operation` is the structure of this ioctl and writable (the kernel writes its
        // flags); `data` is writable and `iv` readable.
        unsafe { self.ioctl(abi::CRYPT, from_mut(&mut operation).cast()) }
    }

    /// In place. The last `tag_len` bytes of `data` are the tag to verify, or its room. A wrong tag
    /// fails with EBADMSG.
    pub(super) fn auth_crypt(
        &self,
        session: u32,
        op: u16,
        mut iv: Iv,
        aad: &[u8],
        data: &mut [u8],
        tag_len: usize,
    ) -> io::Result<()> {
        let (all, tag, at) = (len_of(data)?, tag_len as u32, data.as_mut_ptr());
        let mut operation: CryptAuthOp<*mut u8> = empty();
        (operation.session, operation.op, operation.tag_len) = (session, op, tag);
        operation.len = if op == abi::ENCRYPT { all - tag } else { all };
        (operation.auth_len, operation.auth_source) = (len_of(aad)?, aad.as_ptr().cast_mut());
        (operation.source, operation.destination) = (at, at);
        operation.iv = iv.as_mut_ptr();
        // SAFETY: `operation` is the structure of this ioctl and writable; `data` is writable, `aad`
        // and `iv` are readable.
        unsafe { self.ioctl(abi::AUTHCRYPT, from_mut(&mut operation).cast()) }
    }

    /// The kernel passes the pages of the message to the driver and marks them as dirty.
    pub(super) fn hash(&self, session: u32, message: &mut [u8]) -> io::Result<[u8; 64]> {
        let mut digest = [0; 64];
        let mut operation: CryptOp<*mut u8> = empty();
        (operation.session, operation.op) = (session, abi::ENCRYPT);
        (operation.len, operation.source) = (len_of(message)?, message.as_mut_ptr());
        operation.mac = digest.as_mut_ptr();
        // SAFETY: `operation` is the structure of this ioctl and writable; `message` is readable, and
        // `digest` has room for any digest.
        unsafe { self.ioctl(abi::CRYPT, from_mut(&mut operation).cast()) }?;
        Ok(digest)
    }

    pub(super) fn free_session(&self, session: u32) {
        if self.is_ours() {
            // SAFETY: this ioctl reads a session's number. A session that has already ended needs
            // no action.
            let _ = unsafe { self.ioctl(abi::FSESSION, from_ref(&session).cast_mut().cast()) };
        }
    }

    /// # Safety
    /// `with` points to the structure of the ioctl `number`, and every pointer in it is valid as
    /// its field requires.
    unsafe fn ioctl(&self, number: libc::Ioctl, with: *mut libc::c_void) -> io::Result<()> {
        // SAFETY: the caller guarantees it.
        check(unsafe { libc::ioctl(self.device.fd(), number, with) }).map(drop)
    }
}

fn len_of(bytes: &[u8]) -> io::Result<u32> {
    u32::try_from(bytes.len()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

fn open() -> io::Result<Descriptor> {
    let path = c"/dev/crypto";
    // SAFETY: the path ends with NUL.
    Descriptor::own(unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) })
}

trait Empty {}
impl Empty for SessionOp<*const u8> {}
impl Empty for SessionInfoOp {}
impl Empty for CryptOp<*mut u8> {}
impl Empty for CryptAuthOp<*mut u8> {}

/// Zeroes the padding too: the kernel copies a whole structure, and valgrind checks every byte.
fn empty<T: Empty>() -> T {
    // SAFETY: the fields are integers and raw pointers that are not dereferenced.
    unsafe { zeroed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Name {
        /// A name padded with NUL bytes, as the kernel returns it.
        pub(in super::super) fn of(text: &str) -> Name {
            let mut room = [0; MAX_NAME];
            room[..text.len()].copy_from_slice(text.as_bytes());
            Name(room)
        }
    }

    #[test]
    fn a_name_is_exactly_what_stands_before_its_nul() {
        let name = Name::of("mv-cbc-aes");
        assert!(name.is("mv-cbc-aes") && !name.is("mv-cbc-aes2") && !name.is("mv-cbc") && !name.is(""));
        assert_eq!(name.to_string(), "mv-cbc-aes");
        assert!(Name::of("").is(""));
        let long = "x".repeat(MAX_NAME);
        assert!(Name::of(&long).is(&long) && !Name::of(&long).is(&format!("{long}x")));
    }
}
