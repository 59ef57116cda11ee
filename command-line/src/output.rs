//! Files that a command writes because the user asked for them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, shown};

/// Writes a file, which appears only when it is complete.
///
/// # Errors
///
/// If the file cannot be written; the hint says what the user can do then.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>, hint: &str) -> Result<(), Failure> {
    whole_file::write(path, |out| out.write_all(content.as_ref()))
        .map_err(|error| Failure::unwritable(path, &error, hint))
}

/// Writes a file as [`write_file`] does, in a folder that is created if it is not there.
///
/// # Errors
///
/// If the folder cannot be created, or the file cannot be written; the hint says what the user can do then.
pub fn write_file_in_folder(path: &Path, content: impl AsRef<[u8]>, hint: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::undone(format!("cannot create the folder {}: {error}", shown(folder)), hint)
        })?;
    }
    write_file(path, content, hint)
}

/// Refuses results, each given by its flag, that go to the same file: one would replace the other.
///
/// # Errors
///
/// If two of them do.
pub fn check_apart(results: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    // The files need not exist yet.
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        path.file_name().map_or_else(|| path.to_owned(), |name| folder.join(name))
    };
    let mut before: Vec<(&str, PathBuf)> = Vec::new();
    for (flag, path) in results.iter().filter_map(|(flag, path)| Some((*flag, (*path)?))) {
        let own = place(path);
        if let Some((other, _)) = before.iter().find(|(_, other)| *other == own) {
            return Err(Failure::misuse(
                format!("`{other}` and `{flag}` write the same file, {}", shown(path)),
                "name a file for each",
            ));
        }
        before.push((flag, own));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_results_need_two_files() {
        let check = |paths: [&str; 2]| {
            let results = paths.map(|path| (path, (!path.is_empty()).then(|| Path::new(path))));
            check_apart(&results).map_err(|failure| failure.why().to_owned())
        };
        for apart in [["a", "b"], ["", ""], ["a", ""], ["src/a", "a"], ["missing/a", "a"]] {
            assert_eq!(check(apart), Ok(()), "{apart:?}");
        }
        for (same, told) in [
            (["a", "a"], "`a` and `a` write the same file, a"),
            (["a", "./a"], "`a` and `./a` write the same file, ./a"),
            (["src/../a", "a"], "`src/../a` and `a` write the same file, a"),
        ] {
            assert_eq!(check(same), Err(told.to_owned()));
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reports/report.csv");
        let refused = write_file(&path, "entrant,points\n", "choose another folder").unwrap_err();
        assert!(refused.why().starts_with(&format!("cannot write {}: ", path.display())), "{refused}");
        assert!(refused.to_string().ends_with("\nhint: choose another folder"), "{refused}");

        write_file_in_folder(&path, "entrant,points\n", "choose another folder").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "entrant,points\n");
        let below_a_file = path.join("report.html");
        let refused = write_file_in_folder(&below_a_file, "", "choose another folder").unwrap_err();
        let expected = format!("cannot create the folder {}: ", path.display());
        assert!(refused.why().starts_with(&expected), "{refused}");
    }
}
