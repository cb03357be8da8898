//! Finds the instructions in translated code and executes them.

use std::collections::hash_map::RandomState;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::hash::{BuildHasher, Hasher};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::cpuid::{self, Counts, DAMAGE};
use crate::crypt::{self, Mode};
use crate::hash::{self, Function};
use crate::memory::{Memory, Registers};
use crate::qemu::*;

/// The version of the interface that QEMU looks for.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "QEMU's name")]
pub static qemu_plugin_version: c_int = 7;

/// vCPUs that are told apart.
const CPUS: usize = 16;

/// The registers by their numbers in [`Cpu`].
const NAMES: [&CStr; 7] = [c"rax", c"rbx", c"rcx", c"rdx", c"rsi", c"rdi", c"rip"];
const PC: usize = 6;

struct Cpu {
    registers: [AtomicPtr<c_void>; 7],
    /// The key in the unit, and whether EFLAGS was written since it was loaded.
    loaded: Mutex<Option<Loaded>>,
}

struct Loaded {
    key: [u8; 36],
    is_old: bool,
}

static ALL: [Cpu; CPUS] =
    [const { Cpu { registers: [const { AtomicPtr::new(null_mut()) }; 7], loaded: Mutex::new(None) } }; CPUS];
static COUNTS: Mutex<Counts> = Mutex::new(Counts { crypts: 0, blocks: 0, hashes: 0, stale: 0 });

/// Whether results are wrong.
static DAMAGES: AtomicBool = AtomicBool::new(false);

/// An instruction in a translated block.
struct Place {
    instruction: Instruction,
    /// Its length in bytes.
    len: u64,
    /// Its address when it was translated.
    at: u64,
    /// The same from the start of the page in which the block begins. Blocks are shared by all
    /// mappings of a page, and the program counter has the right page only.
    in_page: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Instruction {
    Cpuid,
    Crypt(Mode),
    Hash(Function),
    /// XSTORE: random bytes.
    Store,
    /// POPF right after PUSHF: the unit loads its next key.
    Reload,
}

impl Instruction {
    /// The instruction at the start of `bytes`, and its length. `before`: that before it.
    fn of(bytes: &[u8], before: &[u8]) -> Option<(Instruction, u64)> {
        Some(match bytes {
            [0x0f, 0xa2, ..] => (Instruction::Cpuid, 2),
            [0xf3, 0x0f, 0xa7, mode, ..] => (Instruction::Crypt(Mode::of(*mode)?), 4),
            [0xf3, 0x0f, 0xa6, function, ..] => (Instruction::Hash(Function::of(*function)?), 4),
            [0x0f, 0xa7, 0xc0, ..] => (Instruction::Store, 3),
            [0x9d, ..] if before.first() == Some(&0x9c) => (Instruction::Reload, 1),
            _ => return None,
        })
    }
}

/// A byte array of GLib.
struct Bytes(*mut Array);

impl Bytes {
    fn new(bytes: &[u8]) -> Bytes {
        // SAFETY: `bytes` is readable for its length.
        Bytes(unsafe { g_byte_array_append(g_byte_array_new(), bytes.as_ptr(), bytes.len() as c_uint) })
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: the array lives as long as this, and an empty one may have no memory.
        unsafe {
            match (*self.0).len {
                0 => &[],
                len => std::slice::from_raw_parts((*self.0).data, len as usize),
            }
        }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe { g_byte_array_free(self.0, 1) };
    }
}

/// The vCPU that runs the callback.
struct Current(&'static Cpu);

impl Current {
    fn register(&self, number: usize) -> u64 {
        let bytes = Bytes::new(&[]);
        // SAFETY: the handle is of this vCPU, and the callback was registered for reading.
        unsafe { qemu_plugin_read_register(self.0.registers[number].load(Ordering::Relaxed), bytes.0) };
        bytes.as_slice().iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }

    fn set(&self, number: usize, value: u64) {
        let bytes = Bytes::new(&value.to_le_bytes());
        // SAFETY: as above, and for writing; no register is longer.
        unsafe { qemu_plugin_write_register(self.0.registers[number].load(Ordering::Relaxed), bytes.0) };
    }

    fn registers(&self) -> Registers {
        let [ax, bx, cx, dx, si, di] = [0, 1, 2, 3, 4, 5].map(|number| self.register(number));
        Registers { ax, bx, cx, dx, si, di }
    }

    fn set_registers(&self, new: Registers) {
        let values = [new.ax, new.bx, new.cx, new.dx, new.si, new.di];
        values.into_iter().enumerate().for_each(|(number, value)| self.set(number, value));
    }

    /// The address of the instruction, if it is there.
    fn address(&mut self, place: &Place) -> Option<u64> {
        let by_page = (self.register(PC) & !0xfff) + place.in_page;
        // In real mode the register is an offset within a segment.
        [by_page, place.at].into_iter().find(|at| {
            let mut bytes = [0; 4];
            let is_read = self.read(*at, &mut bytes[..place.len as usize]).is_some();
            is_read && Instruction::of(&bytes, &[]) == Some((place.instruction, place.len))
        })
    }

    /// Executes the instruction. `None` leaves it to QEMU, which does not have it: the program gets
    /// an invalid opcode.
    fn execute(&mut self, instruction: Instruction) -> Option<()> {
        let mut registers = self.registers();
        let outcome = match instruction {
            Instruction::Cpuid => {
                let counts = *COUNTS.lock().ok()?;
                if registers.ax as u32 == DAMAGE {
                    DAMAGES.store(registers.cx as u32 == 1, Ordering::Relaxed);
                }
                let [a, b, c, d] = cpuid::leaf(registers.ax as u32, &counts)?.map(u64::from);
                registers = Registers { ax: a, bx: b, cx: c, dx: d, ..registers };
                Some(())
            }
            Instruction::Crypt(mode) => {
                let is_stale = self.load_key(&registers)?;
                let blocks = crypt::execute(mode, &mut registers, self);
                self.damage(registers.di.wrapping_sub(1));
                let mut counts = COUNTS.lock().ok()?;
                counts.crypts = counts.crypts.wrapping_add(1);
                counts.stale = counts.stale.wrapping_add(u32::from(is_stale));
                counts.blocks = counts.blocks.wrapping_add(blocks.unwrap_or(0) as u32);
                blocks.map(|_| ())
            }
            Instruction::Hash(function) => {
                let whole_blocks = registers.ax as u32 == u32::MAX;
                let done = hash::execute(function, whole_blocks, &mut registers, self);
                self.damage(registers.di);
                let mut counts = COUNTS.lock().ok()?;
                counts.hashes = counts.hashes.wrapping_add(1);
                done
            }
            Instruction::Store => {
                let random = RandomState::new().build_hasher().finish();
                self.write(registers.di, &random.to_le_bytes())?;
                // Eight bytes, and the generator is on.
                registers = Registers { ax: 8 | 1 << 6, di: registers.di + 8, ..registers };
                Some(())
            }
            Instruction::Reload => return None,
        };
        self.set_registers(registers);
        outcome
    }

    /// Flips a bit of a result, if results are to be wrong.
    fn damage(&mut self, at: u64) {
        let mut byte = [0];
        if DAMAGES.load(Ordering::Relaxed) && self.read(at, &mut byte).is_some() {
            self.write(at, &[byte[0] ^ 0x10]);
        }
    }

    /// Whether the unit would have used another key.
    fn load_key(&mut self, registers: &Registers) -> Option<bool> {
        let mut key = [0; 36];
        self.read(registers.dx, &mut key[..4])?;
        self.read(registers.bx, &mut key[4..])?;
        let mut loaded = self.0.loaded.lock().ok()?;
        let is_stale = loaded.as_ref().is_some_and(|loaded| !loaded.is_old && loaded.key != key);
        *loaded = Some(Loaded { key, is_old: false });
        Some(is_stale)
    }
}

impl Memory for Current {
    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Option<()> {
        let read = Bytes::new(&[]);
        // SAFETY: the callback runs in the vCPU's context.
        if !unsafe { qemu_plugin_read_memory_vaddr(at, read.0, bytes.len()) } {
            return None;
        }
        bytes.copy_from_slice(read.as_slice().get(..bytes.len())?);
        Some(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> Option<()> {
        let bytes = Bytes::new(bytes);
        // SAFETY: as above.
        unsafe { qemu_plugin_write_memory_vaddr(at, bytes.0) }.then_some(())
    }
}

extern "C" fn started(cpu: c_uint, _: *mut c_void) {
    let Some(cpu) = ALL.get(cpu as usize) else { return };
    // SAFETY: called for a vCPU that is being initialised.
    let found = unsafe { &*qemu_plugin_get_registers() };
    // SAFETY: an array of descriptors, whose strings stay.
    let found =
        unsafe { std::slice::from_raw_parts(found.data.cast::<RegisterDescriptor>(), found.len as usize) };
    for (place, name) in cpu.registers.iter().zip(NAMES) {
        // SAFETY: as above.
        let mut its = found.iter().filter(|one| unsafe { CStr::from_ptr(one.name) } == name);
        its.next().inspect(|one| place.store(one.handle, Ordering::Relaxed));
    }
}

extern "C" fn translated(block: *mut c_void, _: *mut c_void) {
    let mut before = [0; 4];
    // SAFETY: the block and its instructions are those of this call. A place lives as long as the
    // translated code, which is until QEMU ends.
    unsafe {
        for index in 0..qemu_plugin_tb_n_insns(block) {
            let instruction = qemu_plugin_tb_get_insn(block, index);
            let mut bytes = [0; 4];
            qemu_plugin_insn_data(instruction, bytes.as_mut_ptr().cast(), bytes.len());
            let at = qemu_plugin_insn_vaddr(instruction);
            // QEMU stops decoding before the last byte of an instruction that it does not have.
            if bytes[3] == 0 && matches!(bytes, [0xf3, 0x0f, 0xa6 | 0xa7, _] | [0x0f, 0xa7, ..]) {
                let _ = Current(&ALL[0]).read(at, &mut bytes);
            }
            if let Some((found, len)) = Instruction::of(&bytes, &before) {
                let in_page = at - (qemu_plugin_tb_vaddr(block) & !0xfff);
                let place = Box::into_raw(Box::new(Place { instruction: found, len, at, in_page }));
                qemu_plugin_register_vcpu_insn_exec_cb(
                    instruction,
                    executed,
                    READS_AND_WRITES_ALL,
                    place.cast(),
                );
            }
            before = bytes;
        }
    }
}

extern "C" fn executed(cpu: c_uint, place: *mut c_void) {
    // SAFETY: made by `translated`, and never freed.
    let place = unsafe { &*place.cast::<Place>() };
    if let Some(next) = next_address(cpu, place) {
        // SAFETY: nothing is alive here that must be dropped.
        unsafe { qemu_plugin_set_pc(next) }
    }
}

/// Executes the instruction. Where the program goes on; `None` to let QEMU execute it.
fn next_address(cpu: c_uint, place: &Place) -> Option<u64> {
    let mut current = Current(ALL.get(cpu as usize)?);
    if place.instruction == Instruction::Reload {
        if let Some(loaded) = current.0.loaded.lock().ok()?.as_mut() {
            loaded.is_old = true;
        }
        return None;
    }
    let at = current.address(place)?;
    current.execute(place.instruction)?;
    Some(at + place.len)
}

/// QEMU calls it when it loads the plugin.
#[unsafe(no_mangle)]
pub extern "C" fn qemu_plugin_install(plugin: u64, _: *const c_void, _: c_int, _: *mut *mut c_char) -> c_int {
    // SAFETY: the callbacks have the types that the interface requires.
    unsafe {
        qemu_plugin_register_vcpu_init_cb(plugin, started, null_mut());
        qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated, null_mut());
    }
    0
}
