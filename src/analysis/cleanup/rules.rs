//! Cleanup rules, read from `rules.txt`.
//!
//! Invariant: every line of the file is a rule, unless it is empty or a comment; a test checks this.

use crate::tree::{DirId, Tree};

const RULES: &str = include_str!("rules.txt");

/// Rule that recognizes directories by their names and by evidence, such as a specific file inside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    name: Pattern,
    proofs: Vec<Proof>,
    /// Text that describes the directory and explains how to restore it.
    pub reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Proof {
    Beside(Pattern),
    Inside(Pattern),
    /// The path of the directory ends with these components.
    Path(Vec<&'static str>),
}

/// Name pattern: a whole name, or a prefix and a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pattern {
    start: &'static str,
    end: Option<&'static str>,
}

/// Returns all rules, in the order of `rules.txt`.
pub fn rules() -> Vec<Rule> {
    let lines = RULES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(rule).collect()
}

fn rule(line: &'static str) -> Option<Rule> {
    let mut fields = line.splitn(3, '|').map(str::trim);
    let name = Pattern::new(fields.next()?);
    let proofs = fields.next()?.split(',').map(|word| proof(word.trim())).collect::<Option<_>>()?;
    Some(Rule { name, proofs, reason: fields.next()? })
}

fn proof(words: &'static str) -> Option<Proof> {
    let (kind, what) = words.split_once(' ')?;
    match kind {
        "beside" => Some(Proof::Beside(Pattern::new(what))),
        "inside" => Some(Proof::Inside(Pattern::new(what))),
        "path" => Some(Proof::Path(what.split('/').collect())),
        _ => None,
    }
}

impl Pattern {
    fn new(text: &'static str) -> Self {
        match text.split_once('*') {
            Some((start, end)) => Self { start, end: Some(end) },
            None => Self { start: text, end: None },
        }
    }

    fn matches(self, name: &[u8]) -> bool {
        match self.end {
            None => name == self.start.as_bytes(),
            Some(end) => {
                name.len() >= self.start.len() + end.len()
                    && name.starts_with(self.start.as_bytes())
                    && name.ends_with(end.as_bytes())
            }
        }
    }
}

impl Rule {
    /// Returns `true` if the rule can apply to a directory with this name. [`Self::is_proven`] checks the evidence.
    pub(crate) fn is_named(&self, name: &[u8]) -> bool {
        self.name.matches(name)
    }

    /// Returns `true` if directory `id` has the evidence that the rule requires: a specific entry next to it in
    /// `parent`, a specific entry inside it, or specific names at the end of its path.
    pub(crate) fn is_proven(&self, tree: &Tree, parent: DirId, id: DirId) -> bool {
        let holds = |directory: DirId, pattern: Pattern| {
            tree.listing(directory).entries().any(|(_, record)| pattern.matches(record.name))
        };
        self.proofs.iter().any(|proof| match proof {
            Proof::Beside(pattern) => holds(parent, *pattern),
            Proof::Inside(pattern) => holds(id, *pattern),
            Proof::Path(names) => {
                let path = tree.path(id);
                let mut parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).rev();
                names.iter().rev().all(|name| parts.next() == Some(name.as_bytes()))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_rule_with_a_proof_and_a_reason() {
        let lines = RULES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let rule = rule(line).unwrap_or_else(|| panic!("{line}"));
            assert!(!rule.proofs.is_empty() && rule.reason.len() > 10, "{line}");
            assert!(rule.reason.len() <= 70, "{line}: too long for a line of the screen");
            for proof in &rule.proofs {
                if let Proof::Path(names) = proof {
                    assert!(rule.name.matches(names.last().unwrap().as_bytes()) && names.len() > 1, "{line}");
                }
            }
        }
        assert!(rules().len() > 40);
    }
}
