
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'duke' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'duke'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'duke' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write a JSON export in ncdu''s format to FILE; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write a JSON export in ncdu''s format to FILE; - is standard output')
            [CompletionResult]::new('-O', '-O ', [CompletionResultType]::ParameterName, 'Write a binary export in ncdu''s format to FILE; - is standard output')
            [CompletionResult]::new('--output-binary', '--output-binary', [CompletionResultType]::ParameterName, 'Write a binary export in ncdu''s format to FILE; - is standard output')
            [CompletionResult]::new('--export-block-size', '--export-block-size', [CompletionResultType]::ParameterName, 'Block size of the binary export (-O) in KiB, from 4 to 16000 (default: 64, or more for large exports)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read an export of ncdu, gdu or duke, a list of files, or a snapshot, instead of a PATH; - is standard input')
            [CompletionResult]::new('--import', '--import', [CompletionResultType]::ParameterName, 'Read an export of ncdu, gdu or duke, a list of files, or a snapshot, instead of a PATH; - is standard input')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Read a list written by PROGRAM')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'From a list, read only the entries below the directory PREFIX')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Print N levels below each PATH (default: 1 in a table, all in JSON)')
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'Print N levels below each PATH (default: 1 in a table, all in JSON)')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Print only entries of SIZE or more, such as 100M')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Print the N largest files instead of the tree')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Print totals by type, age, owner or storage class instead of the tree')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Sort the table and the browser by a column')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Columns of the browser''s list in addition to size and name, separated by commas (default: share,bar,count)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--start', '--start', [CompletionResultType]::ParameterName, 'View that the browser shows first')
            [CompletionResult]::new('--panes', '--panes', [CompletionResultType]::ParameterName, 'Panes beside the list in a wide window')
            [CompletionResult]::new('--cwd-file', '--cwd-file', [CompletionResultType]::ParameterName, 'On quitting, write the path of the directory on screen to FILE, so that a shell function can cd to it')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Use N threads (default: twice the number of processors, but at least 8 and at most 64; 8 on macOS)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use N threads (default: twice the number of processors, but at least 8 and at most 64; 8 on macOS)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude entries matching GLOB')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'Exclude entries matching a pattern in FILE (one pattern per line); - is standard input')
            [CompletionResult]::new('--exclude-from', '--exclude-from', [CompletionResultType]::ParameterName, 'Exclude entries matching a pattern in FILE (one pattern per line); - is standard input')
            [CompletionResult]::new('--type-name-over', '--type-name-over', [CompletionResultType]::ParameterName, 'Ask for the name of the largest selected entry before deleting more than SIZE')
            [CompletionResult]::new('--snapshot-days', '--snapshot-days', [CompletionResultType]::ParameterName, 'Keep snapshots for at most N days (default: 30)')
            [CompletionResult]::new('--snapshot-size', '--snapshot-size', [CompletionResultType]::ParameterName, 'Limit the total size of the kept snapshots to SIZE; the oldest are deleted first (default: 512M)')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read the configuration from FILE')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the tree as JSON')
            [CompletionResult]::new('--ndjson', '--ndjson', [CompletionResultType]::ParameterName, 'Print a JSON object for each entry, one per line')
            [CompletionResult]::new('--csv', '--csv', [CompletionResultType]::ParameterName, 'Print comma-separated values for each entry, one entry per line')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Compress the JSON export (-o) with zstd')
            [CompletionResult]::new('--compress', '--compress', [CompletionResultType]::ParameterName, 'Compress the JSON export (-o) with zstd')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Print a table even if standard output is a terminal')
            [CompletionResult]::new('--no-interactive', '--no-interactive', [CompletionResultType]::ParameterName, 'Print a table even if standard output is a terminal')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Print one line for each PATH, like --depth 0')
            [CompletionResult]::new('--summarize', '--summarize', [CompletionResultType]::ParameterName, 'Print one line for each PATH, like --depth 0')
            [CompletionResult]::new('--bytes', '--bytes', [CompletionResultType]::ParameterName, 'Print a table with sizes in bytes')
            [CompletionResult]::new('--frees', '--frees', [CompletionResultType]::ParameterName, 'Print how much space deleting each entry would free')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Show apparent size instead of disk usage')
            [CompletionResult]::new('--apparent-size', '--apparent-size', [CompletionResultType]::ParameterName, 'Show apparent size instead of disk usage')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('--reverse', '--reverse', [CompletionResultType]::ParameterName, 'Reverse the sort order')
            [CompletionResult]::new('--directories-first', '--directories-first', [CompletionResultType]::ParameterName, 'List directories before all other entries')
            [CompletionResult]::new('--no-hidden', '--no-hidden', [CompletionResultType]::ParameterName, 'Do not show hidden entries in the table and the browser')
            [CompletionResult]::new('--no-collapse', '--no-collapse', [CompletionResultType]::ParameterName, 'Show each directory in its own row, even if its only entry is a directory')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII characters only')
            [CompletionResult]::new('--no-mouse', '--no-mouse', [CompletionResultType]::ParameterName, 'Do not capture the mouse')
            [CompletionResult]::new('--pick', '--pick', [CompletionResultType]::ParameterName, 'Browse even if standard output is redirected; the key p writes the marked paths to standard output')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End each path that the key p prints with a NUL instead of a newline')
            [CompletionResult]::new('--print0', '--print0', [CompletionResultType]::ParameterName, 'End each path that the key p prints with a NUL instead of a newline')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--exclude-caches', '--exclude-caches', [CompletionResultType]::ParameterName, 'Exclude directories that contain a CACHEDIR.TAG')
            [CompletionResult]::new('--include-kernfs', '--include-kernfs', [CompletionResultType]::ParameterName, 'Enter /proc, /sys and other kernel file systems below a PATH')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Skip network file systems below a PATH')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Count a symbolic link as the file that it points to')
            [CompletionResult]::new('--follow-symlinks', '--follow-symlinks', [CompletionResultType]::ParameterName, 'Count a symbolic link as the file that it points to')
            [CompletionResult]::new('--versions', '--versions', [CompletionResultType]::ParameterName, 'Also list noncurrent versions of objects')
            [CompletionResult]::new('--uploads', '--uploads', [CompletionResultType]::ParameterName, 'Also list unfinished multipart uploads')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Disable deletion')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Disable deletion')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would be deleted')
            [CompletionResult]::new('--select-yes', '--select-yes', [CompletionResultType]::ParameterName, 'Preselect Yes when the browser asks about a deletion')
            [CompletionResult]::new('--confirm-quit', '--confirm-quit', [CompletionResultType]::ParameterName, 'Ask before the browser quits, even if nothing would be lost')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Read the owner, group and mode of every entry')
            [CompletionResult]::new('--extended', '--extended', [CompletionResultType]::ParameterName, 'Read the owner, group and mode of every entry')
            [CompletionResult]::new('--no-snapshots', '--no-snapshots', [CompletionResultType]::ParameterName, 'Do not keep a snapshot of the scan; implies --no-instant')
            [CompletionResult]::new('--no-instant', '--no-instant', [CompletionResultType]::ParameterName, 'While scanning, do not show the sizes of the previous scan; save at most one snapshot a day')
            [CompletionResult]::new('--fresh', '--fresh', [CompletionResultType]::ParameterName, 'While scanning, do not show the sizes of the previous scan; save at most one snapshot a day')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Ignore configuration files')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (-h: summary, --help: details)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (-h: summary, --help: details)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show the configuration')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script for a shell')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what changed since an export or a snapshot was made')
            [CompletionResult]::new('df', 'df', [CompletionResultType]::ParameterValue, 'Explain why df and a scan differ')
            [CompletionResult]::new('duplicates', 'duplicates', [CompletionResultType]::ParameterValue, 'List files and directories with the same contents')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print help for duke or for a subcommand')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page; to read it, run duke man | man -l -')
            [CompletionResult]::new('ncdu', 'ncdu', [CompletionResultType]::ParameterValue, 'Browse with the flags and configuration files of ncdu')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Merge the snapshots of a plan''s parts into one')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Divide PATH into parts that several machines can scan')
            [CompletionResult]::new('save', 'save', [CompletionResultType]::ParameterValue, 'Save one snapshot of all PATHs; duke -f browses the snapshot, duke diff compares it')
            [CompletionResult]::new('subvolumes', 'subvolumes', [CompletionResultType]::ParameterValue, 'List btrfs subvolumes and snapshots, and how much space deleting each of them frees')
            break
        }
        'duke;config' {
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read the configuration from FILE')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Ignore configuration files')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;diff' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Read a list written by PROGRAM')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'From a list, read only the entries below the directory PREFIX')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Compare a directory with its newest snapshot that is at least AGE old, or from DATE or earlier')
            [CompletionResult]::new('--min-change', '--min-change', [CompletionResultType]::ParameterName, 'Print only changes of SIZE or more, such as 100M')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'When scanning a directory, exclude entries matching GLOB')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the kept snapshots instead of comparing; with OLD, only those of directory OLD')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the changes as JSON')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Print the changes as a table, even on a terminal')
            [CompletionResult]::new('--no-interactive', '--no-interactive', [CompletionResultType]::ParameterName, 'Print the changes as a table, even on a terminal')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Compare apparent sizes instead of disk usage')
            [CompletionResult]::new('--apparent-size', '--apparent-size', [CompletionResultType]::ParameterName, 'Compare apparent sizes instead of disk usage')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'When scanning a directory, do not cross file-system boundaries')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'When scanning a directory, do not cross file-system boundaries')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'When scanning a directory, skip network file systems below it')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;df' {
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Use N threads')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use N threads')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Skip network file systems below a PATH')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;duplicates' {
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Use N threads')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use N threads')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude entries matching GLOB')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('--share', '--share', [CompletionResultType]::ParameterName, 'Make identical files share their data on disk (Linux: btrfs, XFS)')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--exclude-caches', '--exclude-caches', [CompletionResultType]::ParameterName, 'Exclude directories that contain a CACHEDIR.TAG')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Skip network file systems below a PATH')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;help' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;ncdu' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;merge' {
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Plan that was used to save the parts')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output')
            [CompletionResult]::new('--partial', '--partial', [CompletionResultType]::ParameterName, 'Merge even if parts are missing, and mark their directories as not read')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;plan' {
            [CompletionResult]::new('--parts', '--parts', [CompletionResultType]::ParameterName, 'Number of parts, including part 0')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Take the numbers of entries from FILE (an earlier snapshot, export or list of files) instead of listing directories')
            [CompletionResult]::new('--import', '--import', [CompletionResultType]::ParameterName, 'Take the numbers of entries from FILE (an earlier snapshot, export or list of files) instead of listing directories')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Read a list written by PROGRAM')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'From a list, read only the entries below the directory PREFIX')
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'List directories down to K levels below PATH')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE instead of standard output')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude entries matching GLOB')
            [CompletionResult]::new('--fs-id', '--fs-id', [CompletionResultType]::ParameterName, 'Record NAME for the file system of PATH, so that duke merge recognizes it in parts scanned on other hosts')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below PATH')
            [CompletionResult]::new('--exclude-caches', '--exclude-caches', [CompletionResultType]::ParameterName, 'Exclude directories that contain a CACHEDIR.TAG')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Skip network file systems below PATH')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Read the owner, group and mode of every entry')
            [CompletionResult]::new('--extended', '--extended', [CompletionResultType]::ParameterName, 'Read the owner, group and mode of every entry')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;save' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read FILE (an export, a snapshot or a list of files; - for standard input) instead of scanning PATH; requires -o')
            [CompletionResult]::new('--import', '--import', [CompletionResultType]::ParameterName, 'Read FILE (an export, a snapshot or a list of files; - for standard input) instead of scanning PATH; requires -o')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Read a list written by PROGRAM')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Columns to read from a list whose header is missing or unknown (example: path=2,size=5)')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'From a list, read only the entries below the directory PREFIX')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude entries matching GLOB')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Use N threads')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use N threads')
            [CompletionResult]::new('--fs-id', '--fs-id', [CompletionResultType]::ParameterName, 'Name for the file system of each PATH; file systems that have the same name in different snapshots count as one')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Scan one part of the plan in FILE, and save a snapshot of this part')
            [CompletionResult]::new('--part', '--part', [CompletionResultType]::ParameterName, 'Number of the part to save; part 0 contains everything that is in no other part')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Do not cross file-system boundaries below a PATH')
            [CompletionResult]::new('--exclude-caches', '--exclude-caches', [CompletionResultType]::ParameterName, 'Exclude directories that contain a CACHEDIR.TAG')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Skip network file systems below a PATH')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Read the owner, group and mode of every entry')
            [CompletionResult]::new('--extended', '--extended', [CompletionResultType]::ParameterName, 'Read the owner, group and mode of every entry')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print progress on standard error')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the kept snapshots instead of saving one; with PATH, only those of PATH')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;subvolumes' {
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Also print how much space is freed if these subvolumes are deleted together; can be given more than once')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
