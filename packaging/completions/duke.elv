
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
            cand -o 'Write ncdu''s JSON export to FILE; - is standard output'
            cand -f 'Look at an export of ncdu, gdu or duke, or a snapshot, instead of a PATH; - is standard input'
            cand -d 'Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise'
            cand --depth 'Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise'
            cand --min-size 'Print no entries that take less than SIZE, such as 100M'
            cand --top 'Print the N files that take most, instead of the tree'
            cand --by 'Print sums by type, age or owner, instead of the tree'
            cand --sort 'Sort by a column; JSON, --top and --by have an order of their own'
            cand --color 'Use colours in the browser'
            cand -t 'Read with N threads'
            cand --threads 'Read with N threads'
            cand --exclude 'Leave out what the pattern matches'
            cand -X 'Leave out what a pattern in FILE matches, one a line; - is standard input'
            cand --type-name-over 'Have the name typed to delete more than SIZE'
            cand --snapshot-days 'Remove snapshots that were kept for more than N days: 30, unless told otherwise'
            cand --snapshot-size 'Remove the oldest snapshots when all take more than SIZE: 512M, unless told otherwise'
            cand --config 'Read the configuration from FILE'
            cand --json 'Print the whole tree as JSON'
            cand --ndjson 'Print a JSON object for each entry, one a line'
            cand --csv 'Print comma-separated values for each entry, one a line'
            cand -c 'Pack what -o writes with zstd'
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
            cand --no-mouse 'Leave the mouse to the terminal'
            cand --pick 'Draw on the terminal although the output goes elsewhere: it is the marked paths, printed by the key p'
            cand -0 'End each path that the key p prints with a NUL instead of a line end'
            cand --print0 'End each path that the key p prints with a NUL instead of a line end'
            cand -x 'Stay on the file system of each PATH'
            cand --one-file-system 'Stay on the file system of each PATH'
            cand --exclude-caches 'Leave out directories that hold a CACHEDIR.TAG'
            cand --include-kernfs 'Enter /proc, /sys and the like below a PATH'
            cand --skip-network 'Do not enter file systems of other machines below a PATH'
            cand -r 'Change nothing: no key that deletes works'
            cand --read-only 'Change nothing: no key that deletes works'
            cand --dry-run 'Only show what a deletion would remove'
            cand -e 'Keep owner, group and mode of every entry'
            cand --extended 'Keep owner, group and mode of every entry'
            cand --no-snapshots 'Keep no snapshot of what was browsed'
            cand --no-config 'Read no configuration'
            cand -h 'Print help: -h in short, --help with details'
            cand --help 'Print help: -h in short, --help with details'
            cand -V 'Print the version'
            cand --version 'Print the version'
            cand config 'Print what the configuration is'
            cand completions 'Print the completions of a shell'
            cand diff 'Show what changed since an export or a snapshot was made'
            cand df 'Print where the rest is: what df says of a file system, explained by what lies in PATH'
            cand man 'Print the manual page, for man -l -'
            cand save 'Save what is below each PATH as a snapshot, for -f and diff'
        }
        &'duke;config'= {
            cand --config 'Read the configuration from FILE'
            cand --no-config 'Read no configuration'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;diff'= {
            cand --since 'Compare a directory with the newest snapshot kept of it by then'
            cand --min-change 'Print only changes of SIZE or more, such as 100M'
            cand --exclude 'Leave out what the pattern matches in a directory'
            cand --list 'List the snapshots that were kept, of one directory or of all, and compare nothing'
            cand --json 'Print the changes as JSON'
            cand -n 'Print the changes as a table, on a terminal too'
            cand --no-interactive 'Print the changes as a table, on a terminal too'
            cand -a 'Compare how long files are, not what they take on the disk'
            cand --apparent-size 'Compare how long files are, not what they take on the disk'
            cand --si 'Show sizes in powers of 1000'
            cand -x 'Stay on the file system of a directory'
            cand --one-file-system 'Stay on the file system of a directory'
            cand --skip-network 'Do not enter file systems of other machines below a directory'
            cand -q 'Print no progress on standard error'
            cand --quiet 'Print no progress on standard error'
            cand -h 'Print help'
            cand --help 'Print help'
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
            cand --skip-network 'Do not enter file systems of other machines below a PATH'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;save'= {
            cand -o 'Write to FILE, whole or not at all; - is standard output'
            cand --output 'Write to FILE, whole or not at all; - is standard output'
            cand --exclude 'Leave out what the pattern matches'
            cand -x 'Stay on the file system of each PATH'
            cand --one-file-system 'Stay on the file system of each PATH'
            cand --exclude-caches 'Leave out directories that hold a CACHEDIR.TAG'
            cand --skip-network 'Do not enter file systems of other machines below a PATH'
            cand -e 'Keep owner, group and mode of every entry'
            cand --extended 'Keep owner, group and mode of every entry'
            cand -q 'Print no progress on standard error'
            cand --quiet 'Print no progress on standard error'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
