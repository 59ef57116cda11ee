//! Builds the book into `target/book`: `cargo xtask book`.

use std::path::Path;

use anyhow::{Context, Result};
use mdbook_driver::MDBook;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut book = MDBook::load(root).context("failed to read the book")?;
    let into = root.parent().expect("the book is a folder of the workspace").join("target/book");
    book.config.build.build_dir = into.clone();
    book.build().context("failed to build the book")?;
    println!("the book is at {}", into.join("index.html").display());
    Ok(())
}
