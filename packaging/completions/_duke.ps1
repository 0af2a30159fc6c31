
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
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write ncdu''s JSON export to FILE; - is standard output')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Look at an export of ncdu, gdu or duke, or a snapshot, instead of a PATH; - is standard input')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise')
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Print no entries that take less than SIZE, such as 100M')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Print the N files that take most, instead of the tree')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Print sums by type, age or owner, instead of the tree')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Sort by a column; JSON, --top and --by have an order of their own')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours in the browser')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Read with N threads')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Read with N threads')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out what the pattern matches')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'Leave out what a pattern in FILE matches, one a line; - is standard input')
            [CompletionResult]::new('--type-name-over', '--type-name-over', [CompletionResultType]::ParameterName, 'Have the name typed to delete more than SIZE')
            [CompletionResult]::new('--snapshot-days', '--snapshot-days', [CompletionResultType]::ParameterName, 'Remove snapshots that were kept for more than N days: 30, unless told otherwise')
            [CompletionResult]::new('--snapshot-size', '--snapshot-size', [CompletionResultType]::ParameterName, 'Remove the oldest snapshots when all take more than SIZE: 512M, unless told otherwise')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read the configuration from FILE')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the whole tree as JSON')
            [CompletionResult]::new('--ndjson', '--ndjson', [CompletionResultType]::ParameterName, 'Print a JSON object for each entry, one a line')
            [CompletionResult]::new('--csv', '--csv', [CompletionResultType]::ParameterName, 'Print comma-separated values for each entry, one a line')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Pack what -o writes with zstd')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Print a table, on a terminal too')
            [CompletionResult]::new('--no-interactive', '--no-interactive', [CompletionResultType]::ParameterName, 'Print a table, on a terminal too')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Print one line for each PATH: depth 0')
            [CompletionResult]::new('--summarize', '--summarize', [CompletionResultType]::ParameterName, 'Print one line for each PATH: depth 0')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Show how long files are, not what they take on the disk')
            [CompletionResult]::new('--apparent-size', '--apparent-size', [CompletionResultType]::ParameterName, 'Show how long files are, not what they take on the disk')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('--reverse', '--reverse', [CompletionResultType]::ParameterName, 'Sort the other way round')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII characters only')
            [CompletionResult]::new('--no-mouse', '--no-mouse', [CompletionResultType]::ParameterName, 'Leave the mouse to the terminal')
            [CompletionResult]::new('--pick', '--pick', [CompletionResultType]::ParameterName, 'Draw on the terminal although the output goes elsewhere: it is the marked paths, printed by the key p')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End each path that the key p prints with a NUL instead of a line end')
            [CompletionResult]::new('--print0', '--print0', [CompletionResultType]::ParameterName, 'End each path that the key p prints with a NUL instead of a line end')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--exclude-caches', '--exclude-caches', [CompletionResultType]::ParameterName, 'Leave out directories that hold a CACHEDIR.TAG')
            [CompletionResult]::new('--include-kernfs', '--include-kernfs', [CompletionResultType]::ParameterName, 'Enter /proc, /sys and the like below a PATH')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Do not enter file systems of other machines below a PATH')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Change nothing: no key that deletes works')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Change nothing: no key that deletes works')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what a deletion would remove')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Keep owner, group and mode of every entry')
            [CompletionResult]::new('--extended', '--extended', [CompletionResultType]::ParameterName, 'Keep owner, group and mode of every entry')
            [CompletionResult]::new('--no-snapshots', '--no-snapshots', [CompletionResultType]::ParameterName, 'Keep no snapshot of what was browsed')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no configuration')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h in short, --help with details')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h in short, --help with details')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Print what the configuration is')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions of a shell')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what changed since an export or a snapshot was made')
            [CompletionResult]::new('df', 'df', [CompletionResultType]::ParameterValue, 'Print where the rest is: what df says of a file system, explained by what lies in PATH')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page, for man -l -')
            [CompletionResult]::new('save', 'save', [CompletionResultType]::ParameterValue, 'Save what is below each PATH as a snapshot, for -f and diff')
            break
        }
        'duke;config' {
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read the configuration from FILE')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no configuration')
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
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Compare a directory with the newest snapshot kept of it by then')
            [CompletionResult]::new('--min-change', '--min-change', [CompletionResultType]::ParameterName, 'Print only changes of SIZE or more, such as 100M')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out what the pattern matches in a directory')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the snapshots that were kept, of one directory or of all, and compare nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the changes as JSON')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Print the changes as a table, on a terminal too')
            [CompletionResult]::new('--no-interactive', '--no-interactive', [CompletionResultType]::ParameterName, 'Print the changes as a table, on a terminal too')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Compare how long files are, not what they take on the disk')
            [CompletionResult]::new('--apparent-size', '--apparent-size', [CompletionResultType]::ParameterName, 'Compare how long files are, not what they take on the disk')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the file system of a directory')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of a directory')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Do not enter file systems of other machines below a directory')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;df' {
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Read with N threads')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Read with N threads')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Show sizes in powers of 1000')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Do not enter file systems of other machines below a PATH')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'duke;save' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out what the pattern matches')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--exclude-caches', '--exclude-caches', [CompletionResultType]::ParameterName, 'Leave out directories that hold a CACHEDIR.TAG')
            [CompletionResult]::new('--skip-network', '--skip-network', [CompletionResultType]::ParameterName, 'Do not enter file systems of other machines below a PATH')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Keep owner, group and mode of every entry')
            [CompletionResult]::new('--extended', '--extended', [CompletionResultType]::ParameterName, 'Keep owner, group and mode of every entry')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no progress on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
