//! Files that appear only when they are complete: a full disk leaves no empty or cut-off file behind, and does not
//! change an older file of the same name.
//!
//! ```
//! use std::io::Write as _;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("standings.csv");
//! whole_file::write(&path, |out| writeln!(out, "entrant,points"))?;
//! assert_eq!(std::fs::read_to_string(&path)?, "entrant,points\n");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What this crate does not do
//!
//! It does not lock files: of two programs that write the same file, the last one wins.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that appears under its name when it is [finished](WholeFile::finish). If this value is dropped before,
/// nothing of it is left.
///
/// It is written beside its place, and renamed at the end. On Linux it has no name until then, so that nothing is left
/// of it even where the process is killed; elsewhere, and in folders that cannot hold files without a name, it is
/// called `.….part`. If the path is that of a pipe, a terminal or another file that is not a regular one, it is written
/// to directly.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Beside(NamedTempFile),
    /// In the folder, without a name.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Itself(File),
}

impl WholeFile {
    /// Begins a file for this path.
    ///
    /// # Errors
    ///
    /// If there is no such folder, or nothing can be written to it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let present = fs::metadata(path).ok();
        // The name of a pipe, e.g. `/dev/stdout`, is a link that leads to no path.
        if present.as_ref().is_some_and(|present| !present.is_file()) {
            let file = File::options().write(true).open(path)?;
            return Ok(Self { path: path.to_owned(), place: Place::Itself(file) });
        }
        // A link stays one, and leads to the new file, also if there was no file to which it led.
        let path = fs::canonicalize(path).unwrap_or_else(|_| end_of_links(path));
        let permissions = present.map(|present| present.permissions());
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder(&path)) {
            if let Some(permissions) = permissions {
                file.set_permissions(permissions)?;
            }
            return Ok(Self { path, place: Place::Unnamed(file) });
        }
        // As `File` creates files: with the permissions of other new files, and with errors that do not name the path.
        let file = part().make_in(folder(&path), |path| File::create_new(path))?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self { path, place: Place::Beside(file) })
    }

    /// Brings all of it to the disk and gives it its name.
    ///
    /// # Errors
    ///
    /// If that cannot be done; then nothing is left of it.
    pub fn finish(self) -> io::Result<()> {
        match self.place {
            Place::Itself(mut file) => file.flush(),
            Place::Beside(file) => {
                file.as_file().sync_all()?;
                file.persist(&self.path)?;
                Ok(())
            }
            #[cfg(target_os = "linux")]
            Place::Unnamed(file) => {
                file.sync_all()?;
                // A link replaces no file: it gets a name of its own first.
                part().make_in(folder(&self.path), |path| link(&file, path))?.persist(&self.path)?;
                Ok(())
            }
        }
    }
}

/// Writes a file through a buffer. It appears, and replaces another file of its name, when `write` has succeeded.
///
/// # Errors
///
/// Fails if the file cannot be written, or if `write` fails; then nothing has changed.
pub fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::new(WholeFile::create(path)?);
    write(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
}

/// Brings the name of a file to the disk: without that, a machine that loses power may forget that it was renamed.
/// Does nothing where folders cannot be opened, as on Windows.
///
/// # Errors
///
/// Fails if the folder cannot be opened or brought to the disk.
pub fn sync_name(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// Returns the path to which links lead that end at no file; this path if it is no link.
fn end_of_links(path: &Path) -> PathBuf {
    /// As many as systems follow.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder(&path).join(target);
    }
    path
}

/// Returns the folder in which a file of this path is.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Names for files that are not whole.
fn part() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".part");
    builder
}

/// Returns a new file without a name, if the folder can hold one and it can be given a name later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    // The permissions of other new files.
    let mode = Mode::from_raw_mode(0o666);
    let file = open(folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, mode).ok().map(File::from)?;
    opened(&file).exists().then_some(file)
}

/// Returns the path under which this process has the file open.
#[cfg(target_os = "linux")]
fn opened(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives a name to a file that has none.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, opened(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Beside(file) => file.as_file_mut().write(bytes),
            #[cfg(target_os = "linux")]
            Place::Unnamed(file) => file.write(bytes),
            Place::Itself(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Beside(file) => file.as_file_mut().flush(),
            #[cfg(target_os = "linux")]
            Place::Unnamed(file) => file.flush(),
            Place::Itself(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.html");
        fs::write(&path, "older").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "older");
        // A process that is killed here leaves nothing behind.
        #[cfg(target_os = "linux")]
        assert_eq!(names(folder.path()), ["game.html"]);
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["game.html"]);
        let missing = WholeFile::create(&folder.path().join("no folder/x")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_failure_leaves_the_older_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        write(&path, |out| out.write_all(b"older")).unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "older");
        assert_eq!(names(folder.path()), ["report.html"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "older").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        let mut file = WholeFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let [early, between] = ["early", "between"].map(|name| folder.path().join(name));
        symlink("later", &between).unwrap();
        symlink("between", &early).unwrap();
        write(&early, |out| out.write_all(b"first")).unwrap();
        for link in [early, between] {
            assert!(fs::symlink_metadata(link).unwrap().is_symlink());
        }
        assert_eq!(fs::read_to_string(folder.path().join("later")).unwrap(), "first");
        let mut file = WholeFile::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"gone").unwrap();
        file.finish().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    /// As `/dev/stdout` or `>(program)` in a shell: the link that names the pipe leads to no path.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_written_by_the_name_of_its_descriptor() {
        use std::os::fd::AsRawFd as _;

        let (mut reader, writer) = io::pipe().unwrap();
        let mut file = WholeFile::create(Path::new(&format!("/dev/fd/{}", writer.as_raw_fd()))).unwrap();
        file.write_all(b"there").unwrap();
        file.finish().unwrap();
        drop(writer);
        let mut text = String::new();
        io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert_eq!(text, "there");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_is_brought_to_the_disk_with_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        sync_name(&folder.path().join("file")).unwrap();
        sync_name(Path::new("file")).unwrap();
        let missing = sync_name(&folder.path().join("no folder/file")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
