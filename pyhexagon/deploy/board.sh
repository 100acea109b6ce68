# SPDX-License-Identifier: MIT
# What `pyhexagon deploy` does on the board, one function a step: sh -c "$(cat board.sh)" pyhexagon STEP PREFIX ARGUMENT...
# POSIX sh and what every Debian and Ubuntu has. Answers are lines "pyhexagon:KEY=VALUE" on stdout, for a login shell's
# start files may print there, too. No backslash in here: the text also passes through login shells that are not sh.
#
#   PREFIX/current            link to versions/V, switched in one rename
#   PREFIX/previous           link to the version that was current before
#   PREFIX/versions/V         a venv; whole when V/.complete is there
#   PREFIX/uploads/SHA/FILE   a file that has arrived and was checked; FILE.part while it arrives
#   PREFIX/.deploy.lock       held by the one deploy that is at work
#   PREFIX/.step.lock         held by the step that writes; it may outlive its deploy by the rest of a pip install
set -eu
LC_ALL=C
export LC_ALL
BUSY=75

answer() { echo "pyhexagon:$1=$2"; }

space() {
    folder=$prefix
    while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
    answer space "$(df -Pk "$folder" | tail -n 1)"
}

# Takes a lock for as long as this process and its children live; the file tells whom to look for.
take() {
    exec 9>>"$1"
    if ! flock -w "$2" 9; then
        answer holder "$(tail -n 1 "$1")"
        exit $BUSY
    fi
    echo $$ 2> /dev/null > "$1" || true
}

writing() {
    cd "$prefix"
    take .step.lock 300
}

link() {
    rm -f ".$2.new"
    ln -s "$1" ".$2.new"
    mv -T ".$2.new" "$2"
}

step_connect() {
    answer ready yes
    exec cat > /dev/null
}

step_probe() {
    answer prefix "$prefix"
    answer machine "$(uname -m)"
    answer glibc "$(getconf GNU_LIBC_VERSION 2> /dev/null || true)"
    current=$(readlink "$prefix/current" || true)
    [ -e "$prefix/$current/.complete" ] || current=
    answer current "$current"
    for tool in flock sha256sum; do
        command -v $tool > /dev/null || answer missing $tool
    done
    if command -v python3 > /dev/null; then
        answer python "$(python3 -c "import sys; print('%d.%d.%d' % sys.version_info[:3])")"
        if python3 -c "import ensurepip, venv" 2> /dev/null; then answer venv yes; fi
    fi
    space
}

step_lock() {
    mkdir -p "$prefix"
    cd "$prefix"
    take .deploy.lock 0
    answer ready yes
    exec cat > /dev/null
}

# VERSION: is it whole?
step_whole() { if [ -e "$prefix/versions/$1/.complete" ]; then answer whole yes; fi; }

# SHA FILE: how many bytes of it are here.
step_have() {
    writing
    if [ -f "uploads/$1/$2" ]; then
        answer have whole
    elif [ -f "uploads/$1/$2.part" ]; then
        answer have "$(wc -c < "uploads/$1/$2.part")"
    else
        mkdir -p "uploads/$1"
        answer have 0
    fi
    space
}

# SHA FILE: appends stdin.
step_receive() {
    writing
    if ! cat >> "uploads/$1/$2.part"; then
        space
        rm -f "uploads/$1/$2.part"
        exit 1
    fi
}

# SHA FILE SIZE: what has arrived is what was sent, or is thrown away.
step_arrived() {
    writing
    part=uploads/$1/$2.part
    sum=$(sha256sum < "$part")
    if [ $(wc -c < "$part") -eq "$3" ] && [ "${sum%% *}" = "$1" ]; then
        mv "$part" "uploads/$1/$2"
        answer arrived yes
    else
        rm "$part"
    fi
}

# VERSION WHEEL PIP_OPTION...: the wheel is a file below uploads.
step_install() {
    writing
    new=versions/$1
    wheel=uploads/$2
    shift 2
    rm -rf "$new"
    mkdir -p versions
    trap 'space; rm -rf "$new"' EXIT
    python3 -m venv --without-pip "$new"
    "$new/bin/python" -Im ensurepip --default-pip # by itself, for venv keeps its complaints back
    set -- --no-input --no-color --progress-bar=off --no-compile --only-binary=:all: "$@"
    "$new/bin/python" -m pip --disable-pip-version-check install "$@" "$wheel" < /dev/null
    sync
    : > "$new/.complete"
    trap - EXIT
}

# VERSION ARGUMENT...: its pyhexagon command. No exec: that a signal ended it would look like a lost connection to ssh.
step_run() {
    cd "$prefix/versions/$1"
    shift
    answer run yes
    bin/pyhexagon "$@" < /dev/null || exit $?
}

# VERSION
step_switch() {
    writing
    old=$(readlink current || true)
    [ "$old" != "versions/$1" ] || exit 0
    if [ -n "$old" ] && [ -e "$old/.complete" ]; then link "$old" previous; fi
    link "versions/$1" current
}

# NAME...: removes what is neither current nor previous nor among these names of versions and uploads.
step_clean() {
    writing
    for entry in versions/* uploads/*; do
        [ -e "$entry" ] || continue
        for keep in "$(readlink current || true)" "$(readlink previous || true)" "$@"; do
            case $entry in "$keep" | versions/"$keep" | uploads/"$keep") continue 2 ;; esac
        done
        rm -rf "$entry"
    done
}

step=$1
prefix=$2
shift 2
case $prefix in
    /*) ;;
    "~/"*) prefix=$HOME/${prefix#"~/"} ;;
    *) prefix=$HOME/$prefix ;;
esac
"step_$step" "$@"
