//! Files: read, written, copied, with errors that name them.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Returns the text of a file.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Creates a folder, and those around it.
pub(crate) fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// Makes an empty folder.
pub(crate) fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    make(folder)
}

/// Writes a file.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Copies a file.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = fs::copy(from, to);
    copied.map(drop).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Copies a folder with all files and folders in it, except for files that Python leaves behind.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    make(to)?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", from.display()))?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if !from.is_dir() {
            copy(&from, &to)?;
        } else if entry.file_name() != "__pycache__" {
            copy_folder(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn folders_are_copied_without_what_python_leaves_behind() {
        let folder = env::temp_dir().join(format!("xtask-files-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        make(&from.join("deep")).unwrap();
        make(&from.join("__pycache__")).unwrap();
        fs::write(from.join("deep/file"), "text").unwrap();
        copy_folder(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("deep/file")).unwrap(), "text");
        assert!(!to.join("__pycache__").exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
