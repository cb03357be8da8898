//! The instructions, executed by the model of QEMU's plugin (models/padlock). This CPU does not have
//! them: the handler of SIGILL does their work on the registers.

use std::mem::zeroed;
use std::ptr::{copy_nonoverlapping, null_mut};
use std::sync::Once;

use libc::{REG_RAX, REG_RBX, REG_RCX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, c_int, c_void, siginfo_t};
use outboard_model_padlock::crypt::{self, Mode};
use outboard_model_padlock::hash::{self, Function};
use outboard_model_padlock::memory::{Memory, Registers};

use super::*;
use crate::check::{check_hash_seeded, check_seeded};
use crate::{Direction, Request};

/// The registers in the order of `Registers`.
const ORDER: [c_int; 6] = [REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI];

/// The memory of this process.
struct Own;

impl Memory for Own {
    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Option<()> {
        // SAFETY: the operands of an instruction that is tested are in this process.
        unsafe { copy_nonoverlapping(at as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Some(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> Option<()> {
        // SAFETY: as above.
        unsafe { copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
        Some(())
    }
}

extern "C" fn emulate(_: c_int, _: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel's context of a signal, whose instruction pointer is at an instruction.
    let (registers, code) = unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let code = *(registers[REG_RIP as usize] as *const [u8; 4]);
        (registers, code)
    };
    let [ax, bx, cx, dx, si, di] = ORDER.map(|one| registers[one as usize] as u64);
    let mut after = Registers { ax, bx, cx, dx, si, di };
    let done = match code {
        [0xf3, 0x0f, 0xa7, mode] => {
            Mode::of(mode).and_then(|mode| crypt::execute(mode, &mut after, &mut Own)).map(drop)
        }
        [0xf3, 0x0f, 0xa6, of] => {
            Function::of(of).and_then(|of| hash::execute(of, false, &mut after, &mut Own))
        }
        _ => None,
    };
    if done.is_none() {
        std::process::abort();
    }
    for (one, value) in ORDER.into_iter().zip([after.ax, after.bx, after.cx, after.dx, after.si, after.di]) {
        registers[one as usize] = value as i64;
    }
    registers[REG_RIP as usize] += 4;
}

fn unit<A>(driver: &str, algorithm: A) -> Padlock<A> {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // SAFETY: the handler has the type that SA_SIGINFO requires.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = emulate as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            assert_eq!(libc::sigaction(libc::SIGILL, &action, null_mut()), 0);
        }
    });
    Padlock { name: driver.into(), algorithm }
}

#[test]
fn every_mode_and_key_length_is_exact() {
    for algorithm in [Algorithm::EcbAes, Algorithm::CbcAes, Algorithm::CtrAes] {
        let padlock = unit("padlock-test", algorithm);
        examples(&padlock, algorithm).unwrap_or_else(|fault| panic!("{algorithm:?}: {fault}"));
        let checked = check_seeded(&padlock, algorithm, 7);
        let checked = checked.unwrap_or_else(|fault| panic!("{algorithm:?}: {fault}"));
        assert!(checked.requests > 100, "{checked:?}");
    }
}

#[test]
fn every_digest_is_exact() {
    for hash in [Hash::Sha1, Hash::Sha256] {
        let (padlock, algorithm) = (unit("padlock-test", hash), HashAlgorithm { hash, hmac: false });
        hash_examples(&padlock, algorithm).unwrap_or_else(|fault| panic!("{hash:?}: {fault}"));
        check_hash_seeded(&padlock, algorithm, 7).unwrap_or_else(|fault| panic!("{hash:?}: {fault}"));
    }
}

#[test]
fn counter_blocks_become_key_stream_only_in_ecb_mode() {
    let ecb = unit("padlock-test", Algorithm::EcbAes);
    let mut session = ecb.open(&[5; 32]).expect("a session");
    let counters = vec![0x11; 64 * 1024];
    session
        .submit_counters(counters.len(), &mut |room| room.copy_from_slice(&counters))
        .expect("a submission");
    let stream = session.result(0).expect("key stream").to_vec();
    let request = Request::new(Direction::Encrypt, &[], &counters);
    assert_eq!(session.crypt(&request).expect("a result"), stream);
    let mut cbc = unit("padlock-test", Algorithm::CbcAes).open(&[5; 16]).expect("a session");
    assert!(cbc.submit_counters(16, &mut |_| ()).is_err());
    assert!(ecb.computes_key_stream() && !unit("padlock-test", Algorithm::CbcAes).computes_key_stream());
}

#[test]
fn a_cpu_without_the_unit_executes_nothing() {
    let error = Padlock::reach("padlock-none", Algorithm::CbcAes).err().expect("no unit").to_string();
    assert!(error.contains("CPU instructions does not reach driver padlock-none"), "{error}");
}
