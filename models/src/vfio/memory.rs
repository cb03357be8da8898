//! The machine's memory, as QEMU passes it: files, of which a part is visible at an address.

use std::os::fd::OwnedFd;
use std::ptr::{NonNull, copy_nonoverlapping};

use rustix::fs::fstat;
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// What a device can reach by DMA.
#[derive(Default)]
pub struct Memory(Vec<Window>);

struct Window {
    address: u64,
    size: u64,
    /// None for a region that cannot be mapped: the registers of other devices.
    base: Option<NonNull<u8>>,
}

impl Drop for Window {
    fn drop(&mut self) {
        if let Some(base) = self.base {
            // SAFETY: `Memory::map` made this mapping, and no pointer to it is kept.
            let _ = unsafe { munmap(base.as_ptr().cast(), self.size as usize) };
        }
    }
}

impl Window {
    fn end(&self) -> u64 {
        self.address + self.size
    }
}

impl Memory {
    /// Adds `size` bytes of a file from `offset`, at `address`. Refuses what the file does not
    /// contain, because an access beyond the end of a file is a fatal signal.
    pub fn map(&mut self, file: Option<OwnedFd>, offset: u64, address: u64, size: u64) -> Result<(), Errno> {
        let end = address.checked_add(size).filter(|_| size > 0).ok_or(Errno::INVAL)?;
        if self.0.iter().any(|window| address < window.end() && window.address < end) {
            return Err(Errno::EXIST);
        }
        let base = match file {
            None => None,
            Some(file) => {
                let within = offset.checked_add(size).ok_or(Errno::INVAL)? <= fstat(&file)?.st_size as u64;
                if !within || size > isize::MAX as u64 {
                    return Err(Errno::INVAL);
                }
                let access = ProtFlags::READ | ProtFlags::WRITE;
                // SAFETY: a new mapping at an address that the kernel chooses.
                let base = unsafe {
                    mmap(std::ptr::null_mut(), size as usize, access, MapFlags::SHARED, &file, offset)?
                };
                NonNull::new(base.cast())
            }
        };
        self.0.push(Window { address, size, base });
        Ok(())
    }

    /// Removes the windows that lie within the range.
    pub fn unmap(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        self.0.retain(|window| window.address < address || window.end() > end);
    }

    /// Removes all windows.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn find(&self, address: u64, len: usize) -> Option<NonNull<u8>> {
        let end = address.checked_add(len as u64)?;
        let window = self.0.iter().find(|window| window.address <= address && end <= window.end())?;
        // SAFETY: the offset is within the mapping, as `find` has compared.
        Some(unsafe { window.base?.add((address - window.address) as usize) })
    }

    /// Copies from the machine's memory; false if there is none at this address.
    #[must_use]
    pub fn read(&self, address: u64, to: &mut [u8]) -> bool {
        let Some(from) = self.find(address, to.len()) else { return false };
        // SAFETY: `find` returns the start of at least `to.len()` mapped bytes. The machine may write
        // to them at the same time, as to any memory that a device reads.
        unsafe { copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr(), to.len()) };
        true
    }

    /// Copies to the machine's memory; false if there is none at this address.
    #[must_use]
    pub fn write(&self, address: u64, from: &[u8]) -> bool {
        let Some(to) = self.find(address, from.len()) else { return false };
        // SAFETY: as in `read`.
        unsafe { copy_nonoverlapping(from.as_ptr(), to.as_ptr(), from.len()) };
        true
    }

    /// A machine with `bytes` at `address`, for the tests of the models.
    #[cfg(test)]
    pub fn of(address: u64, bytes: &[u8]) -> Memory {
        use std::io::Write;
        use std::os::fd::AsFd;
        let file = rustix::fs::memfd_create("memory", rustix::fs::MemfdFlags::CLOEXEC).expect("a file");
        std::fs::File::from(file.as_fd().try_clone_to_owned().expect("a descriptor"))
            .write_all(bytes)
            .expect("memory");
        let mut memory = Memory::default();
        memory.map(Some(file), 0, address, bytes.len() as u64).expect("a mapping");
        memory
    }
}
