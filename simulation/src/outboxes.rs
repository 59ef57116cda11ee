//! The server's ends of links: the open ones, and the bytes that wait to be written to each.

use std::collections::BTreeMap;

use crate::network::{Found, Network, Side, Socket};

/// Number of bytes that are read at once.
const READ_BYTES: usize = 1024;

/// The links that a server has open.
#[derive(Default)]
pub(crate) struct Outboxes(BTreeMap<usize, Outbox>);

#[derive(Default)]
struct Outbox {
    bytes: Vec<u8>,
    is_closing: bool,
}

/// Input from the other end of a link.
pub(crate) enum Heard {
    Bytes(Vec<u8>),
    End,
}

impl Outboxes {
    pub(crate) fn open(&mut self, link: usize) {
        self.0.insert(link, Outbox::default());
    }

    /// Reads the next bytes, or the end; nothing of a link that the server has closed: nobody gets its last bytes.
    pub(crate) fn hear<M: Copy + PartialEq, F>(
        &mut self,
        net: &mut Network<M, F>,
        link: usize,
    ) -> Option<Heard> {
        let socket = at_server(link);
        loop {
            let is_closing = self.0.get(&link)?.is_closing;
            match net.read(socket, READ_BYTES) {
                Found::Nothing => return None,
                Found::Bytes(_) if is_closing => {}
                Found::Bytes(bytes) => return Some(Heard::Bytes(bytes)),
                Found::End(_) => {
                    self.0.remove(&link);
                    net.hang_up(socket, false);
                    return (!is_closing).then_some(Heard::End);
                }
            }
        }
    }

    pub(crate) fn send<M: Copy + PartialEq, F>(
        &mut self,
        net: &mut Network<M, F>,
        link: usize,
        bytes: Vec<u8>,
    ) {
        if let Some(outbox) = self.0.get_mut(&link) {
            outbox.bytes.extend(bytes);
            self.flush(net, link);
        }
    }

    /// Closes a link once all that was sent is written.
    pub(crate) fn close<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>, link: usize) {
        if let Some(outbox) = self.0.get_mut(&link) {
            outbox.is_closing = true;
            self.flush(net, link);
        }
    }

    /// Writes as many bytes as there is room for.
    pub(crate) fn flush<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>, link: usize) {
        let socket = at_server(link);
        let Some(Outbox { bytes, is_closing }) = self.0.get_mut(&link) else { return };
        if net.is_closed(socket) {
            return;
        }
        if !bytes.is_empty() {
            let taken = net.write(socket, bytes);
            bytes.drain(..taken);
        }
        if bytes.is_empty() && *is_closing {
            net.shut_down(socket);
        }
    }

    /// The process dies: all its connections break.
    pub(crate) fn break_all<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>) {
        for link in std::mem::take(&mut self.0).into_keys() {
            net.hang_up(at_server(link), true);
        }
    }
}

fn at_server(link: usize) -> Socket {
    Socket { link, side: Side::Server }
}
