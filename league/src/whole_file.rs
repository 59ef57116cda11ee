//! Files that appear when they are whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file. It appears, and replaces another of its name, when `write` has succeeded.
///
/// # Errors
///
/// Fails if the file cannot be written, and if `write` does.
pub fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As `File` creates files: with the permissions of other new files.
    let create = |path: &Path| File::create_new(path);
    let mut file = tempfile::Builder::new().prefix(".").suffix(".part").make_in(folder, create)?;
    let mut out = BufWriter::new(file.as_file_mut());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
