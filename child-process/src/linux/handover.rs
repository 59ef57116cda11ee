//! Hands open files from one process to the next through a socket, which is the standard input of the receiver.
//!
//! A process inherits its three standard streams alone. Other files come through the socket, and are closed when
//! the process becomes another program.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// The most files in one message.
const MOST: usize = 3;

/// Sends these files with one byte.
pub(super) fn give(socket: impl AsFd, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::other("too many files for one message"));
    }
    sendmsg(socket, &[IoSlice::new(b"\n")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives one byte and the files that came with it; `None` at the end of the stream.
pub(super) fn take(socket: impl AsFd) -> io::Result<(Option<u8>, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let files = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let files = files.flatten().collect();
    Ok(((received.bytes > 0).then_some(byte[0]), files))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn files_arrive_in_order_and_text_behind_them_stays() {
        let (mut here, there) = UnixStream::pair().unwrap();
        let (mut first, first_end) = UnixStream::pair().unwrap();
        let (mut second, second_end) = UnixStream::pair().unwrap();
        give(&here, &[first_end.as_fd(), second_end.as_fd()]).unwrap();
        here.write_all(b"a").unwrap();
        drop(here);
        let (byte, files) = take(&there).unwrap();
        assert_eq!((byte, files.len()), (Some(b'\n'), 2));
        drop((first_end, second_end));
        for (file, text) in files.into_iter().zip([b"1", b"2"]) {
            UnixStream::from(file).write_all(text).unwrap();
        }
        for (end, expected) in [(&mut first, "1"), (&mut second, "2")] {
            let mut text = String::new();
            end.read_to_string(&mut text).unwrap();
            assert_eq!(text, expected);
        }
        assert_eq!(take(&there).unwrap().0, Some(b'a'));
        assert!(matches!(take(&there).unwrap(), (None, files) if files.is_empty()));
    }
}
