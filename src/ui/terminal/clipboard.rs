//! Clipboard: copies text through the terminal, and through a clipboard tool if there is one.
//!
//! The terminal gets the sequence OSC 52, which also works over ssh. Many terminals support it, but few report that
//! they do. A tool reads the text from standard input, so the text never becomes part of a shell command.
//!
//! Invariant: the drawing thread never blocks on a tool.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use crate::base::text::base64;
use crate::platform::process::desktop::CLIPBOARD_TOOL;

/// Returns the escape sequence that makes a terminal copy `text` to the clipboard (xterm's control sequences,
/// "Manipulate Selection Data").
pub fn sequence(text: &[u8]) -> String {
    format!("\x1b]52;c;{}\x1b\\", base64(text))
}

/// Returns the tools to try, with their arguments. The choice depends on environment variables.
fn tools(variable: impl Fn(&str) -> Option<OsString>) -> Vec<(&'static str, &'static [&'static str])> {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    // Over ssh, this machine's clipboard is not the user's.
    if is_set("SSH_CONNECTION") {
        return Vec::new();
    }
    let mut tools: Vec<(_, &'static [_])> = Vec::new();
    tools.extend(CLIPBOARD_TOOL.map(|tool| (tool, [].as_slice())));
    if is_set("WAYLAND_DISPLAY") {
        tools.push(("wl-copy", &[]));
    }
    if is_set("DISPLAY") {
        tools.push(("xclip", &["-selection", "clipboard"]));
        tools.push(("xsel", &["--clipboard", "--input"]));
    }
    tools
}

/// Passes `text` to the first tool that works, in a background thread.
pub fn offer(text: Vec<u8>) {
    let tools = tools(|name| std::env::var_os(name));
    if tools.is_empty() {
        return;
    }
    // Errors are ignored. If no tool works, only the terminal has received the text.
    let _ = thread::Builder::new()
        .name("clipboard".into())
        .spawn(move || tools.iter().any(|(tool, words)| give(tool, words, &text).is_ok_and(|taken| taken)));
}

fn give(tool: &str, words: &[&str], text: &[u8]) -> std::io::Result<bool> {
    let mut command = Command::new(tool);
    if CLIPBOARD_TOOL == Some(tool) {
        // Without a locale, which ssh and launchers may not set, pbcopy interprets UTF-8 as Mac OS Roman.
        command.env("LC_CTYPE", "UTF-8").env_remove("LC_ALL");
    }
    let mut child =
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text)?;
    }
    Ok(child.wait()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terminal_accepts_any_bytes() {
        assert_eq!(sequence(b"/a\n\xff"), "\x1b]52;c;L2EK/w==\x1b\\");
    }

    #[test]
    fn clipboard_tools_follow_the_desktop_and_none_is_used_over_ssh() {
        let names = |set: &[&str]| -> Vec<_> {
            let tools = tools(|name| set.contains(&name).then(|| "1".into()));
            tools.into_iter().map(|(tool, _)| tool).filter(|tool| *tool != "pbcopy").collect()
        };
        assert_eq!(names(&[]), [""; 0]);
        assert_eq!(names(&["DISPLAY"]), ["xclip", "xsel"]);
        assert_eq!(names(&["WAYLAND_DISPLAY", "DISPLAY"]), ["wl-copy", "xclip", "xsel"]);
        assert_eq!(names(&["DISPLAY", "SSH_CONNECTION"]), [""; 0]);
    }
}
