//! The reference of a command line as a page in Markdown.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// Returns Markdown that describes these command lines: usage, arguments and flags, then each visible subcommand.
///
/// A section of the second level for each command, the heading of the page is the caller's. Arguments stand in the
/// order and under the headings of `--help`; the flags `--help` and `--version` are left out.
///
/// ```
/// use clap::{Arg, Command};
///
/// let seed = Arg::new("seed").long("seed").value_name("NUMBER").help("The seed");
/// let page = command_line::reference([Command::new("play").about("Plays a game").arg(seed)]);
/// assert!(page.starts_with("## `play`\n\nPlays a game.\n"));
/// assert!(page.contains("| `--seed NUMBER` | The seed. |"));
/// ```
pub fn reference(commands: impl IntoIterator<Item = Command>) -> String {
    let mut page = String::new();
    for mut command in commands {
        command.build();
        let name = command.get_name().to_owned();
        section(&mut page, &name, &command);
    }
    page
}

/// The section of a command with this full name, and those of its subcommands.
fn section(page: &mut String, name: &str, command: &Command) {
    let break_before = if page.is_empty() { "" } else { "\n" };
    // A `String` takes everything.
    let _ = writeln!(page, "{break_before}## `{name}`");
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        for paragraph in about.to_string().split("\n\n") {
            let _ = writeln!(page, "\n{}", sentence(&prose(paragraph)));
        }
    }
    let usage = command.clone().render_usage().to_string();
    let usage: Vec<&str> = usage.trim_start_matches("Usage:").lines().map(str::trim).collect();
    let _ = writeln!(page, "\n```text\n{}\n```", usage.join("\n"));
    let shown: Vec<&Arg> = command.get_arguments().filter(|argument| is_shown(argument)).collect();
    let mut headings: Vec<Option<&str>> = Vec::new();
    for argument in &shown {
        let heading = argument.get_help_heading();
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    // Flags without a heading come first, as in `--help`.
    headings.sort_by_key(Option::is_some);
    for heading in headings {
        if let Some(heading) = heading {
            let _ = writeln!(page, "\n{heading}:");
        }
        page.push_str("\n| argument | meaning |\n|---|---|\n");
        for argument in shown.iter().filter(|argument| argument.get_help_heading() == heading) {
            let _ = writeln!(page, "| {} | {} |", cell(&names(argument)), cell(&meaning(argument)));
        }
    }
    if let Some(more) = command.get_after_help() {
        for line in more.to_string().lines() {
            let _ = writeln!(page, "\n{}", sentence(&prose(line)));
        }
    }
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        section(page, &format!("{name} {}", below.get_name()), below);
    }
}

/// Returns whether the page has a row for it: every program has the flags for help and version.
fn is_shown(argument: &Arg) -> bool {
    !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
}

/// Returns the argument as it is typed, and its other names.
fn names(argument: &Arg) -> String {
    let takes_value = argument.get_num_args().is_some_and(|range| range.takes_values());
    let value = || {
        let given = argument.get_value_names().unwrap_or_default();
        let given: Vec<&str> = given.iter().map(clap::builder::Str::as_str).collect();
        if given.is_empty() { argument.get_id().as_str().to_uppercase() } else { given.join(" ") }
    };
    let Some(long) = argument.get_long() else { return code(&value()) };
    let spelt = |name: &str| if takes_value { format!("--{name} {}", value()) } else { format!("--{name}") };
    let mut names = vec![code(&spelt(long))];
    names.extend(argument.get_visible_aliases().unwrap_or_default().iter().map(|other| code(&spelt(other))));
    names.join(", ")
}

/// Returns the meaning of an argument, the values that it takes, and its default.
fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let (help, told) = match help.rsplit_once(" [") {
        Some((help, told)) if told.ends_with(']') => (help, format!(" [{told}")),
        _ => (&help[..], String::new()),
    };
    let mut text = sentence(&prose(help));
    text += &prose(&told);
    let takes_value = argument.get_num_args().is_some_and(|range| range.takes_values());
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| takes_value && !value.is_hide_set())
        .map(|value| code(value.get_name()))
        .collect();
    if !values.is_empty() && !argument.is_hide_possible_values_set() {
        text += &format!(" One of {}.", values.join(", "));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
    if takes_value && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        text += &format!(" [default: {}]", defaults.join(" "));
    }
    text.trim().to_owned()
}

/// Returns the text with a capital at its beginning and a full stop at its end.
fn sentence(text: &str) -> String {
    let mut letters = text.trim().chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let text = first + letters.as_str();
    if text.is_empty() || text.ends_with(['.', ':', '!', '?']) { text } else { format!("{text}.") }
}

/// Returns text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns text in which Markdown sees neither HTML nor emphasis, and in which flags are code: a book shows other
/// hyphens as a dash.
fn prose(text: &str) -> String {
    let plain = |text: &str| text.replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_");
    let word = |word: &str| {
        let start = word.len() - word.trim_start_matches(['(', '"']).len();
        let is_of_flag = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
        let end = word[start..].find(|sign| !is_of_flag(sign)).map_or(word.len(), |length| start + length);
        match &word[start..end] {
            flag if flag.starts_with("--") && flag.len() > 2 => {
                format!("{}{}{}", plain(&word[..start]), code(flag), plain(&word[end..]))
            }
            _ => plain(word),
        }
    };
    let outside = |text: &str| text.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let parts = text.split('`').enumerate();
    // Every second part stands between backticks and is shown as it is.
    let parts: Vec<String> =
        parts.map(|(place, part)| if place % 2 == 1 { part.to_owned() } else { outside(part) }).collect();
    parts.join("`").replace('\n', " ")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;
    use clap::builder::PossibleValuesParser;
    use insta::assert_snapshot;

    use super::*;

    #[test]
    fn a_page_has_what_help_has() {
        let kind = Arg::new("kind").value_parser(PossibleValuesParser::new(["quick", "slow"]));
        let command = Command::new("sample")
            .version("1")
            .disable_help_subcommand(true)
            .about("Plays *samples*")
            .after_help("Exit codes: 0 done\nSee `<a|b>`.")
            .arg(Arg::new("FILE").help("The file <for> the game [default: a_b]"))
            .arg(
                Arg::new("port")
                    .long("port")
                    .visible_alias("door")
                    .value_name("A|B")
                    .help("The port, instead of (--door)"),
            )
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print it as JSON"))
            .arg(Arg::new("secret").long("secret").hide(true))
            .subcommand(Command::new("hidden").hide(true))
            .subcommand(
                Command::new("run").about("Runs it").arg(kind.help("What kind").default_value("slow")).arg(
                    Arg::new("jobs").long("jobs").value_name("N").help_heading("Speed").help("How many"),
                ),
            );
        assert_snapshot!(reference([command]));
    }
}
