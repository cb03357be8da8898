//! Makes allocations of the provider or of libcrypto fail: of its code only, by its entries for
//! malloc(3) and the related functions in the global offset table.
//!
//! Only for 64-bit architectures whose relocations have addends (ELF-64, Elf64_Rela).

use std::ffi::{CStr, CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Numbers of elf.h.
const PT_DYNAMIC: u32 = 2;
const DT_PLTRELSZ: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_JMPREL: u64 = 23;

/// `Elf64_Dyn`
#[repr(C)]
struct Dynamic {
    tag: u64,
    value: u64,
}

/// `Elf64_Rela`
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

/// `Elf64_Sym`
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

/// Which allocations fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// None: they are counted.
    Nothing,
    /// The one with this number, counted from 1.
    Single(usize),
    /// That with this number and all that follow.
    From(usize),
}

/// A shared object in this process, whose allocations can be made to fail.
pub struct ObjectMemory(());

static IS_ACTIVE: AtomicBool = AtomicBool::new(false);
static FIRST: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicUsize = AtomicUsize::new(0);
/// In memory that is shared with child processes.
static COUNT: AtomicPtr<AtomicUsize> = AtomicPtr::new(null_mut());

impl ObjectMemory {
    /// Loads the object, or finds it, and replaces its functions.
    #[track_caller]
    pub fn of(module: &Path) -> ObjectMemory {
        assert_eq!(size_of::<usize>(), size_of::<u64>(), "this test reads the tables of 64-bit files");
        let path = CString::new(module.as_os_str().as_bytes()).expect("a path without NUL");
        // SAFETY: both may be loaded by any process; they stay loaded.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null(), "{} can be loaded", module.display());
        if COUNT.load(Ordering::Relaxed).is_null() {
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
            // SAFETY: a new mapping, which is never unmapped.
            let page = unsafe { libc::mmap(null_mut(), size_of::<AtomicUsize>(), protection, flags, -1, 0) };
            assert_ne!(page, libc::MAP_FAILED, "a page");
            COUNT.store(page.cast(), Ordering::Relaxed);
        }
        let mut found = Found { path: module.as_os_str().as_bytes(), replaced: 0 };
        // SAFETY: the callback gets `found`, which lives through the call.
        unsafe { libc::dl_iterate_phdr(Some(replace_functions), (&raw mut found).cast()) };
        assert!(found.replaced > 0, "no function of {} was found", module.display());
        ObjectMemory(())
    }

    /// Runs `body` with allocations that fail. Returns its result and the number of allocations.
    pub fn with<T>(&self, failing: Failing, body: impl FnOnce() -> T) -> (T, usize) {
        let (first, last) = match failing {
            Failing::Nothing => (usize::MAX, 0),
            Failing::Single(number) => (number, number),
            Failing::From(number) => (number, usize::MAX),
        };
        FIRST.store(first, Ordering::Relaxed);
        LAST.store(last, Ordering::Relaxed);
        count().store(0, Ordering::Relaxed);
        IS_ACTIVE.store(true, Ordering::Relaxed);
        let result = body();
        IS_ACTIVE.store(false, Ordering::Relaxed);
        (result, self.count())
    }

    /// The number of allocations of the last [`with`](Self::with), also of one in a child process.
    pub fn count(&self) -> usize {
        count().load(Ordering::Relaxed)
    }
}

fn count() -> &'static AtomicUsize {
    // SAFETY: the page that `of` mapped.
    unsafe { &*COUNT.load(Ordering::Relaxed) }
}

/// Whether the allocation that begins fails.
fn fails() -> bool {
    if !IS_ACTIVE.load(Ordering::Relaxed) {
        return false;
    }
    let number = count().fetch_add(1, Ordering::Relaxed) + 1;
    (FIRST.load(Ordering::Relaxed)..=LAST.load(Ordering::Relaxed)).contains(&number)
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    if fails() { null_mut() } else { unsafe { libc::malloc(size) } }
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    if fails() { null_mut() } else { unsafe { libc::calloc(count, size) } }
}

unsafe extern "C" fn realloc(at: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    if fails() { null_mut() } else { unsafe { libc::realloc(at, size) } }
}

unsafe extern "C" fn posix_memalign(at: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    if fails() { libc::ENOMEM } else { unsafe { libc::posix_memalign(at, alignment, size) } }
}

/// The replacement of a function.
fn replacement(name: &CStr) -> Option<*const c_void> {
    match name.to_bytes() {
        b"malloc" => Some(malloc as *const c_void),
        b"calloc" => Some(calloc as *const c_void),
        b"realloc" => Some(realloc as *const c_void),
        b"posix_memalign" => Some(posix_memalign as *const c_void),
        _ => None,
    }
}

struct Found<'p> {
    path: &'p [u8],
    replaced: usize,
}

/// The callback of dl_iterate_phdr(3).
unsafe extern "C" fn replace_functions(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    found: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes a valid description, and the argument of `of`.
    unsafe {
        let (info, found) = (&*info, &mut *found.cast::<Found<'_>>());
        if CStr::from_ptr(info.dlpi_name).to_bytes() != found.path {
            return 0;
        }
        let base = info.dlpi_addr as usize;
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let dynamic = headers.iter().find(|header| header.p_type == PT_DYNAMIC).expect("a dynamic section");
        let rows = (base + dynamic.p_vaddr as usize) as *const Dynamic;
        let value =
            |tag| (0..).map(|at| &*rows.add(at)).take_while(|row| row.tag != 0).find(|row| row.tag == tag);
        let value = |tag| value(tag).map(|row| row.value as usize);
        // The loader has relocated the addresses of these tables.
        let (names, symbols) = (value(DT_STRTAB).expect("names"), value(DT_SYMTAB).expect("symbols"));
        for (table, size) in [(DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)] {
            let (Some(table), Some(size)) = (value(table), value(size)) else { continue };
            let relocations =
                std::slice::from_raw_parts(table as *const Relocation, size / size_of::<Relocation>());
            for relocation in relocations {
                let symbol = &*(symbols as *const Symbol).add((relocation.info >> 32) as usize);
                let name = CStr::from_ptr((names + symbol.name as usize) as *const _);
                if let Some(function) = replacement(name) {
                    write_entry(base + relocation.offset as usize, function);
                    found.replaced += 1;
                }
            }
        }
    }
    1
}

/// Writes an entry of the table, which the loader has made read-only.
unsafe fn write_entry(entry: usize, function: *const c_void) {
    // SAFETY: the entry is a pointer in a mapped page of the object.
    unsafe {
        let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let at = (entry & !(page - 1)) as *mut c_void;
        assert_eq!(libc::mprotect(at, page, libc::PROT_READ | libc::PROT_WRITE), 0, "mprotect");
        (entry as *mut *const c_void).write(function);
        libc::mprotect(at, page, libc::PROT_READ);
    }
}
