//! Lets root create instances of templates, change their priority and remove them:
//! CRYPTO_MSG_NEWALG, UPDATEALG and DELALG (crypto/crypto_user.c), as crconf(8) does.

use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{RecvFlags, SendFlags, recv, sendto};

use super::Error;
use super::parse::{ALG, HEADER, NAME, NLMSG_ERROR, PRIORITY_VAL};
use super::socket::open;

const NEWALG: u16 = 0x10;
const DELALG: u16 = 0x11;
const UPDATEALG: u16 = 0x12;
const REQUEST_ACK: u16 = 0x0001 | 0x0004; // NLM_F_REQUEST | NLM_F_ACK
const SEQUENCE: u32 = 1;
/// CRYPTO_ALG_TYPE_SKCIPHER, and the masks with which the kernel requests it: since Linux 6.7, where
/// lskcipher was added, and before.
const SKCIPHER: u32 = 5;
const SKCIPHER_MASKS: [u32; 2] = [0xe, 0xf];
/// Attempts to create an instance that is being tested meanwhile.
const ATTEMPTS: u32 = 20;

/// The maximum length of a name in bytes. The kernel truncates longer names, and a truncated name
/// cannot be requested.
pub const LONGEST_NAME: usize = NAME - 1;

/// Creates the instance with a driver's name, such as
/// `authenc(hmac-sha256-lib,virtio_crypto_aes_cbc)`, unless it exists.
pub fn make(driver: &str) -> Result<(), Error> {
    add(&message(NEWALG, "", driver, 0, 0, None)?)
}

/// Creates the instance that the kernel would select for an algorithm without any of these flags,
/// unless there is one.
pub fn make_any(algorithm: &str, without: u32) -> Result<(), Error> {
    add(&message(NEWALG, algorithm, "", 0, without, None)?)
}

/// As [`make_any`] for a cipher that is not an AEAD. Some templates, such as essiv, exist for both
/// and need the type.
pub fn make_any_skcipher(algorithm: &str, without: u32) -> Result<(), Error> {
    let mut last = Ok(());
    for mask in SKCIPHER_MASKS {
        last = add(&message(NEWALG, algorithm, "", SKCIPHER, mask | without, None)?);
        if !matches!(last, Err(Error::System { errno: Errno::INVAL | Errno::NOENT, .. })) {
            break;
        }
    }
    last
}

/// Sets a driver's priority. Instances based on it are created again when they are next needed.
pub fn prefer(driver: &str, priority: i32) -> Result<(), Error> {
    ask("UPDATEALG", &message(UPDATEALG, "", driver, 0, 0, Some(priority))?)
}

/// Removes an instance. Fails with `EBUSY` while it is in use.
pub fn remove(driver: &str) -> Result<(), Error> {
    ask("DELALG", &message(DELALG, "", driver, 0, 0, None)?)
}

fn add(message: &[u8]) -> Result<(), Error> {
    let mut last = Ok(());
    for _ in 0..ATTEMPTS {
        last = match ask("NEWALG", message) {
            Err(Error::System { errno: Errno::EXIST, .. }) => Ok(()),
            other => other,
        };
        if !matches!(last, Err(Error::System { errno: Errno::AGAIN, .. })) {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    last
}

/// Sends a request, which the kernel completes before sendto(2) returns, and reads the
/// acknowledgement.
fn ask(call: &'static str, message: &[u8]) -> Result<(), Error> {
    let failed = move |errno| Error::System { call, errno };
    let socket = open()?;
    sendto(&socket, message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0)).map_err(failed)?;
    let mut answer = [0; 1024];
    let (length, _) = loop {
        match recv(&socket, &mut answer[..], RecvFlags::empty()) {
            Err(Errno::INTR) => {}
            other => break other.map_err(failed)?,
        }
    };
    match outcome(&answer[..length]).ok_or(Error::Malformed { at: 0, what: "no acknowledgement" })? {
        0 => Ok(()),
        code => Err(failed(Errno::from_raw_os_error(code.checked_neg().unwrap_or(1).clamp(1, 4095)))),
    }
}

/// The error number in an NLMSG_ERROR message; 0 is an acknowledgement (struct nlmsgerr).
fn outcome(answer: &[u8]) -> Option<i32> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let code = i32::from_ne_bytes(answer.get(HEADER..HEADER + 4)?.try_into().ok()?);
    (kind == NLMSG_ERROR).then_some(code)
}

fn message(
    kind: u16,
    algorithm: &str,
    driver: &str,
    alg_type: u32,
    mask: u32,
    priority: Option<i32>,
) -> Result<Vec<u8>, Error> {
    let mut body = vec![0; ALG];
    for (index, name) in [algorithm, driver].into_iter().enumerate() {
        if name.len() > LONGEST_NAME || name.contains('\0') {
            return Err(Error::System { call: "a name", errno: Errno::NAMETOOLONG });
        }
        body[index * NAME..index * NAME + name.len()].copy_from_slice(name.as_bytes());
    }
    // Three names, then type and mask.
    body[3 * NAME..3 * NAME + 4].copy_from_slice(&alg_type.to_ne_bytes());
    body[3 * NAME + 4..3 * NAME + 8].copy_from_slice(&mask.to_ne_bytes());
    if let Some(priority) = priority {
        body.extend(8_u16.to_ne_bytes());
        body.extend(PRIORITY_VAL.to_ne_bytes());
        body.extend(priority.to_ne_bytes());
    }
    let mut message = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
    message.extend(kind.to_ne_bytes());
    message.extend(REQUEST_ACK.to_ne_bytes());
    message.extend(SEQUENCE.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    message.extend(body);
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_crypto_user_reads_it() {
        let message = message(UPDATEALG, "cbc(aes)", "x", 5, 0x80, Some(401)).unwrap();
        assert_eq!(message.len(), HEADER + ALG + 8);
        assert_eq!(message[..4], (message.len() as u32).to_ne_bytes());
        assert_eq!((&message[16..25], &message[80..82]), (&b"cbc(aes)\0"[..], &b"x\0"[..]));
        assert_eq!(message[16 + 192..16 + 196], 5_u32.to_ne_bytes());
        assert_eq!(message[16 + 196..16 + 200], 0x80_u32.to_ne_bytes());
        assert_eq!(message[HEADER + ALG + 4..], 401_i32.to_ne_bytes());
    }

    #[test]
    fn a_name_that_would_be_cut_is_refused() {
        assert!(message(NEWALG, "", &"x".repeat(63), 0, 0, None).is_ok());
        for name in ["x".repeat(64), "a\0b".to_owned()] {
            assert!(message(NEWALG, "", &name, 0, 0, None).is_err());
        }
    }

    #[test]
    fn acknowledgements_and_refusals_are_told_apart() {
        let answer = |kind: u16, code: i32| {
            let mut bytes = vec![36, 0, 0, 0];
            bytes.extend(kind.to_ne_bytes());
            bytes.extend([0; 10]);
            bytes.extend(code.to_ne_bytes());
            bytes
        };
        assert_eq!(outcome(&answer(NLMSG_ERROR, 0)), Some(0));
        assert_eq!(outcome(&answer(NLMSG_ERROR, -16)), Some(-16));
        assert_eq!(outcome(&answer(3, 0)), None);
        assert_eq!(outcome(&answer(NLMSG_ERROR, 0)[..18]), None);
    }
}
