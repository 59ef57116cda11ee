//! A browser, as far as the board sees it: requests, and a socket to read from.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Time within which something must happen that is certain to happen.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The address that a board prints, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

/// An answer.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Page {
    pub(crate) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}: {text}", self.status))
    }
}

impl Site {
    pub(crate) fn of(url: &str) -> Self {
        let (host, rest) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let token = rest.strip_prefix("?token=").unwrap_or_default().to_owned();
        Self { address: host.parse().unwrap(), token }
    }

    /// Asks as a program does that has the token.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &str) -> Page {
        let headers = format!("Authorization: Bearer {}\r\n", self.token);
        self.request(method, path, &headers, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Page {
        self.request("GET", path, "", "").await
    }

    /// Asks with these headers, and with the right host unless they name one.
    pub(crate) async fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Page {
        let host =
            if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        timeout(TIMEOUT, stream.read_to_end(&mut answer)).await.expect("an answer").unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = &answer[end + 4..];
        let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_vec() };
        Page { status, head, body }
    }

    /// Asks for this path and reads nothing; the system keeps little of the answer.
    pub(crate) async fn ask_without_reading(&self, path: &str) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(8192).unwrap();
        let mut stream = socket.connect(self.address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// Looks at the game; with the token as the page does it that the operator has opened.
    pub(crate) async fn watch(&self, with_token: bool) -> Viewer {
        let query = if with_token { format!("?token={}", self.token) } else { String::new() };
        self.connect(&query, None).await.expect("a feed")
    }

    /// The same with a page of this origin; the status if the feed is refused.
    pub(crate) async fn connect(&self, query: &str, origin: Option<&str>) -> Result<Viewer, u16> {
        let mut request = format!("ws://{}/feed{query}", self.address).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let socket = TcpSocket::new_v4().unwrap();
        // Of one that does not read, the system keeps little.
        socket.set_recv_buffer_size(8192).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(Viewer { socket }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }
}

/// A body that comes in chunks, which has to be whole.
fn unchunked(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let line_end = chunks.windows(2).position(|bytes| bytes == b"\r\n").expect("a chunk's length");
        let length = std::str::from_utf8(&chunks[..line_end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        let (chunk, rest) = chunks[line_end + 2..].split_at_checked(length).expect("a whole chunk");
        if length == 0 {
            return body;
        }
        body.extend_from_slice(chunk);
        chunks = &rest[2..];
    }
}

/// A viewer of a game.
pub(crate) struct Viewer {
    socket: WebSocketStream<TcpStream>,
}

impl Viewer {
    /// The next message that is not a heartbeat; none when there will be no more.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let next = async {
            loop {
                let message = self.next_of_all().await?;
                if message["kind"] != "heartbeat" {
                    return Some(message);
                }
            }
        };
        timeout(TIMEOUT, next).await.expect("a message")
    }

    async fn next_of_all(&mut self) -> Option<Value> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Returns when this many heartbeats have come, and nothing else.
    pub(crate) async fn pinged(&mut self, times: u32) {
        for _ in 0..times {
            let message = timeout(TIMEOUT, self.next_of_all()).await.expect("a heartbeat");
            assert_eq!(message.expect("a heartbeat")["kind"], "heartbeat");
        }
    }

    /// The messages up to one of this kind, which comes last.
    pub(crate) async fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(message) = self.next().await {
            messages.push(message);
            if messages.last().is_some_and(|message| message["kind"] == kind) {
                return messages;
            }
        }
        panic!("no {kind} came: {messages:?}");
    }
}
