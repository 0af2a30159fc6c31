# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_duke_global_optspecs
    string join \n json n/no-interactive s/summarize d/depth= q/quiet a/apparent-size si sort= reverse color= ascii pick 0/print0 t/threads= x/one-file-system exclude= X= exclude-caches include-kernfs e/extended config= no-config h/help V/version
end

function __fish_duke_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_duke_global_optspecs) -- $cmd 2>/dev/null
    or return
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

complete -c duke -n "__fish_duke_needs_command" -s d -l depth -d 'Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise' -r
complete -c duke -n "__fish_duke_needs_command" -l sort -d 'Sort by a column; JSON is always sorted by disk usage' -r -f -a "size\t'Largest first'
name\t'By the bytes of the name'
count\t'Most items first'
mtime\t'Last changed first'"
complete -c duke -n "__fish_duke_needs_command" -l color -d 'Use colours in the browser' -r -f -a "auto\t'Unless `NO_COLOR` is set'
always\t'In any case'
never\t'In no case'"
complete -c duke -n "__fish_duke_needs_command" -s t -l threads -d 'Read with N threads' -r
complete -c duke -n "__fish_duke_needs_command" -l exclude -d 'Leave out what the pattern matches' -r
complete -c duke -n "__fish_duke_needs_command" -s X -d 'Leave out what a pattern in FILE matches, one a line; - is standard input' -r
complete -c duke -n "__fish_duke_needs_command" -l config -d 'Read the configuration from FILE' -r -F
complete -c duke -n "__fish_duke_needs_command" -l json -d 'Print the whole tree as JSON'
complete -c duke -n "__fish_duke_needs_command" -s n -l no-interactive -d 'Print a table, on a terminal too'
complete -c duke -n "__fish_duke_needs_command" -s s -l summarize -d 'Print one line for each PATH: depth 0'
complete -c duke -n "__fish_duke_needs_command" -s q -l quiet -d 'Print no progress on standard error'
complete -c duke -n "__fish_duke_needs_command" -s a -l apparent-size -d 'Show how long files are, not what they take on the disk'
complete -c duke -n "__fish_duke_needs_command" -l si -d 'Show sizes in powers of 1000'
complete -c duke -n "__fish_duke_needs_command" -l reverse -d 'Sort the other way round'
complete -c duke -n "__fish_duke_needs_command" -l ascii -d 'Draw with ASCII characters only'
complete -c duke -n "__fish_duke_needs_command" -l pick -d 'Draw on the terminal although the output goes elsewhere: it is the marked paths, printed by the key p'
complete -c duke -n "__fish_duke_needs_command" -s 0 -l print0 -d 'End each path that the key p prints with a NUL instead of a line end'
complete -c duke -n "__fish_duke_needs_command" -s x -l one-file-system -d 'Stay on the file system of each PATH'
complete -c duke -n "__fish_duke_needs_command" -l exclude-caches -d 'Leave out directories that hold a CACHEDIR.TAG'
complete -c duke -n "__fish_duke_needs_command" -l include-kernfs -d 'Enter /proc, /sys and the like below a PATH'
complete -c duke -n "__fish_duke_needs_command" -s e -l extended -d 'Keep owner, group and mode of every entry'
complete -c duke -n "__fish_duke_needs_command" -l no-config -d 'Read no configuration'
complete -c duke -n "__fish_duke_needs_command" -s h -l help -d 'Print help: -h in short, --help with details'
complete -c duke -n "__fish_duke_needs_command" -s V -l version -d 'Print the version'
complete -c duke -n "__fish_duke_needs_command" -a "config" -d 'Print what the configuration is'
complete -c duke -n "__fish_duke_needs_command" -a "completions" -d 'Print the completions of a shell'
complete -c duke -n "__fish_duke_needs_command" -a "man" -d 'Print the manual page, for man -l -'
complete -c duke -n "__fish_duke_using_subcommand config" -l config -d 'Read the configuration from FILE' -r -F
complete -c duke -n "__fish_duke_using_subcommand config" -l no-config -d 'Read no configuration'
complete -c duke -n "__fish_duke_using_subcommand config" -s h -l help -d 'Print help'
