//! Environments of processes with the provider: daemons call chroot(2), containers have no device,
//! services drop privileges, limits are set, descriptors are closed.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{Error, Result, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, chown, chroot};
use std::path::Path;
use std::ptr::null;

use outboard_uapi::DEVICE;

use crate::sandbox;

/// The user and the group without rights (nobody, nogroup).
const NOBODY: u32 = 65534;

/// The group that owns the device.
const ITS_GROUP: u32 = 4711;

const STANDARD_FILES: [RawFd; 3] = [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO];

/// A file of the application in the folder, which must remain unchanged.
pub const OWN_FILE: &str = "own";

/// The environment of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surrounding {
    /// After chroot(2), with neither /dev nor /proc.
    LockedIn,
    /// In a container whose /dev has only what every program needs.
    WithoutTheDevice,
    /// As another user, in no group.
    AsNobody,
    /// As another user in the group of the device, without permission to lock memory.
    InTheGroup,
    /// Without free descriptors.
    WithoutDescriptors,
    /// Without standard input, output and error.
    WithoutStandardFiles,
    /// After closefrom(3).
    Closed,
    /// After closefrom(3), with its own files under the same descriptor numbers.
    ClosedAndReused,
    /// After closefrom(3) and chroot(2).
    ClosedAndLockedIn,
    /// In a sandbox with the rules of OpenSSH's sandbox.
    Sandboxed,
}

impl Surrounding {
    /// Enters it permanently. `folder` has the files that the process still needs.
    pub fn enter(self, folder: &Path) -> Result<()> {
        match self {
            Surrounding::LockedIn => lock_in(folder),
            Surrounding::WithoutTheDevice => own_devices(false),
            Surrounding::AsNobody => {
                give_away(folder)?;
                become_nobody(&[])
            }
            Surrounding::InTheGroup => {
                own_devices(Path::new(DEVICE).exists())?;
                limit(Limit::LockedMemory)?;
                give_away(folder)?;
                become_nobody(&[ITS_GROUP])
            }
            Surrounding::WithoutDescriptors => limit(Limit::Descriptors),
            Surrounding::WithoutStandardFiles => STANDARD_FILES.into_iter().try_for_each(|fd| {
                // SAFETY: the test's child is the application, which owns its standard files.
                check(unsafe { libc::close(fd) })
            }),
            Surrounding::Closed => close_from_3(),
            Surrounding::ClosedAndReused => {
                close_from_3()?;
                for _ in 0..64 {
                    std::mem::forget(
                        File::options()
                            .read(true)
                            .write(true)
                            .create(true)
                            .truncate(false)
                            .open(folder.join(OWN_FILE))?,
                    );
                }
                Ok(())
            }
            Surrounding::ClosedAndLockedIn => {
                close_from_3()?;
                lock_in(folder)
            }
            Surrounding::Sandboxed => {
                sandbox::enter();
                Ok(())
            }
        }
    }

    /// Whether the application's descriptors are still what it made of them.
    pub fn is_as_entered(self) -> bool {
        // SAFETY: no pointer is passed.
        let is_closed = |fd| unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0;
        self != Surrounding::WithoutStandardFiles || STANDARD_FILES.into_iter().all(is_closed)
    }

    /// Whether paths have another meaning there.
    pub fn has_a_root_of_its_own(self) -> bool {
        matches!(self, Surrounding::LockedIn | Surrounding::ClosedAndLockedIn)
    }
}

fn lock_in(folder: &Path) -> Result<()> {
    chroot(folder)?;
    std::env::set_current_dir("/")
}

/// A new /dev for this process and its children, with the accelerator's device for its group, or
/// without.
fn own_devices(with_device: bool) -> Result<()> {
    let number = if with_device { fs::metadata(DEVICE)?.rdev() } else { 0 };
    let (root, none) = (c"/".as_ptr(), null());
    // SAFETY: the paths are C strings; the new namespace is this process's alone.
    check(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    // SAFETY: as above.
    check(unsafe { libc::mount(none, root, none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) })?;
    let (tmpfs, at) = (c"tmpfs".as_ptr(), c"/dev".as_ptr());
    // SAFETY: as above.
    check(unsafe { libc::mount(tmpfs, at, tmpfs, 0, c"mode=755".as_ptr().cast()) })?;
    node("/dev/null", libc::makedev(1, 3), 0o666)?;
    if with_device {
        node(DEVICE, number, 0o660)?;
        chown(DEVICE, Some(0), Some(ITS_GROUP))?;
    }
    Ok(())
}

fn node(path: &str, number: u64, mode: libc::mode_t) -> Result<()> {
    let name = CString::new(Path::new(path).as_os_str().as_bytes())?;
    // SAFETY: the path is a C string.
    check(unsafe { libc::mknod(name.as_ptr(), libc::S_IFCHR | mode, number) })?;
    // Independent of the umask.
    // SAFETY: as above.
    check(unsafe { libc::chmod(name.as_ptr(), mode) })
}

/// Changes the owner of the folder and its files to the user who must open them.
fn give_away(folder: &Path) -> Result<()> {
    chown(folder, Some(NOBODY), None)?;
    fs::read_dir(folder)?.try_for_each(|entry| chown(entry?.path(), Some(NOBODY), None))
}

fn become_nobody(groups: &[libc::gid_t]) -> Result<()> {
    // SAFETY: the array has the number of groups that is passed.
    check(unsafe { libc::setgroups(groups.len(), groups.as_ptr()) })?;
    // SAFETY: plain numbers.
    check(unsafe { libc::setresgid(NOBODY, NOBODY, NOBODY) })?;
    // SAFETY: as above.
    check(unsafe { libc::setresuid(NOBODY, NOBODY, NOBODY) })
}

/// The parts of the system that a process may be left without. The type of libc's numbers differs
/// between C libraries.
enum Limit {
    LockedMemory,
    Descriptors,
}

fn limit(what: Limit) -> Result<()> {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let what = match what {
        Limit::LockedMemory => libc::RLIMIT_MEMLOCK,
        Limit::Descriptors => libc::RLIMIT_NOFILE,
    };
    // SAFETY: the limit is readable.
    check(unsafe { libc::setrlimit(what, &none) })
}

fn close_from_3() -> Result<()> {
    // SAFETY: the test's child is the application, which may close descriptors of the provider.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) };
    check(if closed == 0 { 0 } else { -1 })
}

fn check(returned: libc::c_int) -> Result<()> {
    if returned < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// Redirects standard error to a file, for this process and its children.
pub fn say_into(file: &Path) -> Result<()> {
    let mut file = File::create(file)?;
    file.flush()?;
    // SAFETY: both are open.
    check(unsafe { libc::dup2(file.as_raw_fd(), libc::STDERR_FILENO) })
}
