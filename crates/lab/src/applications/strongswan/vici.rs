//! A client of charon's control socket. The protocol is VICI, version 1.0
//! (src/libcharon/plugins/vici/README.md of strongSwan): packets with a length, a type, a name and a
//! message of nested sections, values and lists.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use outboard_measure::stop;

const CMD_REQUEST: u8 = 0;
const CMD_RESPONSE: u8 = 1;

const SECTION_START: u8 = 1;
const SECTION_END: u8 = 2;
const KEY_VALUE: u8 = 3;
const LIST_START: u8 = 4;
const LIST_ITEM: u8 = 5;
const LIST_END: u8 = 6;

/// Maximum size of a packet that charon sends, in bytes.
const LONGEST_PACKET: usize = 512 * 1024;

const POLLING_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message(Vec<u8>);

impl Message {
    pub fn value(mut self, key: &str, value: &str) -> Message {
        self.name(KEY_VALUE, key);
        self.long(value);
        self
    }

    pub fn list(mut self, key: &str, items: &[&str]) -> Message {
        self.name(LIST_START, key);
        for item in items {
            self.0.push(LIST_ITEM);
            self.long(item);
        }
        self.0.push(LIST_END);
        self
    }

    pub fn section(mut self, key: &str, content: Message) -> Message {
        self.name(SECTION_START, key);
        self.0.extend(content.0);
        self.0.push(SECTION_END);
        self
    }

    fn name(&mut self, element: u8, name: &str) {
        debug_assert!(name.len() <= usize::from(u8::MAX), "{name}");
        self.0.extend([element, name.len() as u8]);
        self.0.extend(name.as_bytes());
    }

    fn long(&mut self, text: &str) {
        debug_assert!(text.len() <= usize::from(u16::MAX), "{} bytes", text.len());
        self.0.extend((text.len() as u16).to_be_bytes());
        self.0.extend(text.as_bytes());
    }

    /// Returns the values outside of sections; `None` if the message is malformed.
    fn values(&self) -> Option<Vec<(String, String)>> {
        let mut rest = self.0.as_slice();
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at_checked(count)?;
            rest = left;
            Some(taken)
        };
        let (mut values, mut depth) = (Vec::new(), 0_u32);
        while let Some(&[element]) = take(1) {
            let mut short = || take(1).and_then(|length| take(usize::from(length[0]))).map(text);
            match element {
                SECTION_START => {
                    short()?;
                    depth += 1;
                }
                SECTION_END => depth = depth.checked_sub(1)?,
                KEY_VALUE => {
                    let key = short()?;
                    let value = text(after_length(&mut take)?);
                    if depth == 0 {
                        values.push((key, value));
                    }
                }
                LIST_START => drop(short()?),
                LIST_ITEM => drop(after_length(&mut take)?),
                LIST_END => {}
                _ => return None,
            }
        }
        (depth == 0).then_some(values)
    }
}

/// Takes bytes that follow their length in 16 bits.
fn after_length<'a>(take: &mut impl FnMut(usize) -> Option<&'a [u8]>) -> Option<&'a [u8]> {
    let length = take(2)?;
    take(usize::from(u16::from_be_bytes([length[0], length[1]])))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[derive(Debug)]
pub struct Response(Vec<(String, String)>);

impl Response {
    pub fn value(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

pub struct Control(UnixStream);

impl Control {
    pub fn connect(socket: &Path) -> io::Result<Control> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(POLLING_INTERVAL))?;
        Ok(Control(stream))
    }

    /// Runs a command; the error is charon's message if the command did not succeed, or that of
    /// the connection. `limit` is the longest time to wait for the response.
    pub fn run(&mut self, command: &str, message: &Message, limit: Duration) -> Result<Response, String> {
        let failed = |what: &str| format!("{command}: {what}");
        let mut packet = vec![CMD_REQUEST, command.len() as u8];
        packet.extend(command.as_bytes());
        packet.extend(&message.0);
        let mut whole = (packet.len() as u32).to_be_bytes().to_vec();
        whole.extend(packet);
        self.0.write_all(&whole).map_err(|error| failed(&error.to_string()))?;
        let end = Instant::now() + limit;
        let length = self.read(4, end).map_err(|error| failed(&error))?;
        let length = length.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        if length == 0 || length > LONGEST_PACKET {
            return Err(failed(&format!("charon announces a packet of {length} bytes")));
        }
        let packet = self.read(length, end).map_err(|error| failed(&error))?;
        if packet[0] != CMD_RESPONSE {
            return Err(failed("this charon does not have the command"));
        }
        let values = Message(packet[1..].to_vec()).values();
        let response = Response(values.ok_or_else(|| failed("charon's response cannot be read"))?);
        match response.value("success") {
            Some("no") => Err(failed(response.value("errmsg").unwrap_or("charon names no reason"))),
            _ => Ok(response),
        }
    }

    fn read(&mut self, count: usize, end: Instant) -> Result<Vec<u8>, String> {
        let (mut bytes, mut done) = (vec![0; count], 0);
        while done < count {
            match self.0.read(&mut bytes[done..]) {
                Ok(0) => return Err("charon closed its control socket".to_owned()),
                Ok(more) => done += more,
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                    ) =>
                {
                    if stop::asked() {
                        return Err("interrupted".to_owned());
                    }
                    if Instant::now() > end {
                        return Err("charon does not answer".to_owned());
                    }
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::thread;

    const LIMIT: Duration = Duration::from_secs(60);

    #[test]
    fn a_message_is_encoded_as_in_the_specification() {
        let message = Message::default()
            .value("a", "b")
            .section("s", Message::default().value("c", "d"))
            .list("l", &["x", ""]);
        let bytes =
            b"\x03\x01a\x00\x01b\x01\x01s\x03\x01c\x00\x01d\x02\x04\x01l\x05\x00\x01x\x05\x00\x00\x06";
        assert_eq!(message.0, bytes);
        assert_eq!(message.values().unwrap(), [("a".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn malformed_messages_are_not_read() {
        let whole = Message::default().value("key", "value").section("s", Message::default()).0;
        for end in 0..whole.len() {
            let is_whole_value = [0, 12].contains(&end);
            assert_eq!(Message(whole[..end].to_vec()).values().is_some(), is_whole_value, "{end}");
        }
        assert_eq!(Message(vec![SECTION_END]).values(), None);
        assert_eq!(Message(vec![7]).values(), None);
    }

    /// A charon that answers one command with these bytes.
    fn answering(packet: &[u8]) -> Result<Response, String> {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("vici");
        let listener = UnixListener::bind(&socket).unwrap();
        let packet = packet.to_vec();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 13];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(&(packet.len() as u32).to_be_bytes()).unwrap();
            stream.write_all(&packet).unwrap();
            request
        });
        let response = Control::connect(&socket).unwrap().run("version", &Message::default(), LIMIT);
        assert_eq!(&server.join().unwrap(), b"\x00\x00\x00\x09\x00\x07version");
        response
    }

    #[test]
    fn a_command_has_its_response_or_charons_reason() {
        let with = |message: Message| [&[CMD_RESPONSE], message.0.as_slice()].concat();
        let version = answering(&with(Message::default().value("version", "6.0.1"))).unwrap();
        assert_eq!((version.value("version"), version.value("success")), (Some("6.0.1"), None));
        let refused = Message::default().value("success", "no").value("errmsg", "no proposal");
        assert_eq!(answering(&with(refused)).unwrap_err(), "version: no proposal");
        assert_eq!(answering(&[2]).unwrap_err(), "version: this charon does not have the command");
        assert_eq!(answering(&[]).unwrap_err(), "version: charon announces a packet of 0 bytes");
    }
}
