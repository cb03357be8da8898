//! Users of drivers within the kernel: kTLS and IPsec at work, while interrupts of accelerators are
//! counted.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::process::Command;
use std::thread;

use outboard_drivers::interrupts::accelerator_interrupts;
use outboard_drivers::root::Root;

use crate::command::status_and_output;

/// The bytes that each user processes.
pub const AMOUNT: usize = 64 << 10;

/// The interrupts of the accelerator while `work` runs, and what it returns.
pub fn watched<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let now = || accelerator_interrupts(&Root::live()).expect("/proc/interrupts").total();
    let before = now();
    let result = work();
    (now() - before, result)
}

/// Sends records of TLS 1.2 with AES-128-GCM that the kernel encrypts (tls(7) of the kernel's
/// Documentation/networking). Fails with the missing part.
pub fn send_over_ktls() -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut sender = TcpStream::connect(address).expect("a connection");
    let (mut receiver, _) = listener.accept().expect("a connection");
    set(&sender, libc::IPPROTO_TCP, libc::TCP_ULP, b"tls\0")
        .map_err(|error| format!("the kernel module tls ({error})"))?;
    // struct tls12_crypto_info_aes_gcm_128: version, cipher, iv, key, salt, record number.
    let mut info = vec![0x03, 0x03, 51, 0];
    info[..2].copy_from_slice(&0x0303_u16.to_ne_bytes());
    info[2..].copy_from_slice(&51_u16.to_ne_bytes());
    info.extend([1; 8 + 16 + 4 + 8]);
    set(&sender, libc::SOL_TLS, libc::TLS_TX, &info).expect("the kernel takes the keys");
    let reader = thread::spawn(move || {
        let mut received = Vec::new();
        receiver.read_to_end(&mut received).expect("records");
        received
    });
    let text = vec![7; AMOUNT];
    sender.write_all(&text).expect("records are sent");
    drop(sender);
    let received = reader.join().expect("a reader");
    assert!(
        received.len() > AMOUNT && !received.windows(64).any(|part| part == &text[..64]),
        "it is encrypted"
    );
    Ok(())
}

fn set(socket: &TcpStream, level: i32, option: i32, value: &[u8]) -> std::io::Result<()> {
    let len = value.len().try_into().expect("a short value");
    // SAFETY: the descriptor is open, and `value` is readable for `len` bytes.
    match unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value.as_ptr().cast(), len) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Two network namespaces with a tunnel between them, until dropped.
pub struct Network;

const LEFT: &str = "198.18.9.1";
const RIGHT: &str = "198.18.9.2";

impl Network {
    /// Creates them, with keys for AES-128-CBC and HMAC-SHA-256.
    #[track_caller]
    #[expect(clippy::new_without_default, reason = "it changes the system")]
    pub fn new() -> Network {
        // What an interrupted run left.
        let _ = Command::new("ip").args(["netns", "del", "obL"]).output();
        let _ = Command::new("ip").args(["netns", "del", "obR"]).output();
        let network = Network;
        shell(
            "ip netns add obL; ip netns add obR; ip link add ob0 netns obL type veth peer name ob0 netns obR",
        );
        for (name, own) in [("obL", LEFT), ("obR", RIGHT)] {
            shell(&format!("ip -n {name} addr add {own}/24 dev ob0; ip -n {name} link set ob0 up"));
            for (from, to, spi) in [(LEFT, RIGHT, 0x1001), (RIGHT, LEFT, 0x1002)] {
                let (cipher, mac) = ("11".repeat(16), "22".repeat(32));
                let direction = if from == own { "out" } else { "in" };
                shell(&format!(
                    "ip -n {name} xfrm state add src {from} dst {to} proto esp spi {spi} mode transport \
                     auth-trunc 'hmac(sha256)' 0x{mac} 128 enc 'cbc(aes)' 0x{cipher}; \
                     ip -n {name} xfrm policy add src {from} dst {to} dir {direction} \
                     tmpl src {from} dst {to} proto esp mode transport"
                ));
            }
        }
        network
    }

    /// Sends packets through the tunnel and receives the answers.
    pub fn ping(&self) -> std::process::Output {
        let arguments = ["netns", "exec", "obL", "busybox", "ping", "-c", "3", "-s", "1200", RIGHT];
        Command::new("ip").args(arguments).output().expect("ip runs")
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", "obL"]).output();
        let _ = Command::new("ip").args(["netns", "del", "obR"]).output();
    }
}

/// Runs a script that must succeed; its output.
#[track_caller]
pub fn shell(script: &str) -> String {
    let output = Command::new("sh").args(["-ec", script]).output().expect("sh runs");
    assert!(output.status.success(), "{script}: {}", status_and_output(&output));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Runs a script with a device of dm-crypt, whose node is in `$NODE`. Without udev dmsetup makes no
/// node in /dev/mapper, and a script that wrote there would write a file; the kernel makes the node.
#[track_caller]
pub fn with_dm_crypt(table: &str, script: &str) -> String {
    shell(&format!(
        "modprobe -q dm-crypt; dmsetup create --noudevsync --noudevrules outboard-test --table '{table}'; \
         NODE=/dev/dm-$(dmsetup info -c --noheadings -o minor outboard-test | tr -d ' '); test -b $NODE; \
         {script}; dmsetup remove --noudevsync outboard-test"
    ))
}
