//! Readers for objects and arrays in a JSON stream.

use super::json_lexer::{Fault, Lexer};

type Result<T> = std::result::Result<T, Fault>;

/// Reads an object. Calls `read` with each key; `read` must consume the value that follows.
pub(crate) fn object<'a>(
    lexer: &mut Lexer<'a>,
    mut read: impl FnMut(&mut Lexer<'a>, &[u8]) -> Result<()>,
) -> Result<()> {
    lexer.expect(b'{')?;
    if lexer.peek_significant()? == b'}' {
        return lexer.expect(b'}');
    }
    loop {
        let key = lexer.string()?.to_vec();
        lexer.expect(b':')?;
        read(lexer, &key)?;
        if lexer.peek_significant()? != b',' {
            return lexer.expect(b'}');
        }
        lexer.expect(b',')?;
    }
}

/// Reads an array. Calls `read` before each value; `read` must consume the value.
pub(crate) fn array<'a>(
    lexer: &mut Lexer<'a>,
    mut read: impl FnMut(&mut Lexer<'a>) -> Result<()>,
) -> Result<()> {
    lexer.expect(b'[')?;
    if lexer.peek_significant()? == b']' {
        return lexer.expect(b']');
    }
    loop {
        read(lexer)?;
        if lexer.peek_significant()? != b',' {
            return lexer.expect(b']');
        }
        lexer.expect(b',')?;
    }
}
