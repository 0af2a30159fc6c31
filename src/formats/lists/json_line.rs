//! Parser for lines that are JSON objects.

use std::collections::HashMap;

use super::entry_line::EntryLine;
use super::field::{FieldColumn, FieldUnit, ListColumn};
use super::value::LineError;
use crate::formats::input::{Fault, Reason};
use crate::formats::json_lexer::Lexer;

/// Maximum number of keys in the cache of an [`ObjectParser`].
const KEYS: usize = 1024;

/// Parser for JSON objects, with a cache of the keys that occur in them.
pub(crate) struct ObjectParser {
    lexer: Lexer<'static>,
    /// Cache of the field for each key; `None` for unknown keys.
    keys: HashMap<Vec<u8>, Option<FieldUnit>>,
    given: Vec<FieldColumn>,
}

impl ObjectParser {
    /// Creates a parser. `given` contains the fields whose keys the user has specified.
    pub(crate) fn new(given: &[FieldColumn]) -> Self {
        Self { lexer: Lexer::of_texts(), keys: HashMap::new(), given: given.to_vec() }
    }

    /// Parses the object in `text` and stores its values in `line`. `errno` converts an error message to its number.
    pub(crate) fn read(
        &mut self,
        text: &[u8],
        line: &mut EntryLine,
        errno: impl Fn(&[u8]) -> i32,
    ) -> Result<(), LineError> {
        self.lexer.load(text);
        self.lexer.expect(b'{').map_err(reason)?;
        if self.lexer.peek_significant().map_err(reason)? == b'}' {
            self.lexer.expect(b'}').map_err(reason)?;
            return self.lexer.end().map_err(reason);
        }
        loop {
            self.lexer.string().map_err(reason)?;
            let meaning = self.meaning();
            self.lexer.expect(b':').map_err(reason)?;
            match (meaning, self.lexer.scalar().map_err(reason)?) {
                (Some(meaning), Some(value)) if !value.is_empty() => {
                    let set = line.set(meaning, value, &errno);
                    set.map_err(|reason| format!("{}: {reason}", meaning.field.name().replace(' ', "_")))?;
                }
                _ => {}
            }
            match self.lexer.significant().map_err(reason)? {
                b',' => {}
                b'}' => return self.lexer.end().map_err(reason),
                _ => return self.lexer.fault_at_last("expected ',' or '}'").map_err(reason),
            }
        }
    }

    /// Returns the field for the most recently read key. Returns `None` if the key names no field, or if the user has
    /// specified a different column for this field.
    fn meaning(&mut self) -> Option<FieldUnit> {
        let key = self.lexer.text();
        if let Some(known) = self.keys.get(key) {
            return *known;
        }
        let meaning = std::str::from_utf8(key).ok().and_then(|key| {
            let is_key =
                |column: &FieldColumn| matches!(&column.column, ListColumn::Header(name) if name == key);
            let given = self.given.iter().find(|column| is_key(column)).map(|column| column.meaning);
            let is_given = |field| self.given.iter().any(|column| column.meaning.field == field);
            given.or_else(|| FieldUnit::of_name(key).filter(|meaning| !is_given(meaning.field)))
        });
        if self.keys.len() < KEYS {
            self.keys.insert(key.to_vec(), meaning);
        }
        meaning
    }
}

fn reason(fault: Fault) -> LineError {
    match fault.reason {
        Reason::Wrong(what) => format!("byte {}: {what}", fault.offset).into(),
        Reason::Unreadable(what) => what,
        Reason::Stopped => "stopped".into(),
    }
}
