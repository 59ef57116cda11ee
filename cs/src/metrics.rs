//! The totals for Prometheus, on a port of the loopback address.
//!
//! The router counts already, and ten numbers in Prometheus' text format need a page of code. Why no library:
//! `book/src/decisions/metrics.md`.

use std::fmt::Write as _;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use wire::host;

use crate::router::Totals;
use crate::server::Live;

/// Longest time for one request. A connection on which nothing comes is closed then.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Requests at once. More wait until one is answered or has timed out.
const REQUESTS: usize = 64;

/// Largest accepted HTTP request head, in bytes.
const QUESTION: usize = 8192;

/// Answers every request over HTTP that names this server as its host with the totals. Never ends.
pub async fn serve(listener: TcpListener, live: Live) {
    let mut requests = JoinSet::new();
    loop {
        match listener.accept().await {
            // An invalid or aborted request gets no answer, and delays no other request.
            Ok((stream, _)) => {
                let live = live.clone();
                requests.spawn(async move {
                    let _ = tokio::time::timeout(TIMEOUT, answer(stream, &live)).await;
                });
            }
            Err(error) => {
                tracing::error!("cannot accept a connection to the metrics port: {error}");
                tokio::time::sleep(TIMEOUT).await;
            }
        }
        while requests.try_join_next().is_some() {}
        if requests.len() >= REQUESTS {
            requests.join_next().await;
        }
    }
}

async fn answer(mut stream: TcpStream, live: &Live) -> io::Result<()> {
    let mut question = Vec::new();
    while !question.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut limited = (&mut stream).take((QUESTION - question.len()) as u64);
        if limited.read_buf(&mut question).await? == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    let (status, body) = if !is_meant_for(&question, stream.local_addr()?.ip()) {
        ("403 Forbidden", "this is not the address of this server\n".to_owned())
    } else if question.starts_with(b"GET ") {
        ("200 OK", text(&live.totals()))
    } else {
        ("405 Method Not Allowed", String::new())
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await?;
    stream.shutdown().await
}

/// Returns whether the host that a request names is this server: not if a page of another site reaches it by a name of
/// its own. A request with two hosts is not, as the reader of the other one may be a browser.
fn is_meant_for(question: &[u8], bound: IpAddr) -> bool {
    let text = String::from_utf8_lossy(question);
    let head = text.lines().skip(1).take_while(|line| !line.is_empty());
    let fields = head.filter_map(|line| line.split_once(':'));
    let mut hosts = fields.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host.trim());
    let first = hosts.next().unwrap_or_default();
    hosts.next().is_none() && host::is_own(first, &bound.to_string(), bound)
}

/// Returns the totals in Prometheus' text format.
pub fn text(totals: &Totals) -> String {
    let mut text = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, value: u64| {
        writeln!(text, "# HELP cs_{name} {help}\n# TYPE cs_{name} {kind}\ncs_{name} {value}")
            .expect("a string takes everything");
    };
    metric("agents", "gauge", "Agents connected.", totals.agents as u64);
    metric("game_master", "gauge", "Whether a game master is connected.", totals.gm.into());
    metric("held_bytes", "gauge", "Bytes waiting in memory.", totals.held_bytes as u64);
    metric("messages_to_gm_total", "counter", "Messages passed to the game master.", totals.to_gm);
    metric("messages_to_agents_total", "counter", "Messages passed to agents.", totals.to_agents);
    metric("messages_undeliverable_total", "counter", "Messages to absent agents.", totals.undeliverable);
    metric("messages_invalid_total", "counter", "Invalid messages dropped.", totals.invalid);
    metric("connections_admitted_total", "counter", "Connections let in.", totals.admitted);
    metric("connections_refused_total", "counter", "Connections not let in.", totals.refused);
    metric(
        "connections_dropped_total",
        "counter",
        "Connections closed against a peer's will.",
        totals.dropped,
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_to_another_host_are_not_meant_for_this_server() {
        let is_meant = |head: &str| {
            let question = format!("GET /metrics HTTP/1.1\r\n{head}\r\n");
            is_meant_for(question.as_bytes(), [127, 0, 0, 1].into())
        };
        for head in ["Host: 127.0.0.1:9100\r\n", "Accept: */*\r\nhost:localhost\r\n", "HOST: [::1]:9100\r\n"]
        {
            assert!(is_meant(head), "{head}");
        }
        for head in [
            "",
            "Host:\r\n",
            "Host: evil.example:9100\r\n",
            "Host : localhost\r\n",
            "Host: localhost\r\nHost: evil.example\r\n",
            "X-Host: localhost\r\n",
            "\r\nHost: localhost\r\n",
        ] {
            assert!(!is_meant(head), "{head}");
        }
    }
}
