//! Finds the known name that is most like an unknown one, for hints such as "did you mean".

/// The least likeness, from 0 to 1, at which one name may be meant by the other.
const ALIKE: f64 = 0.5;

/// Returns the one of these names that is most like `asked`, in upper or lower case; `None` if none is like enough to
/// be meant.
pub fn nearest<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let asked = asked.to_lowercase();
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &asked);
    let judged = names.into_iter().map(|name| (name, likeness(name)));
    let (name, likeness) = judged.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (likeness >= ALIKE).then_some(name)
}

/// Returns a hint for the end of an error: ``; did you mean `greedy`?``. Empty if no name is like enough.
pub fn did_you_mean<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(asked, names).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_if_it_is_like_enough() {
        let names = ["startX", "startY", "seed"];
        let found = |asked| nearest(asked, names);
        assert_eq!(found("satrtx"), Some("startX"));
        assert_eq!(found("SEED"), Some("seed"));
        assert_eq!(found("needle"), Some("seed"));
        assert_eq!(found("colour"), None);
        assert_eq!(nearest("seed", []), None);
        assert_eq!(did_you_mean("sede", names), "; did you mean `seed`?");
        assert_eq!(did_you_mean("colour", names), "");
    }
}
