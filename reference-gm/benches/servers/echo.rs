//! A server that sends back what it receives.

use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{Failure, Watch, all, runtime};

/// The answers to this line, one under way on each connection.
pub(super) fn measure(
    connections: usize,
    line: &'static str,
    measured: Duration,
) -> Result<Vec<Duration>, Failure> {
    let (told, address) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let served = runtime().map(|runtime| {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::bind("127.0.0.1:0").await else { return };
                let _ = told.send(listener.local_addr());
                while let Ok((mut stream, _)) = listener.accept().await {
                    let _ = tcp::prepare(&stream);
                    tokio::spawn(async move {
                        let mut buffer = [0; 1024];
                        while let Ok(length) = stream.read(&mut buffer).await {
                            if length == 0 || stream.write_all(&buffer[..length]).await.is_err() {
                                return;
                            }
                        }
                    });
                }
            });
        });
        drop(served);
    });
    let address = address.recv()??;
    let clients = runtime()?;
    clients.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..connections {
            streams.push(tcp::dial(address).await?);
        }
        let watch = Watch::new(measured);
        let clients: Vec<_> =
            streams.into_iter().map(|stream| tokio::spawn(ask(stream, line, watch.clone()))).collect();
        all(clients).await
    })
}

async fn ask(mut stream: TcpStream, line: &'static str, watch: Watch) -> Result<Vec<Duration>, Failure> {
    let mut answers = Vec::new();
    let mut buffer = [0; 128];
    loop {
        let sent = Instant::now();
        stream.write_all(line.as_bytes()).await?;
        let mut read = 0;
        while read < line.len() {
            let length = stream.read(&mut buffer[read..]).await?;
            if length == 0 {
                return Err("the echo server is gone".into());
            }
            read += length;
        }
        if !watch.take(sent, &mut answers) {
            return Ok(answers);
        }
    }
}
