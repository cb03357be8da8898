//! The socket calls of AF_ALG, each wrapped once.

use std::io;
use std::mem::{size_of, zeroed};

use crate::descriptor::{Descriptor, check, retry_interrupted};
use crate::mode::driver_iv;
use crate::{Algorithm, Direction, Request};

pub(super) struct Socket(Descriptor);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SocketType {
    Skcipher,
    Aead,
    Hash,
}

impl SocketType {
    fn name(self) -> &'static [u8] {
        match self {
            SocketType::Skcipher => b"skcipher",
            SocketType::Aead => b"aead",
            SocketType::Hash => b"hash",
        }
    }
}

/// `struct af_alg_iv` of linux/if_alg.h with room for the longest IV in use.
#[repr(C)]
struct AlgIv {
    ivlen: u32,
    iv: [u8; 16],
}

impl Socket {
    pub(super) fn new() -> io::Result<Socket> {
        // SAFETY: no pointer is passed.
        let fd = unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0) };
        Descriptor::own(fd).map(Socket)
    }

    pub(super) fn bind(&self, kind: SocketType, driver: &str) -> io::Result<()> {
        // SAFETY: an all-zero sockaddr_alg is a valid value.
        let mut address: libc::sockaddr_alg = unsafe { zeroed() };
        address.salg_family = libc::AF_ALG as libc::sa_family_t;
        address.salg_type[..kind.name().len()].copy_from_slice(kind.name());
        let name = driver.as_bytes();
        if name.len() >= address.salg_name.len() || name.contains(&0) {
            return Err(io::Error::from_raw_os_error(libc::ENOENT));
        }
        address.salg_name[..name.len()].copy_from_slice(name);
        // SAFETY: `address` lives through the call and its size is given.
        check(unsafe {
            libc::bind(
                self.0.fd(),
                std::ptr::from_ref(&address).cast(),
                size_of::<libc::sockaddr_alg>() as libc::socklen_t,
            )
        })
        .map(drop)
    }

    pub(super) fn set_key(&self, key: &[u8]) -> io::Result<()> {
        // SAFETY: `key` is readable for its length.
        check(unsafe {
            libc::setsockopt(
                self.0.fd(),
                libc::SOL_ALG,
                libc::ALG_SET_KEY,
                key.as_ptr().cast(),
                key.len() as libc::socklen_t,
            )
        })
        .map(drop)
    }

    /// ALG_SET_AEAD_AUTHSIZE
    pub(super) fn set_tag_len(&self, len: usize) -> io::Result<()> {
        // SAFETY: no pointer is passed; the length is the option.
        check(unsafe {
            libc::setsockopt(
                self.0.fd(),
                libc::SOL_ALG,
                libc::ALG_SET_AEAD_AUTHSIZE,
                std::ptr::null(),
                len as libc::socklen_t,
            )
        })
        .map(drop)
    }

    pub(super) fn accept(&self) -> io::Result<Socket> {
        // SAFETY: AF_ALG has no peer address to return.
        let fd = unsafe {
            libc::accept4(self.0.fd(), std::ptr::null_mut(), std::ptr::null_mut(), libc::SOCK_CLOEXEC)
        };
        Descriptor::own(fd).map(Socket)
    }

    /// SO_SNDBUF, as the kernel counts it.
    pub(super) fn send_room(&self) -> io::Result<usize> {
        let mut value: libc::c_int = 0;
        let mut len = size_of::<libc::c_int>() as libc::socklen_t;
        // SAFETY: both pointers are to locals of the sizes given.
        check(unsafe {
            libc::getsockopt(
                self.0.fd(),
                libc::SOL_SOCKET,
                libc::SO_SNDBUF,
                std::ptr::from_mut(&mut value).cast(),
                &mut len,
            )
        })?;
        Ok(usize::try_from(value).unwrap_or(0))
    }

    pub(super) fn is_ours(&self) -> bool {
        self.0.is_ours()
    }

    pub(super) fn send(&self, algorithm: Algorithm, request: &Request<'_>) -> io::Result<usize> {
        const NUMBER: u32 = size_of::<u32>() as u32;
        const IV: u32 = size_of::<AlgIv>() as u32;
        // SAFETY: these only compute sizes.
        const SPACE: usize = unsafe { (2 * libc::CMSG_SPACE(NUMBER) + libc::CMSG_SPACE(IV)) as usize };
        // SAFETY: as above.
        const WITHOUT_AAD: usize = SPACE - unsafe { libc::CMSG_SPACE(NUMBER) } as usize;
        #[repr(C, align(8))]
        struct Control([u8; SPACE]);

        let mut control = Control([0; SPACE]);
        let part =
            |data: &[u8]| libc::iovec { iov_base: data.as_ptr().cast_mut().cast(), iov_len: data.len() };
        let mut parts = [request.aad, request.head, request.input, request.tag].map(part);
        // SAFETY: an all-zero msghdr is a valid value.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_iov = parts.as_mut_ptr();
        message.msg_iovlen = parts.len() as _;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = if algorithm.has_tags() { SPACE } else { WITHOUT_AAD } as _;

        let operation = match request.direction {
            Direction::Encrypt => libc::ALG_OP_ENCRYPT,
            Direction::Decrypt => libc::ALG_OP_DECRYPT,
        };
        let (iv, ivlen) = driver_iv(algorithm, request.iv);
        let record = AlgIv { ivlen: ivlen as u32, iv };
        // SAFETY: the control buffer is aligned and has room for the records, so that no header
        // pointer is null and the data behind each is writable; what the request points to lives
        // through sendmsg.
        unsafe {
            let first = libc::CMSG_FIRSTHDR(&message);
            put(first, libc::ALG_SET_OP, operation as u32);
            let second = libc::CMSG_NXTHDR(&message, first);
            put(second, libc::ALG_SET_IV, record);
            if algorithm.has_tags() {
                let third = libc::CMSG_NXTHDR(&message, second);
                put(third, libc::ALG_SET_AEAD_ASSOCLEN, request.aad.len() as u32);
            }
        }
        // SAFETY: the message and all that it points to live through the call.
        retry_interrupted(|| unsafe { libc::sendmsg(self.0.fd(), &message, libc::MSG_NOSIGNAL) })
    }

    pub(super) fn hash(&self, message: &[u8]) -> io::Result<usize> {
        let (at, len, flags) = (message.as_ptr().cast(), message.len(), libc::MSG_NOSIGNAL);
        // SAFETY: `message` is readable for its length.
        retry_interrupted(|| unsafe { libc::send(self.0.fd(), at, len, flags) })
    }

    pub(super) fn receive(&self, into: &mut [u8]) -> io::Result<usize> {
        // SAFETY: `into` is writable for its length.
        retry_interrupted(|| unsafe { libc::read(self.0.fd(), into.as_mut_ptr().cast(), into.len()) })
    }
}

/// # Safety
/// `header` points to a writable control message header with room for `value` after it.
unsafe fn put<T>(header: *mut libc::cmsghdr, kind: libc::c_int, value: T) {
    // SAFETY: the caller guarantees it.
    unsafe {
        (*header).cmsg_level = libc::SOL_ALG;
        (*header).cmsg_type = kind;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<T>() as u32) as _;
        libc::CMSG_DATA(header).cast::<T>().write_unaligned(value);
    }
}
