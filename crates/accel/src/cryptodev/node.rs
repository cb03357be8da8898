//! The open device and its ioctls, each wrapped once.

use std::io;
use std::ptr::{from_mut, from_ref, null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use super::abi::{self, AlgInfo, CryptOp, MAX_NAME, SessionInfoOp, SessionOp};
use crate::descriptor::{Descriptor, check};
use crate::fork_mark::ForkMark;

/// Bytes that the kernel may read as an IV.
const IV: usize = 16;

/// The open device. Its sessions end with it.
pub(super) struct Node {
    device: Descriptor,
    mark: ForkMark,
    /// Counts the forks between the opening and this process.
    generation: AtomicU32,
}

/// What a session has got.
pub(super) struct Info {
    /// The kernel's name of the algorithm.
    pub(super) algorithm: String,
    /// The driver's name; cut off if it is longer than 63 bytes.
    pub(super) driver: String,
    /// The kernel marks it as a driver that only the kernel can use.
    pub(super) kernel_only: bool,
}

impl Node {
    pub(super) fn open() -> io::Result<Node> {
        Ok(Node { device: open()?, mark: ForkMark::new()?, generation: AtomicU32::new(0) })
    }

    /// Whether the application has left us the descriptor.
    pub(super) fn is_ours(&self) -> bool {
        self.device.is_ours()
    }

    /// Changes with every fork: what was made under another generation belongs to an ancestor.
    ///
    /// A child opens the device for itself, under the number that it has inherited: then its sessions end with it and
    /// not with its parent, and its parent's do not live on in it. Where it may not open it (privileges are gone, there
    /// is no /dev), it makes its sessions beside its parent's.
    pub(super) fn generation(&self) -> u32 {
        self.mark.settle(|| {
            if let Ok(fresh) = open() {
                self.device.become_another_opening(&fresh);
            }
            self.generation.fetch_add(1, Ordering::Relaxed);
        });
        self.generation.load(Ordering::Relaxed)
    }

    /// Makes a session for a key and answers its number, which is random.
    pub(super) fn new_session(&self, cipher: u32, key: &[u8]) -> io::Result<u32> {
        let key_len = u32::try_from(key.len()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
        let mut asked = SessionOp {
            cipher,
            mac: 0,
            key_len,
            key: key.as_ptr(),
            mac_key_len: 0,
            mac_key: null(),
            session: 0,
        };
        // SAFETY: the structure of this ioctl, which is written; `key` is readable for its length.
        unsafe { self.ioctl(abi::GSESSION, from_mut(&mut asked).cast()) }?;
        Ok(asked.session)
    }

    /// Asks which driver a session has got.
    pub(super) fn info(&self, session: u32) -> io::Result<Info> {
        const UNKNOWN: AlgInfo = AlgInfo { name: [0; MAX_NAME], driver: [0; MAX_NAME] };
        let mut asked = SessionInfoOp { session, cipher: UNKNOWN, hash: UNKNOWN, align_mask: 0, flags: 0 };
        // SAFETY: the structure of this ioctl, which is written.
        unsafe { self.ioctl(abi::GSESSINFO, from_mut(&mut asked).cast()) }?;
        Ok(Info {
            algorithm: text(&asked.cipher.name),
            driver: text(&asked.cipher.driver),
            kernel_only: asked.flags & abi::KERNEL_DRIVER_ONLY != 0,
        })
    }

    /// One request, in place. The kernel hands the pages of `data` to the driver: they must hold nothing else.
    pub(super) fn crypt(&self, session: u32, op: u16, iv: &[u8], data: &mut [u8]) -> io::Result<()> {
        let invalid = |_| io::Error::from_raw_os_error(libc::EINVAL);
        let len = u32::try_from(data.len()).map_err(invalid)?;
        // However long the driver's IVs are.
        let mut room = [0; IV];
        let given = iv.len().min(IV);
        room[..given].copy_from_slice(&iv[..given]);
        let at = data.as_mut_ptr();
        // No flag to have the next IV written back: it is part of the ciphertext, and not every driver updates its own.
        let mut asked: CryptOp<*mut u8> = CryptOp {
            session,
            op,
            flags: 0,
            len,
            source: at,
            destination: at,
            mac: null_mut(),
            iv: room.as_mut_ptr(),
        };
        // SAFETY: the structure of this ioctl, which is written (the flags); `data` is writable and `room` readable.
        unsafe { self.ioctl(abi::CRYPT, from_mut(&mut asked).cast()) }
    }

    /// Ends a session of this process's own.
    pub(super) fn free_session(&self, session: u32) {
        if self.is_ours() {
            // SAFETY: a number is what this ioctl reads. One that is gone already needs nothing more.
            let _ = unsafe { self.ioctl(abi::FSESSION, from_ref(&session).cast_mut().cast()) };
        }
    }

    /// # Safety
    /// `with` points to what `number` says, and all that it points to is as the structure's fields say.
    unsafe fn ioctl(&self, number: libc::Ioctl, with: *mut libc::c_void) -> io::Result<()> {
        // SAFETY: the caller's promise.
        check(unsafe { libc::ioctl(self.device.fd(), number, with) }).map(drop)
    }
}

fn open() -> io::Result<Descriptor> {
    let path = c"/dev/crypto";
    // SAFETY: the path ends with NUL.
    Descriptor::own(unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) })
}

/// A name up to its NUL.
fn text(name: &[u8; MAX_NAME]) -> String {
    let bytes = name.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_its_nul_or_with_its_room() {
        let mut name = [0; MAX_NAME];
        assert_eq!(text(&name), "");
        name[..10].copy_from_slice(b"mv-cbc-aes");
        assert_eq!(text(&name), "mv-cbc-aes");
        assert_eq!(text(&[b'x'; MAX_NAME]), "x".repeat(MAX_NAME));
    }
}
