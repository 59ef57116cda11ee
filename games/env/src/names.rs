//! Finds the known name that is most like an unknown one, for hints such as "did you mean".

/// The least likeness, from 0 to 1, at which one name may be meant by the other.
const ALIKE: f64 = 0.5;

/// A known name that is the most like another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nearest<'a> {
    /// The name.
    pub name: &'a str,
    /// Whether it is like enough to be meant.
    pub is_meant: bool,
}

/// Returns the one of these names that is most like `asked`, in upper or lower case; `None` if there are no names.
pub fn nearest<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> Option<Nearest<'a>> {
    let asked = asked.to_lowercase();
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &asked);
    let judged = names.into_iter().map(|name| (name, likeness(name)));
    let (name, likeness) = judged.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    Some(Nearest { name, is_meant: likeness >= ALIKE })
}

/// Returns a hint for the end of an error: ``; did you mean `greedy`?``. Empty if no name is like enough.
pub fn did_you_mean<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(asked, names).filter(|near| near.is_meant);
    near.map_or_else(String::new, |near| format!("; did you mean `{}`?", near.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_always_named() {
        let names = ["startX", "startY", "seed"];
        let found = |asked| nearest(asked, names).map(|found| (found.name, found.is_meant));
        assert_eq!(found("satrtx"), Some(("startX", true)));
        assert_eq!(found("SEED"), Some(("seed", true)));
        assert_eq!(found("needle"), Some(("seed", true)));
        assert!(found("colour").is_some_and(|(_, is_meant)| !is_meant));
        assert_eq!(nearest("seed", []), None);
        assert_eq!(did_you_mean("sede", names), "; did you mean `seed`?");
        assert_eq!(did_you_mean("colour", names), "");
    }
}
