
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
            cand --output 'Write ncdu''s JSON export to FILE; - is standard output'
            cand -f 'Browse an export of ncdu, gdu or duke, or a snapshot, instead of a PATH; - is standard input'
            cand --import 'Browse an export of ncdu, gdu or duke, or a snapshot, instead of a PATH; - is standard input'
            cand -d 'Print N levels below each PATH (default: 1 in a table, all in JSON)'
            cand --depth 'Print N levels below each PATH (default: 1 in a table, all in JSON)'
            cand --min-size 'Hide entries smaller than SIZE, such as 100M'
            cand --top 'Print the N largest files instead of the tree'
            cand --by 'Print totals by type, age or owner instead of the tree'
            cand --sort 'Sort the table and the browser by a column'
            cand --columns 'Columns of the list beside the size and the name, separated by commas (default: share,bar,count)'
            cand --color 'When to use color'
            cand --start 'View that the browser shows first'
            cand --panes 'Panes beside the list in a wide window'
            cand --cwd-file 'Write the last directory shown to FILE, for a shell function that changes to it'
            cand -t 'Read with N threads'
            cand --threads 'Read with N threads'
            cand --exclude 'Exclude entries matching GLOB'
            cand -X 'Exclude entries matching a pattern in FILE, one per line; - is standard input'
            cand --exclude-from 'Exclude entries matching a pattern in FILE, one per line; - is standard input'
            cand --type-name-over 'Require typing the name to delete more than SIZE'
            cand --snapshot-days 'Delete automatic snapshots older than N days (default: 30)'
            cand --snapshot-size 'Delete the oldest automatic snapshots when they take more than SIZE in total (default: 512M)'
            cand --config 'Read the configuration from FILE'
            cand --json 'Print the whole tree as JSON'
            cand --ndjson 'Print a JSON object for each entry, one per line'
            cand --csv 'Print comma-separated values for each entry, one entry per line'
            cand -c 'Compress what -o writes with zstd'
            cand --compress 'Compress what -o writes with zstd'
            cand -n 'Print a table even if standard output is a terminal'
            cand --no-interactive 'Print a table even if standard output is a terminal'
            cand -s 'Print one line for each PATH, like --depth 0'
            cand --summarize 'Print one line for each PATH, like --depth 0'
            cand --bytes 'Print a table with sizes in bytes'
            cand -q 'Print no progress on standard error'
            cand --quiet 'Print no progress on standard error'
            cand -a 'Show apparent size instead of disk usage'
            cand --apparent-size 'Show apparent size instead of disk usage'
            cand --si 'Show sizes in powers of 1000'
            cand --reverse 'Reverse the sort order'
            cand --directories-first 'List directories before all other entries'
            cand --no-hidden 'Do not show hidden and excluded entries'
            cand --no-collapse 'Show each directory in its own row, even if it contains only one directory'
            cand --ascii 'Draw with ASCII characters only'
            cand --no-mouse 'Leave the mouse to the terminal'
            cand --pick 'Browse with output redirected; the key p prints the marked paths'
            cand -0 'End each path that the key p prints with a NUL instead of a newline'
            cand --print0 'End each path that the key p prints with a NUL instead of a newline'
            cand -x 'Do not cross file-system boundaries below a PATH'
            cand --one-file-system 'Do not cross file-system boundaries below a PATH'
            cand --exclude-caches 'Exclude directories that hold a CACHEDIR.TAG'
            cand --include-kernfs 'Enter /proc, /sys and other kernel file systems below a PATH'
            cand --skip-network 'Skip network file systems below a PATH'
            cand -L 'Count the file that a symbolic link points to'
            cand --follow-symlinks 'Count the file that a symbolic link points to'
            cand -r 'Disable deletion'
            cand --read-only 'Disable deletion'
            cand --dry-run 'Show what would be deleted, delete nothing'
            cand --select-yes 'Select Yes at first when the browser asks about a deletion'
            cand --confirm-quit 'Ask before the browser quits, even if nothing would be lost'
            cand -e 'Keep owner, group and mode of every entry'
            cand --extended 'Keep owner, group and mode of every entry'
            cand --no-snapshots 'Do not keep a snapshot of the scan'
            cand --no-config 'Ignore configuration files'
            cand -h 'Print help (-h: summary, --help: details)'
            cand --help 'Print help (-h: summary, --help: details)'
            cand -V 'Print the version'
            cand --version 'Print the version'
            cand config 'Show the configuration'
            cand completions 'Print the completion script of a shell'
            cand diff 'Show what changed since an export or a snapshot was made'
            cand df 'Explain why df and a scan differ'
            cand help 'Print the help of duke, or of a command'
            cand man 'Print the manual page, for man -l -'
            cand ncdu 'Browse with the command line and the configuration files of ncdu'
            cand merge 'Merge the snapshots of a plan''s parts into one'
            cand plan 'Deal out the directories below PATH to parts, which save --plan reads on any machines'
            cand save 'Save a snapshot of each PATH, for -f and diff'
        }
        &'duke;config'= {
            cand --config 'Read the configuration from FILE'
            cand --no-config 'Ignore configuration files'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;diff'= {
            cand --since 'Compare a directory with the newest snapshot that is at least as old'
            cand --min-change 'Print only changes of SIZE or more, such as 100M'
            cand --exclude 'Exclude entries matching GLOB in a directory'
            cand --list 'List the snapshots of a directory (or all) without comparing'
            cand --json 'Print the changes as JSON'
            cand -n 'Print the changes as a table, on a terminal too'
            cand --no-interactive 'Print the changes as a table, on a terminal too'
            cand -a 'Compare apparent sizes instead of disk usage'
            cand --apparent-size 'Compare apparent sizes instead of disk usage'
            cand --si 'Show sizes in powers of 1000'
            cand -x 'Do not cross file-system boundaries below a directory'
            cand --one-file-system 'Do not cross file-system boundaries below a directory'
            cand --skip-network 'Skip network file systems below a directory'
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
            cand -x 'Do not cross file-system boundaries below a PATH'
            cand --one-file-system 'Do not cross file-system boundaries below a PATH'
            cand --skip-network 'Skip network file systems below a PATH'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;help'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;ncdu'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;merge'= {
            cand --plan 'Plan of the parts'
            cand -o 'Write to FILE once it is complete; - is standard output'
            cand --output 'Write to FILE once it is complete; - is standard output'
            cand --partial 'Merge although parts are missing, and mark their directories as not read'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;plan'= {
            cand --parts 'Make N parts'
            cand -f 'Take the numbers of entries from an earlier snapshot or export, instead of listing directories'
            cand --import 'Take the numbers of entries from an earlier snapshot or export, instead of listing directories'
            cand --depth 'List directories down to K levels below PATH'
            cand -o 'Write to FILE instead of standard output'
            cand --output 'Write to FILE instead of standard output'
            cand --exclude 'Exclude entries matching GLOB'
            cand --fs-id 'Name the file system of PATH, so that merge knows it on other hosts'
            cand -x 'Do not cross file-system boundaries below PATH'
            cand --one-file-system 'Do not cross file-system boundaries below PATH'
            cand --exclude-caches 'Exclude directories that hold a CACHEDIR.TAG'
            cand --skip-network 'Skip network file systems below PATH'
            cand -e 'Keep owner, group and mode of every entry'
            cand --extended 'Keep owner, group and mode of every entry'
            cand -q 'Print no progress on standard error'
            cand --quiet 'Print no progress on standard error'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'duke;save'= {
            cand -o 'Write to FILE once it is complete; - is standard output'
            cand --output 'Write to FILE once it is complete; - is standard output'
            cand --exclude 'Exclude entries matching GLOB'
            cand -t 'Read with N threads'
            cand --threads 'Read with N threads'
            cand --fs-id 'Name the file system of each PATH, so that merge knows it on other hosts'
            cand --plan 'Save a part of the plan in FILE, with the flags of the plan'
            cand --part 'Number of the part to save; 0 is the rest'
            cand -x 'Do not cross file-system boundaries below a PATH'
            cand --one-file-system 'Do not cross file-system boundaries below a PATH'
            cand --exclude-caches 'Exclude directories that hold a CACHEDIR.TAG'
            cand --skip-network 'Skip network file systems below a PATH'
            cand -e 'Keep owner, group and mode of every entry'
            cand --extended 'Keep owner, group and mode of every entry'
            cand -q 'Print no progress on standard error'
            cand --quiet 'Print no progress on standard error'
            cand --list 'List the snapshots of a PATH (or all) without saving'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
