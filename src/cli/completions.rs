//! Shell completions. `clap_complete` generates the scripts, and this module corrects their completion of paths and
//! commands.
//!
//! `clap_complete` assumes that a position on the command line takes either arguments or subcommands. In duke, the
//! first word may be a path or a subcommand. tests/it/completions.rs runs the generated scripts in real shells.

use std::fmt::Write;

use clap::Command;
use clap_complete::Shell;

use crate::cli::subcommands::NAMES;

/// Bash function that completes a word other than the value of a flag. The function has three arguments: the command,
/// all words that the command accepts (including flags), and the typed word.
const BASH_WORDS: &str = r#"
_duke_words() {
    local IFS=$' \n' word words=
    for word in $2; do
        [[ $word == -* && $3 != -* ]] || words+="$word "
    done
    [[ $1 == duke && $3 != -* && $COMP_CWORD -gt 1 ]] && words=
    COMPREPLY=($(compgen -W "$words" -- "$3"))
    IFS=$'\n'
    case "$1,$3" in
        *,-*) ;;
        duke,* | *__save,* | *__df,*) COMPREPLY+=($(compgen -d -- "$3")) ;;
        *__diff,*) COMPREPLY+=($(compgen -f -- "$3")) ;;
    esac
    if [[ $3 != -* && "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        compopt -o filenames
    fi
}
"#;

/// Lines that make fish offer only directories for PATH. By default, fish would also offer files.
const FISH_DIRECTORIES: &str = r#"complete -c duke -n "__fish_duke_needs_command" -f -a "(__fish_complete_directories)"
complete -c duke -n "__fish_duke_using_subcommand save df" -f -a "(__fish_complete_directories)"
"#;

/// Returns the part of the zsh script that completes words other than flags: the first word as a command or a
/// directory, and the words after it as arguments of the command or as directories.
fn zsh_words() -> String {
    format!(
        r"    local -a duke_words=('*:directory:_files -/')
    if (( CURRENT == 2 )); then
        duke_words=('1: :{{ _duke_commands; _files -/ }}')
    elif [[ $words[2] == ({}) ]]; then
        duke_words=('1: :_duke_commands' '*::: :->duke')
    fi
",
        NAMES.join("|")
    )
}

/// Returns the completion script for `shell`.
pub fn script(shell: Shell, mut command: Command) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "duke", &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    match shell {
        Shell::Bash => {
            let words = r#"COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )"#;
            BASH_WORDS.trim_start().to_owned()
                + "\n"
                + &text.replace(words, r#"_duke_words "${cmd}" "${opts}" "${cur}""#)
        }
        Shell::Fish => {
            // The first `or return` is in `__fish_duke_needs_command`. This function succeeds if the user has not typed
            // a command yet. It must also succeed if it cannot parse the line because the value of a flag is missing.
            let text = text.replacen("    or return\n", "    or return 0\n", 1);
            let mut text = text + FISH_DIRECTORIES;
            for subcommand in command.get_subcommands() {
                let values = subcommand.get_positionals().flat_map(clap::Arg::get_possible_values);
                let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
                if !values.is_empty() {
                    let (name, values) = (subcommand.get_name(), values.join(" "));
                    let _ = writeln!(
                        text,
                        "complete -c duke -n \"__fish_duke_using_subcommand {name}\" -f -a \"{values}\""
                    );
                }
            }
            text
        }
        Shell::Zsh => {
            let text = text.replacen("    local ret=1\n", &format!("    local ret=1\n{}", zsh_words()), 1);
            let lines = text.lines().filter(|line| !line.starts_with("'::paths -- Directories or files"));
            let text: String = lines.flat_map(|line| [line, "\n"]).collect();
            let words = "\":: :_duke_commands\" \\\n\"*::: :->duke\" \\\n";
            text.replacen(words, "\"${duke_words[@]}\" \\\n", 1).replace("$line[2]", "$line[1]")
        }
        _ => text,
    }
}
