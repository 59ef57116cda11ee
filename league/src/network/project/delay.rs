//! A connection whose bytes arrive later, as over a slow network.

use std::future::pending;
use std::time::Duration;

use cs::config::Config;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, duplex, split};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

/// The size of a read, and of the buffer for a server that does not read, in bytes.
const BUFFER: usize = 8 * 1024;

/// The largest number of reads under way in one direction; if it is reached, nothing more is read from the sender.
const MOST_READS: usize = 256;

/// Returns the time during which an agent's requests are read and dropped after the server has closed its end: as long
/// as the server itself waits for its peers. Unread bytes would reset the connection, and the agent would lose the last
/// messages.
fn farewell() -> Duration {
    Config::default().limits.farewell.into()
}

/// Returns the server's end of a connection with a delay: bytes, and the end of the connection, arrive at the other
/// side at least `delay` later, in both directions.
///
/// Timers count whole milliseconds, so a byte may arrive up to a millisecond later than that.
pub(super) fn delayed(stream: impl AsyncRead + AsyncWrite + Send + 'static, delay: Duration) -> DuplexStream {
    let (near, far) = duplex(BUFFER);
    let (from_stream, to_stream) = split(stream);
    let (from_far, to_far) = split(far);
    tokio::spawn(async move {
        let leaving = async {
            pass(from_far, to_stream, delay).await;
            sleep(farewell()).await;
        };
        let arriving = async {
            pass(from_stream, to_far, delay).await;
            // An agent that has closed its sending side may still receive messages.
            pending::<()>().await;
        };
        tokio::select! {
            () = leaving => {}
            () = arriving => {}
        }
    });
    near
}

/// Passes on what can be read, and then the end.
async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, delay: Duration) {
    let (sender, mut arriving) = mpsc::channel::<(Instant, Vec<u8>)>(MOST_READS);
    let read = async move {
        let mut buffer = vec![0; BUFFER];
        loop {
            // A connection that fails ends as well.
            let length = from.read(&mut buffer).await.unwrap_or(0);
            let is_sent = sender.send((Instant::now() + delay, buffer[..length].to_vec())).await.is_ok();
            if length == 0 || !is_sent {
                return;
            }
        }
    };
    let write = async move {
        while let Some((due, bytes)) = arriving.recv().await {
            sleep_until(due).await;
            if bytes.is_empty() {
                break;
            }
            // Ignores errors: further bytes for a closed connection are read and dropped.
            let _ = to.write_all(&bytes).await;
        }
        // It fails only for a connection that is gone already.
        let _ = to.shutdown().await;
    };
    tokio::join!(read, write);
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_millis(30);

    #[tokio::test(start_paused = true)]
    async fn bytes_arrive_later_in_both_directions() {
        let (mut agent, stream) = duplex(BUFFER);
        let mut server = delayed(stream, DELAY);
        let begin = Instant::now();
        agent.write_all(b"question").await.unwrap();
        let mut read = [0; 8];
        server.read_exact(&mut read).await.unwrap();
        assert_eq!((&read, begin.elapsed()), (b"question", DELAY));
        server.write_all(b"answered").await.unwrap();
        agent.read_exact(&mut read).await.unwrap();
        assert_eq!((&read, begin.elapsed()), (b"answered", 2 * DELAY));
    }

    /// Bytes that are sent while others are on their way do not wait for the arrival of those.
    #[tokio::test(start_paused = true)]
    async fn messages_that_follow_each_other_are_not_delayed_more() {
        let (mut agent, stream) = duplex(BUFFER);
        let mut server = delayed(stream, DELAY);
        let begin = Instant::now();
        tokio::spawn(async move {
            for byte in 0..5 {
                agent.write_all(&[byte]).await.unwrap();
                sleep(DELAY / 3).await;
            }
        });
        for byte in 0..5 {
            assert_eq!(server.read_u8().await.unwrap(), byte);
            assert_eq!(begin.elapsed(), DELAY + u32::from(byte) * (DELAY / 3));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn much_arrives_whole_and_then_the_end() {
        let (mut agent, stream) = duplex(BUFFER);
        let mut server = delayed(stream, DELAY);
        let sent: Vec<u8> = (0..=250).cycle().take(1_000_000).collect();
        let copy = sent.clone();
        tokio::spawn(async move { agent.write_all(&copy).await.unwrap() });
        let mut read = Vec::new();
        server.read_to_end(&mut read).await.unwrap();
        assert!(read == sent, "{} of {} bytes", read.len(), sent.len());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_closes_is_noticed_later() {
        let (mut agent, stream) = duplex(BUFFER);
        let begin = Instant::now();
        let mut server = delayed(stream, DELAY);
        server.write_all(b"bye").await.unwrap();
        drop(server);
        let mut read = Vec::new();
        agent.read_to_end(&mut read).await.unwrap();
        assert_eq!((&read[..], begin.elapsed()), (&b"bye"[..], DELAY));
    }

    /// An agent that neither sends nor closes does not hold a connection that the server has closed.
    #[tokio::test(start_paused = true)]
    async fn a_connection_that_the_server_closed_is_not_kept_for_a_silent_agent() {
        let (mut agent, stream) = duplex(BUFFER);
        drop(delayed(stream, DELAY));
        assert_eq!(agent.read(&mut [0]).await.unwrap(), 0);
        // A request that crosses the end does no harm.
        agent.write_all(b"crossing").await.unwrap();
        sleep(farewell() + DELAY).await;
        let sent = agent.write_all(b"late").await.map_err(|error| error.kind());
        assert_eq!(sent, Err(std::io::ErrorKind::BrokenPipe));
    }

    /// An agent that has closed its sending side still receives messages.
    #[tokio::test(start_paused = true)]
    async fn an_agent_that_has_closed_its_direction_still_hears() {
        let (mut agent, stream) = duplex(BUFFER);
        let mut server = delayed(stream, DELAY);
        agent.write_all(b"last").await.unwrap();
        agent.shutdown().await.unwrap();
        let mut read = Vec::new();
        server.read_to_end(&mut read).await.unwrap();
        server.write_all(b"heard").await.unwrap();
        drop(server);
        let mut heard = Vec::new();
        agent.read_to_end(&mut heard).await.unwrap();
        assert_eq!((&read[..], &heard[..]), (&b"last"[..], &b"heard"[..]));
    }
}
