//! The patterns of what is left out: those that were typed, and those in files.

use std::io::{self, Read};
use std::path::Path;

use super::Refusal;
use super::arguments::Arguments;
use crate::platform::{streams, words};
use crate::scan::{BadPattern, Filter};
use crate::text::{escape, escape_path};

/// The patterns given, also those in files.
pub(super) fn patterns(arguments: &Arguments) -> Result<Vec<String>, Refusal> {
    let mut patterns = arguments.exclude.clone();
    for path in &arguments.exclude_from {
        patterns.extend(patterns_of(Path::new(path))?);
    }
    Ok(patterns)
}

/// The filter that they make.
pub(super) fn filter(patterns: &[String]) -> Result<Filter, Refusal> {
    let bad = |BadPattern { pattern, reason }| {
        Refusal::Usage(format!("pattern '{}': {reason}", escape(pattern.as_bytes())))
    };
    Filter::new(patterns.iter().map(String::as_str)).map_err(bad)
}

/// The patterns in a file as du(1) reads them: one a line, without blanks behind; empty lines are none.
fn patterns_of(path: &Path) -> Result<Vec<String>, Refusal> {
    let refused = |reason: &str| Refusal::Usage(format!("{}: {reason}", escape_path(path)));
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        streams::input().and_then(|()| io::stdin().lock().read_to_end(&mut bytes))
    } else {
        std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| refused(&words(&error)))?;
    let lines =
        bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    lines
        .map(|line| String::from_utf8(line.to_vec()).map_err(|_| refused("a pattern is not UTF-8")))
        .collect()
}
