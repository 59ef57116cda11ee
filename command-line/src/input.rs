//! Files that a user names, or that stand in a folder of a user: only regular files are read, and only up to a limit.
//!
//! A program that opens a pipe waits for its writer, perhaps without end, and a device such as `/dev/zero` has no end.
//! This module knows no file format.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a regular file for reading. Links are followed.
///
/// # Errors
///
/// If there is no such file, it cannot be read, or it is something else: a folder, a pipe, a device.
pub fn open_file(path: &Path) -> io::Result<File> {
    // Before it is opened: that can wait for the writer of a pipe.
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // Another file may have taken its place.
    check(&file.metadata()?)?;
    Ok(file)
}

/// Returns the content of a regular file of at most `most` bytes.
///
/// # Errors
///
/// As [`open_file`], and if it is longer. No more than the limit is read.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is longer than {most} bytes, the limit of such a file"),
        ));
    }
    Ok(bytes)
}

/// Returns the text of a regular file of at most `most` bytes.
///
/// # Errors
///
/// As [`read_file`], and if it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("byte {at} is not UTF-8: save it as UTF-8"))
    })
}

fn check(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() { "a folder" } else { "not a regular file, e.g. a pipe or a device" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}: expected a regular file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "żółw").unwrap();
        assert_eq!(read_text(&path, 7).unwrap(), "żółw");
        assert_eq!(
            read_text(&path, 6).unwrap_err().to_string(),
            "it is longer than 6 bytes, the limit of such a file"
        );
        fs::write(&path, b"a\xff").unwrap();
        assert_eq!(read_text(&path, 9).unwrap_err().to_string(), "byte 1 is not UTF-8: save it as UTF-8");
        assert_eq!(read_file(&path, u64::MAX).unwrap(), b"a\xff");
        assert_eq!(open_file(&path.join("none")).unwrap_err().kind(), io::ErrorKind::NotADirectory);
        let error = read_file(folder.path(), 9).unwrap_err().to_string();
        assert_eq!(error, "it is a folder: expected a regular file");
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&link, &pipe] {
            let error = open_file(path).unwrap_err().to_string();
            assert_eq!(error, "it is not a regular file, e.g. a pipe or a device: expected a regular file");
        }
    }
}
