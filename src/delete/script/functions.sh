set -u
LC_ALL=C
export LC_ALL
umask 077
failed=0

# GNU and BusyBox, or BSD and macOS.
if stat -c %i / >/dev/null 2>&1; then
    look() { stat -c "$1" -- "$3" 2>/dev/null; }
else
    look() { stat -f "$2" -- "$3" 2>/dev/null; }
fi

# same PATH 'DEVICE INODE' BIRTH ['SIZE CHANGE']: succeeds if PATH is still that entry. An unknown creation time is empty or 0.
same() {
    [ "$(look '%d %i' '%d %i' "$1")" = "$2" ] || return 1
    [ $# -lt 4 ] || [ "$(look '%s %Y' '%z %m' "$1")" = "$4" ] || return 1
    birth=$(look %.9W %B "$1")
    case $3,$birth in
    ,* | *, | *,0 | *,0.000000000 | *,*[!0-9.]*) ;;
    *) [ "$birth" = "$3" ] ;;
    esac
}

# Deletes the contents of the working directory, but nothing in file systems mounted below it. find -xdev would enter bind mounts,
# which have the same device, so the mount points are read from the kernel's list. In a pattern, "?" stands for special characters.
clear_here() {
    set --
    if [ -r /proc/self/mountinfo ]; then
        here=$(pwd -P | sed -e :a -e '$!{' -e N -e ba -e '}' \
            -e 's/\\/\\134/g' -e 's/ /\\040/g' -e 's/	/\\011/g' -e 's/\n/\\012/g')
        case $here in /?*) ;; *) return 1 ;; esac
        while read -r number parent_number device root point rest; do
            case $point in "$here"/*)
                point=.$(printf '%s\n' "${point#"$here"}" | sed -e 's/\\[0-7][0-7][0-7]/?/g' -e 's/[][*\\]/?/g')
                set -- "$@" ! -path "$point" ! -path "$point/*"
                ;;
            esac
        done </proc/self/mountinfo
    elif [ "$(uname)" = Linux ]; then
        return 1
    fi
    find . -depth -xdev ! -name . "$@" -delete
}

# directory PARENT BIRTH ENTRY BIRTH: deletes the directory $name in $parent.
directory() {
    (
        cd -P -- "$parent" && same . "$1" "$2" && same "./$name" "$3" "$4" || exit 3
        (cd -P -- "./$name" && same . "$3" "$4" || exit 3; clear_here || exit 4) || exit
        rmdir -- "./$name" || exit 4
    )
    report $?
}

# file PARENT BIRTH ENTRY BIRTH 'SIZE CHANGE': deletes $name, which is no directory, in $parent.
file() {
    (
        cd -P -- "$parent" && same . "$1" "$2" && same "./$name" "$3" "$4" "$5" || exit 3
        rm -f -- "./$name" || exit 4
    )
    report $?
}

report() {
    case $1 in
    0) return ;;
    3) why='not deleted, because changed, missing or not accessible' ;;
    *) why='not deleted, or only in part' ;;
    esac
    printf '%s: %s\n' "$why" "$entry" >&2
    failed=1
}
