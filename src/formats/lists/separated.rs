//! Splits a record into fields. A record is either CSV, in which fields may be quoted (RFC 4180), or tab-separated
//! text, in which quotes have no special meaning.

use super::value::LineError;

/// State of a CSV parser that processes one byte at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CsvState {
    /// Start of a field, the only place where a quote opens a quoted field.
    Start,
    /// Within a field without quotes.
    Plain,
    /// Within the quotes of a quoted field.
    Quoted,
    /// After a quote in a quoted field. The quote closes the field unless another quote follows.
    Closed,
    /// After an invalid byte that follows a closing quote.
    Wrong,
    End,
}

impl CsvState {
    /// Moves past a byte and returns the new state.
    pub(crate) fn next(&mut self, byte: u8, separator: u8) -> Self {
        *self = match (*self, byte) {
            (Self::Quoted, b'"') => Self::Closed,
            (Self::Start | Self::Closed, b'"') | (Self::Quoted, _) => Self::Quoted,
            (_, b'\n') => Self::End,
            (_, byte) if byte == separator => Self::Start,
            (Self::Closed, b'\r') => Self::Closed,
            (Self::Closed | Self::Wrong, _) => Self::Wrong,
            _ => Self::Plain,
        };
        *self
    }
}

/// Fields of a record. Reused for the next record.
#[derive(Debug, Default)]
pub(crate) struct FieldTexts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl FieldTexts {
    /// Returns the fields of a CSV record, or `None` if the record is not valid CSV.
    pub(crate) fn csv_of(record: &[u8], separator: u8) -> Option<Self> {
        let mut texts = Self::default();
        texts.split_csv(record, separator).ok()?;
        Some(texts)
    }

    /// Replaces the fields with those of a CSV record.
    pub(crate) fn split_csv(&mut self, record: &[u8], separator: u8) -> Result<(), LineError> {
        self.bytes.clear();
        self.ends.clear();
        let record = record.strip_suffix(b"\r").unwrap_or(record);
        let mut state = CsvState::Start;
        for byte in record {
            let before = state;
            match state.next(*byte, separator) {
                CsvState::Start => self.ends.push(self.bytes.len()),
                CsvState::Plain => self.bytes.push(*byte),
                // Quotes around a field are dropped. Two quotes inside a quoted field stand for one.
                CsvState::Quoted if before != CsvState::Start => self.bytes.push(*byte),
                CsvState::Quoted | CsvState::Closed => {}
                CsvState::Wrong | CsvState::End => return Err("text after a closing quote".into()),
            }
        }
        self.ends.push(self.bytes.len());
        Ok(())
    }

    /// Splits a record at tabs into `width` fields. Excess tabs belong to the field at index `path`, because only a
    /// path can contain tabs.
    pub(crate) fn split_tabs(&mut self, record: &[u8], width: usize, path: usize) -> Result<(), LineError> {
        self.bytes.clear();
        self.bytes.extend_from_slice(record);
        self.ends.clear();
        let tabs = || record.iter().enumerate().filter(|(_, byte)| **byte == b'\t').map(|(at, _)| at);
        let excess = (tabs().count() + 1)
            .checked_sub(width)
            .ok_or_else(|| format!("fewer than {width} columns separated by tabs"))?;
        let is_separator = |number: usize| number < path || number >= path + excess;
        self.ends.extend(tabs().enumerate().filter(|(number, _)| is_separator(*number)).map(|(_, at)| at));
        self.ends.push(record.len());
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the field at `index` of a CSV record.
    pub(crate) fn csv(&self, index: usize) -> &[u8] {
        self.after_separator(index, 0)
    }

    /// Returns the field at `index` of a record that was split at tabs.
    pub(crate) fn tabbed(&self, index: usize) -> &[u8] {
        self.after_separator(index, 1)
    }

    /// Returns the field at `index`. `separator` is the number of bytes stored between two fields.
    fn after_separator(&self, index: usize, separator: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] + separator);
        &self.bytes[start..self.ends[index]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(record: &str) -> Option<Vec<String>> {
        let mut texts = FieldTexts::default();
        texts.split_csv(record.as_bytes(), b',').ok()?;
        Some((0..texts.len()).map(|index| String::from_utf8_lossy(texts.csv(index)).into_owned()).collect())
    }

    #[test]
    fn quotes_follow_the_rfc() {
        let cases: [(&str, Option<&[&str]>); 13] = [
            ("", Some(&[""])),
            ("a", Some(&["a"])),
            ("a,b", Some(&["a", "b"])),
            (",", Some(&["", ""])),
            ("a,,b\r", Some(&["a", "", "b"])),
            ("\"a,b\",c", Some(&["a,b", "c"])),
            ("\"a\nb\",c", Some(&["a\nb", "c"])),
            ("\"\"", Some(&[""])),
            ("\"a\"\"b\"\"\"", Some(&["a\"b\""])),
            ("5\" disk,1", Some(&["5\" disk", "1"])),
            ("\"a\"\r", Some(&["a"])),
            ("\"a\"b,c", None),
            ("\"a\" ,c", None),
        ];
        for (record, expected) in cases {
            let expected = expected.map(|fields| fields.iter().map(|field| (*field).to_owned()).collect());
            assert_eq!(csv(record), expected, "{record}");
        }
    }

    #[test]
    fn tabs_that_are_left_over_belong_to_the_path() {
        let split = |record: &str, width, path| {
            let mut texts = FieldTexts::default();
            texts.split_tabs(record.as_bytes(), width, path).ok()?;
            let fields =
                (0..texts.len()).map(|index| String::from_utf8_lossy(texts.tabbed(index)).into_owned());
            Some(fields.collect::<Vec<_>>().join("|"))
        };
        assert_eq!(split("a\t1\t2", 3, 0).as_deref(), Some("a|1|2"));
        assert_eq!(split("a\tb\t1\t2", 3, 0).as_deref(), Some("a\tb|1|2"));
        assert_eq!(split("1\ta\tb\tc", 2, 1).as_deref(), Some("1|a\tb\tc"));
        assert_eq!(split("1\ta\t\tb\t2", 3, 1).as_deref(), Some("1|a\t\tb|2"));
        assert_eq!(split("a\t1", 3, 0), None);
    }
}
