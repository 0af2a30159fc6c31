
use builtin;
use str;

set edit:completion:arg-completer[duke] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'duke'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'duke'= {
            cand -d 'Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise'
            cand --depth 'Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise'
            cand --sort 'Sort by a column; JSON is always sorted by disk usage'
            cand --color 'Use colours in the browser'
            cand -t 'Read with N threads'
            cand --threads 'Read with N threads'
            cand --exclude 'Leave out what the pattern matches'
            cand -X 'Leave out what a pattern in FILE matches, one a line; - is standard input'
            cand --config 'Read the configuration from FILE'
            cand --json 'Print the whole tree as JSON'
            cand -n 'Print a table, on a terminal too'
            cand --no-interactive 'Print a table, on a terminal too'
            cand -s 'Print one line for each PATH: depth 0'
            cand --summarize 'Print one line for each PATH: depth 0'
            cand -q 'Print no progress on standard error'
            cand --quiet 'Print no progress on standard error'
            cand -a 'Show how long files are, not what they take on the disk'
            cand --apparent-size 'Show how long files are, not what they take on the disk'
            cand --si 'Show sizes in powers of 1000'
            cand --reverse 'Sort the other way round'
            cand --ascii 'Draw with ASCII characters only'
            cand --pick 'Draw on the terminal although the output goes elsewhere: it is the marked paths, printed by the key p'
            cand -0 'End each path that the key p prints with a NUL instead of a line end'
            cand --print0 'End each path that the key p prints with a NUL instead of a line end'
            cand -x 'Stay on the file system of each PATH'
            cand --one-file-system 'Stay on the file system of each PATH'
            cand --exclude-caches 'Leave out directories that hold a CACHEDIR.TAG'
            cand --include-kernfs 'Enter /proc, /sys and the like below a PATH'
            cand -r 'Change nothing: no key that deletes works'
            cand --read-only 'Change nothing: no key that deletes works'
            cand --dry-run 'Only show what a deletion would remove'
            cand -e 'Keep owner, group and mode of every entry'
            cand --extended 'Keep owner, group and mode of every entry'
            cand --no-config 'Read no configuration'
            cand -h 'Print help: -h in short, --help with details'
            cand --help 'Print help: -h in short, --help with details'
            cand -V 'Print the version'
            cand --version 'Print the version'
            cand config 'Print what the configuration is'
            cand completions 'Print the completions of a shell'
            cand df 'Print where the rest is: what df says of a file system, explained by what lies in PATH'
            cand man 'Print the manual page, for man -l -'
        }
        &'duke;config'= {
            cand --config 'Read the configuration from FILE'
            cand --no-config 'Read no configuration'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;completions'= {
        }
        &'duke;df'= {
            cand -t 'Read with N threads'
            cand --threads 'Read with N threads'
            cand --json 'Print JSON'
            cand --si 'Show sizes in powers of 1000'
            cand -q 'Print no progress on standard error'
            cand --quiet 'Print no progress on standard error'
            cand -x 'Stay on the file system of each PATH'
            cand --one-file-system 'Stay on the file system of each PATH'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;man'= {
        }
    ]
    $completions[$command]
}
