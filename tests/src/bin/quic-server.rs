//! A QUIC server that sends a file to one client and ends when the client has received it. Prints
//! a line when it listens. Usage: quic-server PORT CERTIFICATE KEY FILE. Exit code 77: this OpenSSL
//! has no QUIC server (it came with 3.5).

use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::io::Write;
use std::mem::transmute_copy;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::ptr::null_mut;

/// SSL_FILETYPE_PEM
const PEM: c_int = 1;

/// SSL_WRITE_FLAG_CONCLUDE: the stream ends after these bytes.
const CONCLUDE: u64 = 1;

/// SSL_TLSEXT_ERR_OK
const ACCEPTED: c_int = 0;

type Ssl = *mut c_void;
type SelectAlpn = unsafe extern "C" fn(Ssl, *mut *const u8, *mut u8, *const u8, c_uint, *mut c_void) -> c_int;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, certificate, key, file] = arguments.as_slice() else {
        eprintln!("usage: quic-server PORT CERTIFICATE KEY FILE");
        return ExitCode::from(2);
    };
    let text = std::fs::read(file).expect("the file");
    let socket = UdpSocket::bind(format!("127.0.0.1:{port}")).expect("the port");
    let [certificate, key] = [certificate, key].map(|path| CString::new(path.as_str()).expect("a path"));
    let names: [&CStr; 2] = [c"libssl.so.4", c"libssl.so.3"];
    // SAFETY: a name, and libssl's constructors require nothing of the caller.
    let libraries = names.map(|name| unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) });
    let Some(library) = libraries.into_iter().find(|library| !library.is_null()) else {
        eprintln!("there is no libssl");
        return ExitCode::from(77);
    };
    if find(library, c"OSSL_QUIC_server_method").is_null() {
        eprintln!("this libssl has no QUIC server");
        return ExitCode::from(77);
    }
    // SAFETY: the types are those of openssl/ssl.h and openssl/quic.h.
    unsafe {
        let method: unsafe extern "C" fn() -> *const c_void = function(library, c"OSSL_QUIC_server_method");
        let new: unsafe extern "C" fn(*const c_void) -> *mut c_void = function(library, c"SSL_CTX_new");
        let use_certificate: unsafe extern "C" fn(*mut c_void, *const libc::c_char) -> c_int =
            function(library, c"SSL_CTX_use_certificate_chain_file");
        let use_key: unsafe extern "C" fn(*mut c_void, *const libc::c_char, c_int) -> c_int =
            function(library, c"SSL_CTX_use_PrivateKey_file");
        let set_alpn: unsafe extern "C" fn(*mut c_void, SelectAlpn, *mut c_void) =
            function(library, c"SSL_CTX_set_alpn_select_cb");
        let listener: unsafe extern "C" fn(*mut c_void, u64) -> Ssl = function(library, c"SSL_new_listener");
        let set_fd: unsafe extern "C" fn(Ssl, c_int) -> c_int = function(library, c"SSL_set_fd");
        let listen: unsafe extern "C" fn(Ssl) -> c_int = function(library, c"SSL_listen");
        let accept: unsafe extern "C" fn(Ssl, u64) -> Ssl = function(library, c"SSL_accept_connection");
        let write: unsafe extern "C" fn(Ssl, *const u8, usize, u64, *mut usize) -> c_int =
            function(library, c"SSL_write_ex2");
        let shutdown: unsafe extern "C" fn(Ssl) -> c_int = function(library, c"SSL_shutdown");
        let free: unsafe extern "C" fn(Ssl) = function(library, c"SSL_free");
        let free_context: unsafe extern "C" fn(*mut c_void) = function(library, c"SSL_CTX_free");

        let context = new(method());
        assert!(!context.is_null(), "SSL_CTX_new");
        assert_eq!(use_certificate(context, certificate.as_ptr()), 1, "the certificate");
        assert_eq!(use_key(context, key.as_ptr(), PEM), 1, "the key");
        set_alpn(context, first_protocol, null_mut());
        let server = listener(context, 0);
        assert!(!server.is_null() && set_fd(server, socket.as_raw_fd()) == 1, "the listener");
        assert_eq!(listen(server), 1, "SSL_listen");
        println!("listens");
        std::io::stdout().flush().expect("standard output");
        let connection = accept(server, 0);
        assert!(!connection.is_null(), "SSL_accept_connection");
        let mut written = 0;
        let done = write(connection, text.as_ptr(), text.len(), CONCLUDE, &mut written);
        assert_eq!((done, written), (1, text.len()), "SSL_write_ex2");
        // Waits until all is acknowledged, and then for the end of the connection.
        while match shutdown(connection) {
            1 => false,
            0 => true,
            _ => panic!("SSL_shutdown"),
        } {}
        free(connection);
        free(server);
        free_context(context);
    }
    ExitCode::SUCCESS
}

/// Selects the client's first protocol.
unsafe extern "C" fn first_protocol(
    _: Ssl,
    selected: *mut *const u8,
    length: *mut u8,
    offered: *const u8,
    _: c_uint,
    _: *mut c_void,
) -> c_int {
    // SAFETY: libssl passes a list of at least one name, each preceded by its length.
    unsafe {
        *selected = offered.add(1);
        *length = *offered;
    }
    ACCEPTED
}

fn find(library: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: the handle is open and the name is a C string.
    unsafe { libc::dlsym(library, name.as_ptr()) }
}

/// A function of libssl.
///
/// # Safety
/// `F` is a pointer to a function of its type.
unsafe fn function<F>(library: *mut c_void, name: &CStr) -> F {
    let address = find(library, name);
    assert!(!address.is_null(), "libssl has no {name:?}");
    assert_eq!(size_of::<F>(), size_of_val(&address));
    // SAFETY: guaranteed by the caller; both have the size of a pointer.
    unsafe { transmute_copy(&address) }
}
