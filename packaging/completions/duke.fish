# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_duke_global_optspecs
    string join \n json ndjson csv o/output= O/output-binary= export-block-size= c/compress f/import= format= fields= root= n/no-interactive s/summarize d/depth= bytes min-size= top= by= frees q/quiet a/apparent-size si sort= reverse directories-first no-hidden columns= no-collapse color= ascii start= panes= no-mouse pick cwd-file= 0/print0 t/threads= x/one-file-system exclude= X/exclude-from= exclude-caches include-kernfs skip-network L/follow-symlinks versions uploads r/read-only dry-run type-name-over= select-yes confirm-quit e/extended no-snapshots no-instant snapshot-days= snapshot-size= config= no-config h/help V/version
end

function __fish_duke_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_duke_global_optspecs) -- $cmd 2>/dev/null
    or return 0
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_duke_using_subcommand
    set -l cmd (__fish_duke_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c duke -n "__fish_duke_needs_command" -s o -l output -d 'Write a JSON export in ncdu\'s format to FILE; - is standard output' -r -F
complete -c duke -n "__fish_duke_needs_command" -s O -l output-binary -d 'Write a binary export in ncdu\'s format to FILE; - is standard output' -r -F
complete -c duke -n "__fish_duke_needs_command" -l export-block-size -d 'Block size of the binary export (-O) in KiB, from 4 to 16000 (default: 64, or more for large exports)' -r
complete -c duke -n "__fish_duke_needs_command" -s f -l import -d 'Read an export of ncdu, gdu or duke, a list of files, or a snapshot, instead of a PATH; - is standard input' -r -F
complete -c duke -n "__fish_duke_needs_command" -l format -d 'Read a list written by PROGRAM' -r -f -a "du\t'du -ab0'
find\t'find -printf \'%p\\t%s\\t%b\\t%T@\\0\''
rclone\t'rclone lsjson -R'
s3-inventory\t'S3 Inventory in CSV'"
complete -c duke -n "__fish_duke_needs_command" -l fields -d 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)' -r
complete -c duke -n "__fish_duke_needs_command" -l root -d 'From a list, read only the entries below the directory PREFIX' -r
complete -c duke -n "__fish_duke_needs_command" -s d -l depth -d 'Print N levels below each PATH (default: 1 in a table, all in JSON)' -r
complete -c duke -n "__fish_duke_needs_command" -l min-size -d 'Print only entries of SIZE or more, such as 100M' -r
complete -c duke -n "__fish_duke_needs_command" -l top -d 'Print the N largest files instead of the tree' -r
complete -c duke -n "__fish_duke_needs_command" -l by -d 'Print totals by type, age, owner or storage class instead of the tree' -r -f -a "type\t'Extension of a file, or kind of any other entry'
age\t'Time since the last change'
owner\t'User who owns the entry'
class\t'Storage class of the objects in an object store'"
complete -c duke -n "__fish_duke_needs_command" -l sort -d 'Sort the table and the browser by a column' -r -f -a "size\t'Largest first'
count\t'Most items first'
mtime\t'Most recently changed first'
name\t'By name, with numbers in numeric order'"
complete -c duke -n "__fish_duke_needs_command" -l columns -d 'Columns of the browser\'s list in addition to size and name, separated by commas (default: share,bar,count)' -r -f -a "size\t'Size; always shown'
growth\t'Growth since an earlier snapshot'
share\t'Share of the directory\'s size in percent'
bar\t'Share as a bar'
count\t'Number of items'
frees\t'Space freed by deletion; requires reading the extents of all files'
shared\t'Disk usage shared by hard links, copies or file-system snapshots'
owner\t'Owner; requires --extended'
mtime\t'Last change'"
complete -c duke -n "__fish_duke_needs_command" -l color -d 'When to use color' -r -f -a "auto\t'Use color if the terminal supports it, unless `NO_COLOR` is set'
always\t'Always use color'
never\t'Never use color'"
complete -c duke -n "__fish_duke_needs_command" -l start -d 'View that the browser shows first' -r -f -a "list\t'Entries of the directory'
overview\t'Largest directories and files, types, ages'
treemap\t'Nested rectangles'"
complete -c duke -n "__fish_duke_needs_command" -l panes -d 'Panes beside the list in a wide window' -r -f -a "preview\t'Preview of the selected entry (if the window has at least 140 columns)'
both\t'Preview, and the parent directory if the window has at least 180 columns'
none\t'Only the list'"
complete -c duke -n "__fish_duke_needs_command" -l cwd-file -d 'On quitting, write the path of the directory on screen to FILE, so that a shell function can cd to it' -r -F
complete -c duke -n "__fish_duke_needs_command" -s t -l threads -d 'Use N threads (default: twice the number of processors, but at least 8 and at most 64; 8 on macOS)' -r
complete -c duke -n "__fish_duke_needs_command" -l exclude -d 'Exclude entries matching GLOB' -r
complete -c duke -n "__fish_duke_needs_command" -s X -l exclude-from -d 'Exclude entries matching a pattern in FILE (one pattern per line); - is standard input' -r -F
complete -c duke -n "__fish_duke_needs_command" -l type-name-over -d 'Ask for the name of the largest selected entry before deleting more than SIZE' -r
complete -c duke -n "__fish_duke_needs_command" -l snapshot-days -d 'Keep snapshots for at most N days (default: 30)' -r
complete -c duke -n "__fish_duke_needs_command" -l snapshot-size -d 'Limit the total size of the kept snapshots to SIZE; the oldest are deleted first (default: 512M)' -r
complete -c duke -n "__fish_duke_needs_command" -l config -d 'Read the configuration from FILE' -r -F
complete -c duke -n "__fish_duke_needs_command" -l json -d 'Print the tree as JSON'
complete -c duke -n "__fish_duke_needs_command" -l ndjson -d 'Print a JSON object for each entry, one per line'
complete -c duke -n "__fish_duke_needs_command" -l csv -d 'Print comma-separated values for each entry, one entry per line'
complete -c duke -n "__fish_duke_needs_command" -s c -l compress -d 'Compress the JSON export (-o) with zstd'
complete -c duke -n "__fish_duke_needs_command" -s n -l no-interactive -d 'Print a table even if standard output is a terminal'
complete -c duke -n "__fish_duke_needs_command" -s s -l summarize -d 'Print one line for each PATH, like --depth 0'
complete -c duke -n "__fish_duke_needs_command" -l bytes -d 'Print a table with sizes in bytes'
complete -c duke -n "__fish_duke_needs_command" -l frees -d 'Print how much space deleting each entry would free'
complete -c duke -n "__fish_duke_needs_command" -s q -l quiet -d 'Do not print progress on standard error'
complete -c duke -n "__fish_duke_needs_command" -s a -l apparent-size -d 'Show apparent size instead of disk usage'
complete -c duke -n "__fish_duke_needs_command" -l si -d 'Show sizes in powers of 1000'
complete -c duke -n "__fish_duke_needs_command" -l reverse -d 'Reverse the sort order'
complete -c duke -n "__fish_duke_needs_command" -l directories-first -d 'List directories before all other entries'
complete -c duke -n "__fish_duke_needs_command" -l no-hidden -d 'Do not show hidden entries in the table and the browser'
complete -c duke -n "__fish_duke_needs_command" -l no-collapse -d 'Show each directory in its own row, even if its only entry is a directory'
complete -c duke -n "__fish_duke_needs_command" -l ascii -d 'Draw with ASCII characters only'
complete -c duke -n "__fish_duke_needs_command" -l no-mouse -d 'Do not capture the mouse'
complete -c duke -n "__fish_duke_needs_command" -l pick -d 'Browse even if standard output is redirected; the key p writes the marked paths to standard output'
complete -c duke -n "__fish_duke_needs_command" -s 0 -l print0 -d 'End each path that the key p prints with a NUL instead of a newline'
complete -c duke -n "__fish_duke_needs_command" -s x -l one-file-system -d 'Do not cross file-system boundaries below a PATH'
complete -c duke -n "__fish_duke_needs_command" -l exclude-caches -d 'Exclude directories that contain a CACHEDIR.TAG'
complete -c duke -n "__fish_duke_needs_command" -l include-kernfs -d 'Enter /proc, /sys and other kernel file systems below a PATH'
complete -c duke -n "__fish_duke_needs_command" -l skip-network -d 'Skip network file systems below a PATH'
complete -c duke -n "__fish_duke_needs_command" -s L -l follow-symlinks -d 'Count a symbolic link as the file that it points to'
complete -c duke -n "__fish_duke_needs_command" -l versions -d 'Also list noncurrent versions of objects'
complete -c duke -n "__fish_duke_needs_command" -l uploads -d 'Also list unfinished multipart uploads'
complete -c duke -n "__fish_duke_needs_command" -s r -l read-only -d 'Disable deletion'
complete -c duke -n "__fish_duke_needs_command" -l dry-run -d 'Only show what would be deleted'
complete -c duke -n "__fish_duke_needs_command" -l select-yes -d 'Preselect Yes when the browser asks about a deletion'
complete -c duke -n "__fish_duke_needs_command" -l confirm-quit -d 'Ask before the browser quits, even if nothing would be lost'
complete -c duke -n "__fish_duke_needs_command" -s e -l extended -d 'Read the owner, group and mode of every entry'
complete -c duke -n "__fish_duke_needs_command" -l no-snapshots -d 'Do not keep a snapshot of the scan; implies --no-instant'
complete -c duke -n "__fish_duke_needs_command" -l no-instant -l fresh -d 'While scanning, do not show the sizes of the previous scan; save at most one snapshot a day'
complete -c duke -n "__fish_duke_needs_command" -l no-config -d 'Ignore configuration files'
complete -c duke -n "__fish_duke_needs_command" -s h -l help -d 'Print help (-h: summary, --help: details)'
complete -c duke -n "__fish_duke_needs_command" -s V -l version -d 'Print the version'
complete -c duke -n "__fish_duke_needs_command" -a "config" -d 'Show the configuration'
complete -c duke -n "__fish_duke_needs_command" -a "completions" -d 'Print the completion script for a shell'
complete -c duke -n "__fish_duke_needs_command" -a "diff" -d 'Show what changed since an export or a snapshot was made'
complete -c duke -n "__fish_duke_needs_command" -a "df" -d 'Explain why df and a scan differ'
complete -c duke -n "__fish_duke_needs_command" -a "duplicates" -d 'List files and directories with the same contents'
complete -c duke -n "__fish_duke_needs_command" -a "help" -d 'Print help for duke or for a subcommand'
complete -c duke -n "__fish_duke_needs_command" -a "man" -d 'Print the manual page; to read it, run duke man | man -l -'
complete -c duke -n "__fish_duke_needs_command" -a "ncdu" -d 'Browse with the flags and configuration files of ncdu'
complete -c duke -n "__fish_duke_needs_command" -a "merge" -d 'Merge the snapshots of a plan\'s parts into one'
complete -c duke -n "__fish_duke_needs_command" -a "plan" -d 'Divide PATH into parts that several machines can scan'
complete -c duke -n "__fish_duke_needs_command" -a "save" -d 'Save one snapshot of all PATHs; duke -f browses the snapshot, duke diff compares it'
complete -c duke -n "__fish_duke_needs_command" -a "subvolumes" -d 'List btrfs subvolumes and snapshots, and how much space deleting each of them frees'
complete -c duke -n "__fish_duke_using_subcommand config" -l config -d 'Read the configuration from FILE' -r -F
complete -c duke -n "__fish_duke_using_subcommand config" -l no-config -d 'Ignore configuration files'
complete -c duke -n "__fish_duke_using_subcommand config" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand completions" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand diff" -l format -d 'Read a list written by PROGRAM' -r -f -a "du\t'du -ab0'
find\t'find -printf \'%p\\t%s\\t%b\\t%T@\\0\''
rclone\t'rclone lsjson -R'
s3-inventory\t'S3 Inventory in CSV'"
complete -c duke -n "__fish_duke_using_subcommand diff" -l fields -d 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)' -r
complete -c duke -n "__fish_duke_using_subcommand diff" -l root -d 'From a list, read only the entries below the directory PREFIX' -r
complete -c duke -n "__fish_duke_using_subcommand diff" -l since -d 'Compare a directory with its newest snapshot that is at least AGE old, or from DATE or earlier' -r
complete -c duke -n "__fish_duke_using_subcommand diff" -l min-change -d 'Print only changes of SIZE or more, such as 100M' -r
complete -c duke -n "__fish_duke_using_subcommand diff" -l exclude -d 'When scanning a directory, exclude entries matching GLOB' -r
complete -c duke -n "__fish_duke_using_subcommand diff" -l list -d 'List the kept snapshots instead of comparing; with OLD, only those of directory OLD'
complete -c duke -n "__fish_duke_using_subcommand diff" -l json -d 'Print the changes as JSON'
complete -c duke -n "__fish_duke_using_subcommand diff" -s n -l no-interactive -d 'Print the changes as a table, even on a terminal'
complete -c duke -n "__fish_duke_using_subcommand diff" -s a -l apparent-size -d 'Compare apparent sizes instead of disk usage'
complete -c duke -n "__fish_duke_using_subcommand diff" -l si -d 'Show sizes in powers of 1000'
complete -c duke -n "__fish_duke_using_subcommand diff" -s x -l one-file-system -d 'When scanning a directory, do not cross file-system boundaries'
complete -c duke -n "__fish_duke_using_subcommand diff" -l skip-network -d 'When scanning a directory, skip network file systems below it'
complete -c duke -n "__fish_duke_using_subcommand diff" -s q -l quiet -d 'Do not print progress on standard error'
complete -c duke -n "__fish_duke_using_subcommand diff" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand df" -s t -l threads -d 'Use N threads' -r
complete -c duke -n "__fish_duke_using_subcommand df" -l json -d 'Print JSON'
complete -c duke -n "__fish_duke_using_subcommand df" -l si -d 'Show sizes in powers of 1000'
complete -c duke -n "__fish_duke_using_subcommand df" -s q -l quiet -d 'Do not print progress on standard error'
complete -c duke -n "__fish_duke_using_subcommand df" -s x -l one-file-system -d 'Do not cross file-system boundaries below a PATH'
complete -c duke -n "__fish_duke_using_subcommand df" -l skip-network -d 'Skip network file systems below a PATH'
complete -c duke -n "__fish_duke_using_subcommand df" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -s t -l threads -d 'Use N threads' -r
complete -c duke -n "__fish_duke_using_subcommand duplicates" -l exclude -d 'Exclude entries matching GLOB' -r
complete -c duke -n "__fish_duke_using_subcommand duplicates" -l json -d 'Print JSON'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -l share -d 'Make identical files share their data on disk (Linux: btrfs, XFS)'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -l si -d 'Show sizes in powers of 1000'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -s q -l quiet -d 'Do not print progress on standard error'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -s x -l one-file-system -d 'Do not cross file-system boundaries below a PATH'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -l exclude-caches -d 'Exclude directories that contain a CACHEDIR.TAG'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -l skip-network -d 'Skip network file systems below a PATH'
complete -c duke -n "__fish_duke_using_subcommand duplicates" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand help" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand man" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand ncdu" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand merge" -l plan -d 'Plan that was used to save the parts' -r -F
complete -c duke -n "__fish_duke_using_subcommand merge" -s o -l output -d 'Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output' -r -F
complete -c duke -n "__fish_duke_using_subcommand merge" -l partial -d 'Merge even if parts are missing, and mark their directories as not read'
complete -c duke -n "__fish_duke_using_subcommand merge" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand plan" -l parts -d 'Number of parts, including part 0' -r
complete -c duke -n "__fish_duke_using_subcommand plan" -s f -l import -d 'Take the numbers of entries from FILE (an earlier snapshot, export or list of files) instead of listing directories' -r -F
complete -c duke -n "__fish_duke_using_subcommand plan" -l format -d 'Read a list written by PROGRAM' -r -f -a "du\t'du -ab0'
find\t'find -printf \'%p\\t%s\\t%b\\t%T@\\0\''
rclone\t'rclone lsjson -R'
s3-inventory\t'S3 Inventory in CSV'"
complete -c duke -n "__fish_duke_using_subcommand plan" -l fields -d 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)' -r
complete -c duke -n "__fish_duke_using_subcommand plan" -l root -d 'From a list, read only the entries below the directory PREFIX' -r
complete -c duke -n "__fish_duke_using_subcommand plan" -l depth -d 'List directories down to K levels below PATH' -r
complete -c duke -n "__fish_duke_using_subcommand plan" -s o -l output -d 'Write to FILE instead of standard output' -r -F
complete -c duke -n "__fish_duke_using_subcommand plan" -l exclude -d 'Exclude entries matching GLOB' -r
complete -c duke -n "__fish_duke_using_subcommand plan" -l fs-id -d 'Record NAME for the file system of PATH, so that duke merge recognizes it in parts scanned on other hosts' -r
complete -c duke -n "__fish_duke_using_subcommand plan" -s x -l one-file-system -d 'Do not cross file-system boundaries below PATH'
complete -c duke -n "__fish_duke_using_subcommand plan" -l exclude-caches -d 'Exclude directories that contain a CACHEDIR.TAG'
complete -c duke -n "__fish_duke_using_subcommand plan" -l skip-network -d 'Skip network file systems below PATH'
complete -c duke -n "__fish_duke_using_subcommand plan" -s e -l extended -d 'Read the owner, group and mode of every entry'
complete -c duke -n "__fish_duke_using_subcommand plan" -s q -l quiet -d 'Do not print progress on standard error'
complete -c duke -n "__fish_duke_using_subcommand plan" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand save" -s f -l import -d 'Read FILE (an export, a snapshot or a list of files; - for standard input) instead of scanning PATH; requires -o' -r -F
complete -c duke -n "__fish_duke_using_subcommand save" -l format -d 'Read a list written by PROGRAM' -r -f -a "du\t'du -ab0'
find\t'find -printf \'%p\\t%s\\t%b\\t%T@\\0\''
rclone\t'rclone lsjson -R'
s3-inventory\t'S3 Inventory in CSV'"
complete -c duke -n "__fish_duke_using_subcommand save" -l fields -d 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)' -r
complete -c duke -n "__fish_duke_using_subcommand save" -l root -d 'From a list, read only the entries below the directory PREFIX' -r
complete -c duke -n "__fish_duke_using_subcommand save" -s o -l output -d 'Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output' -r -F
complete -c duke -n "__fish_duke_using_subcommand save" -l exclude -d 'Exclude entries matching GLOB' -r
complete -c duke -n "__fish_duke_using_subcommand save" -s t -l threads -d 'Use N threads' -r
complete -c duke -n "__fish_duke_using_subcommand save" -l fs-id -d 'Name for the file system of each PATH; file systems that have the same name in different snapshots count as one' -r
complete -c duke -n "__fish_duke_using_subcommand save" -l plan -d 'Scan one part of the plan in FILE, and save a snapshot of this part' -r -F
complete -c duke -n "__fish_duke_using_subcommand save" -l part -d 'Number of the part to save; part 0 contains everything that is in no other part' -r
complete -c duke -n "__fish_duke_using_subcommand save" -s x -l one-file-system -d 'Do not cross file-system boundaries below a PATH'
complete -c duke -n "__fish_duke_using_subcommand save" -l exclude-caches -d 'Exclude directories that contain a CACHEDIR.TAG'
complete -c duke -n "__fish_duke_using_subcommand save" -l skip-network -d 'Skip network file systems below a PATH'
complete -c duke -n "__fish_duke_using_subcommand save" -s e -l extended -d 'Read the owner, group and mode of every entry'
complete -c duke -n "__fish_duke_using_subcommand save" -s q -l quiet -d 'Do not print progress on standard error'
complete -c duke -n "__fish_duke_using_subcommand save" -l list -d 'List the kept snapshots instead of saving one; with PATH, only those of PATH'
complete -c duke -n "__fish_duke_using_subcommand save" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_using_subcommand subvolumes" -l without -d 'Also print how much space is freed if these subvolumes are deleted together; can be given more than once' -r -f
complete -c duke -n "__fish_duke_using_subcommand subvolumes" -l json -d 'Print JSON'
complete -c duke -n "__fish_duke_using_subcommand subvolumes" -l si -d 'Show sizes in powers of 1000'
complete -c duke -n "__fish_duke_using_subcommand subvolumes" -s h -l help -d 'Print help'
complete -c duke -n "__fish_duke_needs_command" -f -a "(__fish_complete_directories)"
complete -c duke -n "__fish_duke_using_subcommand save df" -f -a "(__fish_complete_directories)"
complete -c duke -n "__fish_duke_using_subcommand config" -f -a "show path import-ncdu"
complete -c duke -n "__fish_duke_using_subcommand completions" -f -a "bash elvish fish powershell zsh"
complete -c duke -n "__fish_duke_using_subcommand help" -f -a "completions config df diff duplicates help man merge ncdu plan save subvolumes"
