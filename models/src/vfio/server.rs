//! One device, one client. There are no threads: a command is complete before the next one is read.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Instant;

use rustix::io::Errno;

use super::config::{self, Config};
use super::interrupts::Interrupts;
use super::payload::{ERROR, HEADER, Header, MOST, NO_REPLY, Payload, REPLY, words};
use super::socket::{MOST_DESCRIPTORS, Socket};
use super::{Device, Identity, Memory, Wiring};

/// Indices of VFIO's regions and interrupts for PCI (include/uapi/linux/vfio.h).
const CONFIG: u32 = 7;
const REGIONS: u32 = 9;
const INTX: u32 = 0;
const MSI: u32 = 1;
const INTERRUPTS: u32 = 5;
/// Region flags: it can be read and written.
const READ_WRITE: u32 = 3;
/// Device flags: it can be reset, it is a PCI device.
const RESET_PCI: u32 = 3;
/// Interrupt information: by eventfd; maskable and masks itself; of fixed number.
const BY_EVENT: u32 = 1;
const MASKABLE: u32 = 2 | 4;
const FIXED: u32 = 8;
/// SET_IRQS: the data are eventfds.
const DATA_EVENT: u32 = 4;
const ACTION: u32 = 0x38;
const MASK: u32 = 8;
const UNMASK: u32 = 0x10;
/// DMA_UNMAP: all of them.
const ALL: u32 = 2;

/// Serves `device` to the first client that connects to `path`, until it closes the connection.
/// Returns the number of interrupts.
pub fn serve(path: &Path, device: &mut dyn Device) -> io::Result<u64> {
    let (stream, _) = UnixListener::bind(path)?.accept()?;
    let mut server = Server::new(Socket::new(stream), device);
    server.run()?;
    Ok(server.interrupts.sent)
}

pub struct Server<'a> {
    socket: Socket,
    device: &'a mut dyn Device,
    identity: Identity,
    config: Config,
    memory: Memory,
    interrupts: Interrupts,
}

impl<'a> Server<'a> {
    pub fn new(socket: Socket, device: &'a mut dyn Device) -> Server<'a> {
        let identity = device.identity();
        Server {
            socket,
            device,
            identity,
            config: Config::new(&identity),
            memory: Memory::default(),
            interrupts: Interrupts::new(identity.wiring),
        }
    }

    /// Serves until the client closes the connection. A message whose size cannot be true is an
    /// error, since the next one cannot be found.
    pub fn run(&mut self) -> io::Result<()> {
        loop {
            self.wait_for_a_message()?;
            let mut bytes = [0; HEADER];
            if !self.socket.receive(&mut bytes)? {
                return Ok(());
            }
            let header = Header::parse(&bytes);
            let len = header.payload().ok_or_else(|| {
                io::Error::other(format!("a message of command {} has {} bytes", header.command, header.size))
            })?;
            let mut payload = vec![0; len];
            if !self.socket.receive(&mut payload)? {
                return Ok(());
            }
            let descriptors = self.socket.take_descriptors();
            // The reply of a command that this server sent: a write to the doorbell.
            if header.flags & 0xf == REPLY {
                continue;
            }
            let result = self.execute(header.command, Payload(&payload), descriptors);
            if header.flags & NO_REPLY == 0 {
                let (flags, error, reply) = match result {
                    Ok(reply) => (REPLY, 0, reply),
                    Err(error) => (REPLY | ERROR, error.raw_os_error() as u32, Vec::new()),
                };
                self.socket.send(&Header { flags, error, ..header }.message(&reply))?;
            }
        }
    }

    /// Calls the device when its deadlines pass. Messages are first: QEMU does not wait for the reply to
    /// a write, so that a write can be older than what the device finds in memory.
    fn wait_for_a_message(&mut self) -> io::Result<()> {
        while let Some(at) = self.device.deadline() {
            let left = at.saturating_duration_since(Instant::now());
            if self.socket.readable(left)? {
                break;
            }
            if left.is_zero() {
                self.device.tick(&self.memory);
                self.update_interrupts()?;
            }
        }
        Ok(())
    }

    fn update_interrupts(&mut self) -> io::Result<()> {
        for message in self.interrupts.update(&self.device.signal()) {
            self.socket.send(&message)?;
        }
        Ok(())
    }

    fn execute(
        &mut self,
        command: u16,
        payload: Payload<'_>,
        mut descriptors: VecDeque<OwnedFd>,
    ) -> Result<Vec<u8>, Errno> {
        match command {
            1 => version(payload),
            2 => {
                let (offset, address, size) = (payload.u64(8)?, payload.u64(16)?, payload.u64(24)?);
                self.memory.map(descriptors.pop_front(), offset, address, size)?;
                Ok(Vec::new())
            }
            3 => {
                let (flags, address, size) = (payload.u32(4)?, payload.u64(8)?, payload.u64(16)?);
                if flags & ALL != 0 {
                    self.memory.clear()
                } else {
                    self.memory.unmap(address, size)
                }
                Ok(payload.bytes(0, 24)?.to_vec())
            }
            4 => Ok(words(&[16, RESET_PCI, REGIONS, INTERRUPTS])),
            5 => {
                let index = payload.u32(8)?;
                let size = self.region_size(index);
                Ok(words(&[32, if size > 0 { READ_WRITE } else { 0 }, index, 0, size as u32, 0, 0, 0]))
            }
            7 => {
                let index = payload.u32(8)?;
                Ok(words(&match (index, self.identity.wiring) {
                    (INTX, Wiring::Pin) => [16, BY_EVENT | MASKABLE, index, 1],
                    (MSI, Wiring::Message) => [16, BY_EVENT | FIXED, index, 1],
                    _ => [16, 0, index, 0],
                }))
            }
            8 => self.set_interrupts(payload, descriptors),
            9 => {
                let (at, region, len) = self.range(payload)?;
                let mut data = vec![0; len];
                if region == CONFIG {
                    self.config.read(at, &mut data);
                } else {
                    self.device.read(region as usize, at, &mut data);
                    self.update_interrupts().map_err(|_| Errno::PIPE)?;
                }
                Ok([payload.bytes(0, 16)?, &data].concat())
            }
            10 => {
                let (at, region, len) = self.range(payload)?;
                let data = payload.bytes(16, len)?;
                if region == CONFIG {
                    self.config.write(at, data);
                } else {
                    self.device.write(region as usize, at, data, &self.memory);
                    self.update_interrupts().map_err(|_| Errno::PIPE)?;
                }
                Ok(payload.bytes(0, 16)?.to_vec())
            }
            13 => {
                self.device.reset();
                self.update_interrupts().map_err(|_| Errno::PIPE)?;
                Ok(Vec::new())
            }
            _ => Err(Errno::NOSYS),
        }
    }

    fn region_size(&self, index: u32) -> usize {
        match index {
            CONFIG => config::SIZE,
            _ => self.identity.bars.get(index as usize).map_or(0, |size| *size as usize),
        }
    }

    /// Offset, region and length of an access, if it is within the region.
    fn range(&self, payload: Payload<'_>) -> Result<(usize, u32, usize), Errno> {
        let (at, region, len) = (payload.u64(0)?, payload.u32(8)?, payload.u32(12)? as usize);
        let end = usize::try_from(at).ok().and_then(|at| at.checked_add(len)).ok_or(Errno::INVAL)?;
        if len == 0 || len > MOST || end > self.region_size(region) {
            return Err(Errno::INVAL);
        }
        Ok((at as usize, region, len))
    }

    fn set_interrupts(
        &mut self,
        payload: Payload<'_>,
        mut descriptors: VecDeque<OwnedFd>,
    ) -> Result<Vec<u8>, Errno> {
        let (flags, index) = (payload.u32(4)?, payload.u32(8)?);
        let ours = if self.identity.wiring == Wiring::Message { MSI } else { INTX };
        if index == ours {
            match flags & ACTION {
                MASK => self.interrupts.set_masked(true),
                UNMASK => self.interrupts.set_masked(false),
                _ if flags & DATA_EVENT != 0 => self.interrupts.set_event(descriptors.pop_front()),
                _ => self.interrupts.set_event(None),
            }
            self.update_interrupts().map_err(|_| Errno::PIPE)?;
        }
        Ok(Vec::new())
    }
}

fn version(payload: Payload<'_>) -> Result<Vec<u8>, Errno> {
    let proposed = payload.bytes(0, 4)?;
    if proposed[..2] != [0, 0] {
        return Err(Errno::PROTONOSUPPORT);
    }
    let capabilities = format!(
        "{{\"capabilities\":{{\"max_msg_fds\":{MOST_DESCRIPTORS},\"max_data_xfer_size\":{MOST}}}}}\0"
    );
    Ok([&[0, 0, 0, 0], capabilities.as_bytes()].concat())
}
