//! The arguments of the two small processes: settings as `name=value`, `--`, then the program with its own.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::time::Duration;

use crate::command::{Command, Confinement, Isolation, Limits};

/// Settings of a guard and a launcher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// The folder of the guard's socket.
    pub(super) meeting: PathBuf,
    pub(super) grace: Duration,
    pub(super) limits: Limits,
    pub(super) confinement: Option<Confinement>,
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
}

impl Settings {
    pub(super) fn new(meeting: PathBuf, command: &Command) -> Self {
        Self {
            meeting,
            grace: command.grace,
            limits: command.limits,
            confinement: command.confinement.clone(),
            program: command.program.clone(),
            arguments: command.arguments.clone(),
        }
    }

    /// Returns the arguments for them.
    pub(super) fn write(&self) -> Vec<OsString> {
        let Limits { memory_bytes, processes, open_files, file_bytes } = self.limits;
        let setting = |name: &str, value: &OsStr| {
            let mut setting = OsString::from(name);
            setting.push("=");
            setting.push(value);
            setting
        };
        let number = |name: &str, value: u64| setting(name, OsStr::new(&value.to_string()));
        let mut out = vec![
            setting("meeting", self.meeting.as_os_str()),
            number("grace-ms", u64::try_from(self.grace.as_millis()).unwrap_or(u64::MAX)),
            number("memory-bytes", memory_bytes),
            number("processes", processes as u64),
            number("open-files", open_files),
            number("file-bytes", file_bytes),
        ];
        if let Some(Confinement { isolation, port, may_read }) = &self.confinement {
            let isolation = match isolation {
                Isolation::Namespaces => "namespaces",
                Isolation::Filters => "filters",
            };
            out.push(setting("confined", isolation.as_ref()));
            out.extend(port.map(|port| number("port", port.into())));
            out.extend(may_read.iter().map(|path| setting("may-read", path.as_os_str())));
        }
        out.push("--".into());
        out.push(self.program.clone());
        out.extend_from_slice(&self.arguments);
        out
    }

    /// From arguments; none if they are others.
    pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut arguments = arguments.into_iter();
        let (mut meeting, mut grace) = (None, None);
        let (mut limits, mut confinement) = (Limits::default(), None::<Confinement>);
        for argument in arguments.by_ref() {
            if argument == "--" {
                break;
            }
            let bytes = argument.into_vec();
            let place = bytes.iter().position(|byte| *byte == b'=')?;
            let value = OsStr::from_bytes(&bytes[place + 1..]);
            let number = || value.to_str()?.parse::<u64>().ok();
            match &bytes[..place] {
                b"meeting" => meeting = Some(PathBuf::from(value)),
                b"grace-ms" => grace = Some(Duration::from_millis(number()?)),
                b"memory-bytes" => limits.memory_bytes = number()?,
                b"processes" => limits.processes = usize::try_from(number()?).ok()?,
                b"open-files" => limits.open_files = number()?,
                b"file-bytes" => limits.file_bytes = number()?,
                b"confined" => {
                    let isolation = match value.as_bytes() {
                        b"namespaces" => Isolation::Namespaces,
                        b"filters" => Isolation::Filters,
                        _ => return None,
                    };
                    confinement = Some(Confinement { isolation, port: None, may_read: Vec::new() });
                }
                b"port" => confinement.as_mut()?.port = Some(u16::try_from(number()?).ok()?),
                b"may-read" => confinement.as_mut()?.may_read.push(PathBuf::from(value)),
                _ => return None,
            }
        }
        let program = arguments.next()?;
        let (meeting, grace) = (meeting?, grace?);
        Some(Self { meeting, grace, limits, confinement, program, arguments: arguments.collect() })
    }

    /// Returns the guard's socket.
    pub(super) fn socket(&self) -> PathBuf {
        self.meeting.join("socket")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_read_as_they_are_written() {
        let free = Settings {
            meeting: "/tmp/a b=c".into(),
            grace: Duration::from_millis(1500),
            limits: Limits { memory_bytes: 1, processes: 2, open_files: 3, file_bytes: 4 },
            confinement: None,
            program: "python3".into(),
            arguments: ["--", "x=y", ""].map(OsString::from).to_vec(),
        };
        let may_read = vec![OsString::from_vec(vec![0xff]).into()];
        let confined =
            [(Isolation::Namespaces, Some(65535)), (Isolation::Filters, None)].map(|(isolation, port)| {
                let confinement = Confinement { isolation, port, may_read: may_read.clone() };
                Settings { confinement: Some(confinement), ..free.clone() }
            });
        for settings in confined.into_iter().chain([free]) {
            assert_eq!(Settings::read(settings.write()), Some(settings));
        }
        assert_eq!(Settings::read(["colour=red", "--", "a"].map(OsString::from)), None);
        assert_eq!(Settings::read([]), None);
    }
}
