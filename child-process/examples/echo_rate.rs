//! Measures exchanges with `cat`: through a pool, and with two blocking calls on the pipes of the same program.
//!
//! ```text
//! cargo build --release -p child-process --example echo_rate
//! taskset -c 1 target/release/examples/echo_rate
//! ```

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use child_process::{Command, Guard, Pool};

/// Number of exchanges of one measurement.
const EXCHANGES: u32 = 200_000;

/// Longest wait for one answer.
const LIMIT: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    if let Some(code) = child_process::run_if_asked() {
        return code;
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), Box<dyn Error>> {
    for length in [16, 1_000, 10_000] {
        let mut line = vec![b'x'; length];
        line[length - 1] = b'\n';
        let (raw, pooled) = (raw(&line)?, pooled(&line)?);
        println!(
            "{length:>6} bytes: {raw:>9.0} raw, {pooled:>9.0} pooled exchanges/s, ratio {:.2}",
            pooled / raw
        );
    }
    Ok(())
}

/// Exchanges a second with a child of the standard library.
fn raw(line: &[u8]) -> Result<f64, Box<dyn Error>> {
    let mut child = std::process::Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (mut input, mut output) = input.zip(output).ok_or("the pipes of `cat` are missing")?;
    let mut buffer = vec![0; line.len()];
    let start = Instant::now();
    for _ in 0..EXCHANGES {
        input.write_all(line)?;
        output.read_exact(&mut buffer)?;
    }
    let rate = f64::from(EXCHANGES) / start.elapsed().as_secs_f64();
    drop(input);
    child.wait()?;
    Ok(rate)
}

/// Exchanges a second with a child of a pool.
fn pooled(line: &[u8]) -> Result<f64, Box<dyn Error>> {
    let pool = Pool::new(Guard::of_this_program()?);
    let mut child = pool.take(&Command::for_agent(&["cat".to_owned()], std::env::temp_dir()))?;
    let start = Instant::now();
    for _ in 0..EXCHANGES {
        let mut missing = line.len();
        child.exchange(line, LIMIT, &mut |bytes| {
            missing -= bytes.len();
            missing == 0
        })?;
    }
    Ok(f64::from(EXCHANGES) / start.elapsed().as_secs_f64())
}
