//! Strict JSON parser (RFC 8259) that does not recurse, so any depth of nesting works.

use std::fmt::Write;

/// Parsed document. All values are in one table, and a list or object contains the indices of its values.
pub struct Document {
    nodes: Vec<Node>,
}

enum Node {
    Word(&'static str),
    Number(String),
    String(String),
    Array(Vec<usize>),
    Object(Vec<(String, usize)>),
}

#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document,
    node: usize,
}

impl Document {
    pub fn root(&self) -> Value<'_> {
        Value { document: self, node: self.nodes.len() - 1 }
    }
}

impl<'d> Value<'d> {
    fn node(self) -> &'d Node {
        &self.document.nodes[self.node]
    }

    fn at(self, node: usize) -> Self {
        Self { document: self.document, node }
    }

    /// Returns the members of an object in the order of the JSON text; no members for any other value.
    pub fn members(self) -> Vec<(&'d str, Value<'d>)> {
        match self.node() {
            Node::Object(members) => {
                members.iter().map(|(key, node)| (key.as_str(), self.at(*node))).collect()
            }
            _ => Vec::new(),
        }
    }

    pub fn keys(self) -> Vec<&'d str> {
        self.members().iter().map(|(key, _)| *key).collect()
    }

    pub fn find(self, key: &str) -> Option<Value<'d>> {
        self.members().iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    pub fn get(self, key: &str) -> Value<'d> {
        self.find(key).unwrap_or_else(|| panic!("no {key} among {:?}", self.keys()))
    }

    /// Returns the elements of a list, or an empty vector for any other value.
    pub fn elements(self) -> Vec<Value<'d>> {
        match self.node() {
            Node::Array(elements) => elements.iter().map(|node| self.at(*node)).collect(),
            _ => Vec::new(),
        }
    }

    pub fn text(self) -> &'d str {
        match self.node() {
            Node::String(text) => text,
            _ => panic!("a {} is no string", self.kind()),
        }
    }

    pub fn number(self) -> i128 {
        match self.node() {
            Node::Number(digits) => digits.parse().expect("the program prints whole numbers"),
            _ => panic!("a {} is no number", self.kind()),
        }
    }

    pub fn is_true(self) -> bool {
        match self.node() {
            Node::Word(word) => *word == "true",
            _ => panic!("a {} is no truth", self.kind()),
        }
    }

    /// Returns the name of the type in JSON Schema.
    pub fn kind(self) -> &'static str {
        match self.node() {
            Node::Word("null") => "null",
            Node::Word(_) => "boolean",
            Node::Number(digits) if digits.contains(['.', 'e', 'E']) => "number",
            Node::Number(_) => "integer",
            Node::String(_) => "string",
            Node::Array(_) => "array",
            Node::Object(_) => "object",
        }
    }

    /// Returns the child named `name` of a directory in the report.
    pub fn child(self, name: &str) -> Value<'d> {
        let children = self.get("children").elements();
        let names: Vec<_> = children.iter().map(|child| child.get("name").text()).collect();
        let index = names.iter().position(|child| *child == name);
        children[index.unwrap_or_else(|| panic!("no {name} among {names:?}"))]
    }
}

/// List or object that is not closed yet.
enum Open {
    Array(Vec<usize>),
    Object(Vec<(String, usize)>, Option<String>),
}

struct Parser<'b> {
    text: &'b str,
    at: usize,
    nodes: Vec<Node>,
    open: Vec<Open>,
}

/// Parses a single document. Only white space may follow it.
pub fn parse(bytes: &[u8]) -> Result<Document, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut parser = Parser { text, at: 0, nodes: Vec::new(), open: Vec::new() };
    parser.document().map_err(|expected| {
        let mut message = format!("expected {expected} at byte {}", parser.at);
        let rest = text.get(parser.at..).unwrap_or_default();
        let _ = write!(message, ", found {:?}", rest.chars().take(40).collect::<String>());
        message
    })?;
    Ok(Document { nodes: parser.nodes })
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), &'static str> {
        loop {
            self.space();
            let closes = self.closes();
            let node = match self.peek() {
                Some(b']' | b'}') if closes => self.close()?,
                Some(b'[') => {
                    self.at += 1;
                    self.open.push(Open::Array(Vec::new()));
                    continue;
                }
                Some(b'{') => {
                    self.at += 1;
                    self.open.push(Open::Object(Vec::new(), None));
                    self.key()?;
                    continue;
                }
                Some(b'"') => Node::String(self.string()?),
                Some(b'-' | b'0'..=b'9') => Node::Number(self.number()?),
                _ => self.word()?,
            };
            self.nodes.push(node);
            while self.add_to_container()? {
                let node = self.close()?;
                self.nodes.push(node);
            }
            if self.open.is_empty() {
                self.space();
                return if self.at == self.text.len() { Ok(()) } else { Err("the end") };
            }
        }
    }

    /// Returns `true` if the innermost open array or object is empty. Only in this case is a closing bracket valid
    /// where a key or a value is expected.
    fn closes(&self) -> bool {
        match self.open.last() {
            Some(Open::Array(elements)) => elements.is_empty(),
            Some(Open::Object(members, key)) => members.is_empty() && key.is_none(),
            None => false,
        }
    }

    /// Adds the newest value to the innermost open list or object. Returns `true` if that list or object ends here, and
    /// `false` if another value follows, or if no list or object is open.
    fn add_to_container(&mut self) -> Result<bool, &'static str> {
        let node = self.nodes.len() - 1;
        let end = match self.open.last_mut() {
            None => return Ok(false),
            Some(Open::Array(elements)) => {
                elements.push(node);
                b']'
            }
            Some(Open::Object(members, key)) => {
                members.push((key.take().ok_or("a key")?, node));
                b'}'
            }
        };
        self.space();
        match self.peek() {
            Some(byte) if byte == end => Ok(true),
            Some(b',') => {
                self.at += 1;
                self.space();
                if end == b'}' {
                    self.key()?;
                }
                Ok(false)
            }
            _ => Err("a comma or the end of the list"),
        }
    }

    fn close(&mut self) -> Result<Node, &'static str> {
        let end = self.peek();
        self.at += 1;
        match (self.open.pop(), end) {
            (Some(Open::Array(elements)), Some(b']')) => Ok(Node::Array(elements)),
            (Some(Open::Object(members, _)), Some(b'}')) => Ok(Node::Object(members)),
            _ => Err("the other bracket"),
        }
    }

    /// Reads a key and its colon, unless the object is empty.
    fn key(&mut self) -> Result<(), &'static str> {
        self.space();
        if self.peek() == Some(b'}') && self.closes() {
            return Ok(());
        }
        let name = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err("a colon");
        }
        self.at += 1;
        match self.open.last_mut() {
            Some(Open::Object(members, key)) if members.iter().all(|(before, _)| *before != name) => {
                *key = Some(name);
            }
            _ => return Err("a key that is not there yet"),
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, &'static str> {
        if self.peek() != Some(b'"') {
            return Err("a string");
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.find(['"', '\\']).ok_or("the end of the string")?;
            if rest[..plain].contains(|char| char < ' ') {
                return Err("an escape instead of a control character");
            }
            text.push_str(&rest[..plain]);
            self.at += plain + 1;
            if rest.as_bytes()[plain] == b'"' {
                return Ok(text);
            }
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, &'static str> {
        let byte = self.peek().ok_or("an escape")?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4).ok_or("four digits")?;
                self.at += 4;
                let code = u32::from_str_radix(digits, 16).map_err(|_| "four digits")?;
                char::from_u32(code).ok_or("a character of the basic plane")?
            }
            _ => return Err("a known escape"),
        })
    }

    fn number(&mut self) -> Result<String, &'static str> {
        let rest = &self.text[self.at..];
        let length = rest.find(|char: char| !matches!(char, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        let digits = &rest[..length.unwrap_or(rest.len())];
        let whole = digits.strip_prefix('-').unwrap_or(digits);
        if whole.len() > 1 && whole.starts_with('0') && !whole.starts_with("0.")
            || digits.parse::<f64>().is_err()
        {
            return Err("a number");
        }
        self.at += digits.len();
        Ok(digits.to_owned())
    }

    fn word(&mut self) -> Result<Node, &'static str> {
        let rest = &self.text[self.at..];
        let word =
            ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word)).ok_or("a value")?;
        self.at += word.len();
        Ok(Node::Word(word))
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
