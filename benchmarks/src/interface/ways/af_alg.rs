//! AF_ALG with the minimum of system calls: one sendmsg and one read. One request at a time, as its
//! users do.

use std::fs::File;
use std::io::Read;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::{from_mut, from_ref, null_mut};

use anyhow::{Context, Result, ensure};

use super::{Down, check};
use crate::known_answer::{IV, KEY, text};

/// Size of both control messages: the operation, then the IV after its length.
const CONTROL: usize = 20 + 4 + 16 + 20;

/// The request channel. The keyed socket must exist as long as the channel.
pub struct AfAlg {
    channel: File,
    _keyed: File,
    control: Control,
    text: Vec<u8>,
}

#[repr(C, align(8))]
struct Control([u8; CONTROL + 4]);

impl AfAlg {
    pub fn open(driver: &str) -> Result<AfAlg> {
        // SAFETY: no pointer is passed; this function is the only owner of the descriptor.
        let keyed = unsafe {
            File::from_raw_fd(
                check(libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0))? as i32,
            )
        };
        // SAFETY: an all-zero sockaddr_alg is a valid value.
        let mut address: libc::sockaddr_alg = unsafe { zeroed() };
        address.salg_family = libc::AF_ALG as libc::sa_family_t;
        address.salg_type[..8].copy_from_slice(b"skcipher");
        address.salg_name[..driver.len()].copy_from_slice(driver.as_bytes());
        let size = size_of::<libc::sockaddr_alg>() as libc::socklen_t;
        // SAFETY: the address is valid during the call.
        check(unsafe { libc::bind(keyed.as_raw_fd(), from_ref(&address).cast(), size) })
            .with_context(|| format!("this kernel's AF_ALG does not reach {driver}"))?;
        // SAFETY: the key is valid during the call.
        check(unsafe {
            libc::setsockopt(
                keyed.as_raw_fd(),
                libc::SOL_ALG,
                libc::ALG_SET_KEY,
                KEY.as_ptr().cast(),
                KEY.len() as u32,
            )
        })
        .context("setting the key")?;
        // SAFETY: AF_ALG has no peer address to return; this function is the only owner of the
        // descriptor.
        let channel = unsafe {
            File::from_raw_fd(check(libc::accept4(
                keyed.as_raw_fd(),
                null_mut(),
                null_mut(),
                libc::SOCK_CLOEXEC,
            ))? as i32)
        };
        Ok(AfAlg { channel, _keyed: keyed, control: control(), text: Vec::new() })
    }
}

/// Returns the control messages, which are the same for each request.
fn control() -> Control {
    let mut control = Control([0; CONTROL + 4]);
    // SAFETY: an all-zero msghdr is a valid value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    // SAFETY: the buffer is aligned and has space for both messages, so that no pointer is null.
    unsafe {
        let operation = libc::CMSG_FIRSTHDR(&message);
        (*operation).cmsg_level = libc::SOL_ALG;
        (*operation).cmsg_type = libc::ALG_SET_OP;
        (*operation).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(operation).cast::<u32>().write_unaligned(libc::ALG_OP_ENCRYPT as u32);
        let iv = libc::CMSG_NXTHDR(&message, operation);
        (*iv).cmsg_level = libc::SOL_ALG;
        (*iv).cmsg_type = libc::ALG_SET_IV;
        (*iv).cmsg_len = libc::CMSG_LEN(20) as _;
        libc::CMSG_DATA(iv).cast::<u32>().write_unaligned(16);
        libc::CMSG_DATA(iv).add(4).cast::<[u8; 16]>().write_unaligned(IV);
    }
    control
}

impl Down for AfAlg {
    fn prepare(&mut self, bytes: usize, _depth: usize) -> Result<()> {
        self.text = text(bytes);
        Ok(())
    }

    fn batch(&mut self) -> Result<()> {
        let mut part = libc::iovec { iov_base: self.text.as_mut_ptr().cast(), iov_len: self.text.len() };
        // SAFETY: an all-zero msghdr is a valid value.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_iov = from_mut(&mut part);
        message.msg_iovlen = 1;
        message.msg_control = self.control.0.as_mut_ptr().cast();
        message.msg_controllen = self.control.0.len() as _;
        // SAFETY: everything that the message points to is valid during the call.
        let sent = check(unsafe { libc::sendmsg(self.channel.as_raw_fd(), &message, libc::MSG_NOSIGNAL) })
            .context("sendmsg")?;
        let got = self.channel.read(&mut self.text).context("read")?;
        ensure!(sent as usize == self.text.len() && got == self.text.len(), "half a request: {sent}, {got}");
        Ok(())
    }

    fn result(&self, _index: usize) -> &[u8] {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_messages_have_their_room() {
        // SAFETY: CMSG_SPACE only computes sizes.
        let space = unsafe { libc::CMSG_SPACE(4) + libc::CMSG_SPACE(20) } as usize;
        assert_eq!(size_of::<Control>(), space);
    }
}
