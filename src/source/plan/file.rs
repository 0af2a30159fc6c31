//! File format of plans.
//!
//! ```text
//! {"schema":"duke-plan-1","path":"/data","flags":{"one_file_system":true,...,"exclude":["*.o"]},"parts":[
//! {"entries":12,"paths":[]},
//! {"entries":11,"paths":[
//! "/data/a",
//! {"base64":"L2RhdGEv/w=="}]}]}
//! ```
//!
//! A path that is not UTF-8 is written as an object that contains its bytes in base64.

use std::fs;
use std::io::{self, Cursor, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::{ScanFlags, ScanPart, ScanPlan};
use crate::base::base64::from_base64;
use crate::base::job::JobError;
use crate::base::json::JsonWriter;
use crate::base::os_error::cannot_read;
use crate::base::text::escape;
use crate::formats::compression::unpack;
use crate::formats::json_lexer::{Fault, Lexer, Reason};
use crate::formats::json_values::{array, object};

const SCHEMA: &str = "duke-plan-1";

type Result<T> = std::result::Result<T, Fault>;

impl ScanPlan {
    /// Writes the plan as JSON.
    ///
    /// # Errors
    /// Returns an error if `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut json = JsonWriter::new(out);
        json.raw("{\"schema\":\"");
        json.raw(SCHEMA);
        json.raw("\",\"path\":");
        path(&mut json, &self.path);
        json.raw(",\"flags\":{");
        self.flags.write(&mut json);
        json.raw("},\"parts\":[");
        for (index, part) in self.parts.iter().enumerate() {
            json.raw(if index == 0 { "\n" } else { ",\n" });
            json.field("{\"entries\":", part.entries);
            json.raw(",\"paths\":[");
            for (index, own) in part.paths.iter().enumerate() {
                json.raw(if index == 0 { "\n" } else { ",\n" });
                path(&mut json, own);
                json.spill()?;
            }
            json.raw("]}");
        }
        json.raw("]}\n");
        json.finish()
    }

    /// Reads the plan in a file, and returns it with its digest.
    ///
    /// # Errors
    /// Returns the reason why no plan could be read. The reason is safe to print to a terminal.
    pub fn read(file: &Path) -> std::result::Result<(Self, u64), String> {
        let bytes = fs::read(file).map_err(|error| cannot_read(&error))?;
        let digest = (bytes.len() as u64) << 32 | u64::from(crc32fast::hash(&bytes));
        let chunks = unpack(Cursor::new(bytes)).map_err(|error| JobError::no_thread(error).to_string())?;
        let mut lexer = Lexer::resume(Vec::new(), chunks, &|_| ControlFlow::Continue(()));
        let plan = plan(&mut lexer).map_err(|Fault { offset, reason }| match reason {
            Reason::Stopped => "stopped".to_owned(),
            Reason::Unreadable(what) => escape(what.as_bytes()).into_owned(),
            Reason::Wrong(what) => {
                format!(
                    "not a plan that this version of duke can read (byte {offset}: {})",
                    escape(what.as_bytes())
                )
            }
        })?;
        plan.check().map_err(|reason| format!("not a valid plan: {reason}"))?;
        Ok((plan, digest))
    }
}

impl ScanFlags {
    fn write(&self, json: &mut JsonWriter<'_>) {
        let flags = [
            ("one_file_system", self.one_file_system),
            ("skip_network", self.skip_network),
            ("exclude_caches", self.exclude_caches),
            ("extended", self.extended),
        ];
        for (key, value) in flags {
            json.key(key);
            json.boolean(value);
            json.raw(",");
        }
        if let Some(name) = &self.fs_id {
            json.key("fs_id");
            json.string(name.as_bytes());
            json.raw(",");
        }
        json.raw("\"exclude\":[");
        for (index, pattern) in self.exclude.iter().enumerate() {
            json.raw(if index == 0 { "" } else { "," });
            json.string(pattern.as_bytes());
        }
        json.raw("]");
    }
}

fn path(json: &mut JsonWriter<'_>, path: &[u8]) {
    if std::str::from_utf8(path).is_ok() {
        json.string(path);
    } else {
        json.raw("{\"base64\":");
        json.base64(path);
        json.raw("}");
    }
}

fn plan(lexer: &mut Lexer<'_>) -> Result<ScanPlan> {
    let mut plan = ScanPlan::default();
    let mut is_plan = false;
    object(lexer, |lexer, key| {
        match key {
            b"schema" => is_plan = lexer.string()? == SCHEMA.as_bytes(),
            b"path" => plan.path = path_in(lexer)?,
            b"flags" => plan.flags = flags(lexer)?,
            b"parts" => array(lexer, |lexer| {
                plan.parts.push(part(lexer)?);
                Ok(())
            })?,
            _ => lexer.skip()?,
        }
        Ok(())
    })?;
    lexer.end()?;
    if is_plan { Ok(plan) } else { lexer.fault_at(0, "missing or unknown schema") }
}

fn part(lexer: &mut Lexer<'_>) -> Result<ScanPart> {
    let mut part = ScanPart::default();
    object(lexer, |lexer, key| {
        match key {
            b"entries" => part.entries = lexer.whole()?,
            b"paths" => array(lexer, |lexer| {
                part.paths.push(path_in(lexer)?);
                Ok(())
            })?,
            _ => lexer.skip()?,
        }
        Ok(())
    })?;
    Ok(part)
}

fn flags(lexer: &mut Lexer<'_>) -> Result<ScanFlags> {
    let mut flags = ScanFlags::default();
    object(lexer, |lexer, key| {
        match key {
            b"one_file_system" => flags.one_file_system = lexer.boolean()?,
            b"skip_network" => flags.skip_network = lexer.boolean()?,
            b"exclude_caches" => flags.exclude_caches = lexer.boolean()?,
            b"extended" => flags.extended = lexer.boolean()?,
            b"fs_id" => flags.fs_id = Some(text(lexer)?),
            b"exclude" => array(lexer, |lexer| {
                flags.exclude.push(text(lexer)?);
                Ok(())
            })?,
            // A later version of duke may have written this flag. If the flag were ignored, the scan would differ from
            // the planned scan.
            _ => return lexer.fault("unknown flag; update duke"),
        }
        Ok(())
    })?;
    Ok(flags)
}

fn text(lexer: &mut Lexer<'_>) -> Result<String> {
    let bytes = lexer.string()?.to_vec();
    String::from_utf8(bytes).or_else(|_| lexer.fault("not UTF-8"))
}

fn path_in(lexer: &mut Lexer<'_>) -> Result<Vec<u8>> {
    if lexer.peek_significant()? != b'{' {
        return Ok(lexer.string()?.to_vec());
    }
    let mut path = Vec::new();
    object(lexer, |lexer, key| {
        if key != b"base64" {
            return lexer.skip();
        }
        let decoded = from_base64(lexer.string()?);
        path = decoded.map_or_else(|| lexer.fault("the path is not base64"), Ok)?;
        Ok(())
    })?;
    Ok(path)
}
