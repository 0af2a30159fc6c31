//! Exclude patterns from the command line and from files.

use std::path::Path;

use super::UsageError;
use crate::base::os_error::cannot_read;
use crate::base::sync::Arc;
use crate::base::text::escape_path;
use crate::cli::args::Arguments;
use crate::run::streams::standard_input;
use crate::scan::{Exclude, ExcludePatterns};

/// Returns all exclude patterns, including those in files.
pub fn patterns(arguments: &Arguments) -> Result<Vec<String>, UsageError> {
    let mut patterns = arguments.exclude.clone();
    for path in &arguments.exclude_from {
        patterns.extend(patterns_of(Path::new(path))?);
    }
    Ok(patterns)
}

/// Compiles the patterns.
pub fn filter(patterns: &[String]) -> Result<Option<Arc<dyn Exclude>>, UsageError> {
    ExcludePatterns::filter(patterns).map_err(|bad| UsageError::Usage(bad.to_string()))
}

/// Reads the patterns in a file as du(1) does, one per line. Removes trailing blanks and skips empty lines. Checks each
/// pattern separately, so that an error can name the line of the pattern.
fn patterns_of(path: &Path) -> Result<Vec<String>, UsageError> {
    let is_standard = path.as_os_str() == "-";
    let name = if is_standard { "standard input".to_owned() } else { escape_path(path) };
    let refused = |reason: &str| UsageError::Usage(format!("{name}: {reason}"));
    let read = if is_standard { standard_input() } else { std::fs::read(path) };
    let bytes = read.map_err(|error| refused(&cannot_read(&error)))?;
    let lines = (1..).zip(bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end));
    let pattern = |(number, line): (usize, &[u8])| {
        let pattern =
            String::from_utf8(line.to_vec()).map_err(|_| refused(&format!("line {number} is not UTF-8")))?;
        ExcludePatterns::check(&pattern).map_err(|bad| refused(&format!("line {number}: {bad}")))?;
        Ok(pattern)
    };
    lines.filter(|(_, line)| !line.is_empty()).map(pattern).collect()
}
