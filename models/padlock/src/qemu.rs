//! The parts of QEMU's plugin interface, version 7, and of GLib that the plugin uses. Debian has no
//! package with qemu-plugin.h.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// An array of GLib: GByteArray and GArray begin with these.
#[repr(C)]
pub(crate) struct Array {
    pub(crate) data: *mut u8,
    pub(crate) len: c_uint,
}

/// A register of a vCPU.
#[repr(C)]
pub(crate) struct RegisterDescriptor {
    pub(crate) handle: *mut c_void,
    pub(crate) name: *const c_char,
    pub(crate) feature: *const c_char,
    pub(crate) is_readonly: bool,
}

/// Callbacks with a vCPU's index.
pub(crate) type OnVcpu = extern "C" fn(c_uint, *mut c_void);
/// Callback for a translated block.
pub(crate) type OnBlock = extern "C" fn(*mut c_void, *mut c_void);

/// The callback reads and writes registers, and may set the program counter.
pub(crate) const READS_AND_WRITES_ALL: c_int = 3;

unsafe extern "C" {
    pub(crate) fn g_byte_array_new() -> *mut Array;
    pub(crate) fn g_byte_array_append(array: *mut Array, data: *const u8, len: c_uint) -> *mut Array;
    pub(crate) fn g_byte_array_free(array: *mut Array, frees_data: c_int) -> *mut u8;

    pub(crate) fn qemu_plugin_register_vcpu_init_cb(plugin: u64, call: OnVcpu, data: *mut c_void);
    pub(crate) fn qemu_plugin_register_vcpu_tb_trans_cb(plugin: u64, call: OnBlock, data: *mut c_void);
    pub(crate) fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut c_void,
        call: OnVcpu,
        flags: c_int,
        data: *mut c_void,
    );
    pub(crate) fn qemu_plugin_tb_n_insns(block: *const c_void) -> usize;
    pub(crate) fn qemu_plugin_tb_vaddr(block: *const c_void) -> u64;
    pub(crate) fn qemu_plugin_tb_get_insn(block: *const c_void, index: usize) -> *mut c_void;
    pub(crate) fn qemu_plugin_insn_data(instruction: *const c_void, bytes: *mut c_void, len: usize) -> usize;
    pub(crate) fn qemu_plugin_insn_vaddr(instruction: *const c_void) -> u64;
    pub(crate) fn qemu_plugin_get_registers() -> *mut Array;
    pub(crate) fn qemu_plugin_read_register(register: *mut c_void, bytes: *mut Array) -> bool;
    pub(crate) fn qemu_plugin_write_register(register: *mut c_void, bytes: *mut Array) -> bool;
    pub(crate) fn qemu_plugin_read_memory_vaddr(at: u64, bytes: *mut Array, len: usize) -> bool;
    pub(crate) fn qemu_plugin_write_memory_vaddr(at: u64, bytes: *mut Array) -> bool;
    /// Continues at another address. Does not return: it unwinds by longjmp(3).
    pub(crate) fn qemu_plugin_set_pc(at: u64) -> !;
}
