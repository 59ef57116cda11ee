//! The client's end of a link: whether it is open, and the bytes that wait to be written.

use crate::network::{Found, Network, Side, Socket};

/// A client's connection.
pub(crate) struct ClientLink {
    /// The link, by its place among all of them.
    pub(crate) number: usize,
    /// Bytes that wait to be written.
    pub(crate) outbox: Vec<u8>,
    is_open: bool,
}

impl ClientLink {
    /// Returns the end of a link that does not connect yet.
    pub(crate) const fn new(number: usize) -> Self {
        Self { number, outbox: Vec::new(), is_open: false }
    }

    pub(crate) const fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) const fn socket(&self) -> Socket {
        Socket { link: self.number, side: Side::Client }
    }

    pub(crate) fn connect<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>) {
        self.is_open = true;
        net.connect(self.number);
    }

    /// Reads bytes that have arrived, at most this many.
    pub(crate) fn read<M: Copy + PartialEq, F>(&self, net: &mut Network<M, F>, most: usize) -> Found {
        net.read(self.socket(), most)
    }

    /// Adds bytes to those that wait, and writes what is taken at once; a closed connection takes nothing.
    pub(crate) fn send<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>, bytes: &[u8]) {
        if self.is_open {
            self.outbox.extend_from_slice(bytes);
            self.write(net);
        }
    }

    /// Writes once; returns the number of bytes taken.
    pub(crate) fn write<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>) -> usize {
        if !self.is_open || self.outbox.is_empty() {
            return 0;
        }
        let taken = net.write(self.socket(), &self.outbox);
        self.outbox.drain(..taken);
        taken
    }

    /// Writes until nothing more is taken; returns whether no byte waits any more.
    pub(crate) fn write_all<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>) -> bool {
        while self.write(net) > 0 {}
        self.outbox.is_empty()
    }

    /// Ends the connection, if it is open; `dies` if the process of the client dies.
    pub(crate) fn hang_up<M: Copy + PartialEq, F>(&mut self, net: &mut Network<M, F>, dies: bool) {
        if std::mem::take(&mut self.is_open) {
            net.hang_up(self.socket(), dies);
        }
    }
}
