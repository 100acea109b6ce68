# SPDX-License-Identifier: MIT
# What `pyhexagon deploy` does on the board, one function a step: sh -c "$(cat board.sh)" pyhexagon STEP PREFIX ARGUMENT...
# POSIX sh and what every Debian and Ubuntu has. Answers are lines "pyhexagon:KEY=VALUE" on stdout, for a login shell's
# start files may print there, too. No backslash in here: the text also passes through login shells that are not sh.
#
#   PREFIX/current            link to versions/V, switched in one rename
#   PREFIX/previous           link to the version that was current before
#   PREFIX/versions/V         a venv; whole when V/.complete is there
#   PREFIX/uploads/SHA/FILE   a file that has arrived and was checked; FILE.part while it arrives
#   PREFIX/models/FILE        a model that was brought for the service; FILE.sha256 has its hash
#   PREFIX/api-keys           those of the service, for this user only
#   PREFIX/.serving           what the service was started with when it last came up
#   PREFIX/.deploy.lock       held by the one deploy that is at work
#   PREFIX/.step.lock         held by the step that writes; it may outlive its deploy by the rest of a pip install
set -eu
LC_ALL=C
export LC_ALL
BUSY=75
unit=$HOME/.config/systemd/user/pyhexagon.service
XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/run/user/$(id -u)} # where systemctl finds the user's manager
export XDG_RUNTIME_DIR

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
    if [ -e "$unit" ]; then answer service "$(sed -n "s/^Url=//p" "$unit")"; fi
    if [ -e "$prefix/api-keys" ]; then answer keys yes; fi
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

# FILE: of this machine, from the home directory on unless it begins with a slash.
step_find() {
    file=$1
    case $file in
        /*) ;;
        "~/"*) file=$HOME/${file#"~/"} ;;
        *) file=$HOME/$file ;;
    esac
    if [ -f "$file" ] && [ -r "$file" ]; then answer found "$file"; fi
}

# SHA FILE: is that model here?
step_model() { if [ "$(cat "$prefix/models/$2.sha256" 2> /dev/null)" = "$1" ]; then answer model yes; fi; }

# SHA FILE: what has arrived is a model.
step_keep_model() {
    writing
    mkdir -p models
    rm -f "models/$2.sha256"
    mv "uploads/$1/$2" "models/$2"
    rmdir "uploads/$1"
    sync
    echo "$1" > "models/$2.sha256"
}

lingers() { [ "$(loginctl show-user "$(id -un)" --property=Linger --value 2> /dev/null)" = yes ]; }

# HOST PORT: may a service of this user run without a login, and listen there?
step_can_serve() {
    for tool in systemctl loginctl; do
        command -v $tool > /dev/null || answer missing $tool
    done
    told=$(systemctl --user show-environment 2>&1) || answer manager "$(echo "$told" | head -n 1)"
    answer user "$(id -un)"
    if ! lingers; then answer refusal "$(loginctl enable-linger 2>&1 | head -n 1)"; fi
    if lingers; then answer linger yes; fi
    # The service's own port is not taken, also where systemd starts it again and again.
    case $(systemctl --user is-active pyhexagon) in
        active | activating) if grep -q "^Url=.*:$2$" "$unit" 2> /dev/null; then exit 0; fi ;;
    esac
    told=$(python3 -c "
import socket, sys
try:
    found = socket.getaddrinfo(sys.argv[1], int(sys.argv[2]), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    with socket.socket(*found[:3]) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(found[4])
        one.listen()
except OSError as problem:
    sys.exit(problem.strerror)
" "$1" "$2" 2>&1) || answer port "$told"
}

# The keys come by stdin.
step_keys() {
    writing
    umask 077
    rm -f .api-keys.new
    cat > .api-keys.new
    if cmp -s .api-keys.new api-keys; then
        rm .api-keys.new
    else
        rm -f .serving
        mv .api-keys.new api-keys
    fi
    chmod 600 api-keys
}

# MARK: makes stdin the unit, and starts it unless it runs with all that the mark stands for.
step_serve() {
    writing
    mkdir -p "$(dirname "$unit")"
    cat > "$unit.new"
    chmod 644 "$unit.new"
    mv "$unit.new" "$unit"
    systemctl --user daemon-reload
    systemctl --user --quiet enable pyhexagon
    start "$1"
}

# MARK: as it is, unless it runs with the mark's version.
step_restart() {
    writing
    start "${1%% *} *"
}

# PATTERN: of the mark with which it may go on.
start() {
    case $(cat .serving 2> /dev/null || true) in
        $1) if systemctl --user --quiet is-active pyhexagon; then exit 0; fi ;;
    esac
    rm -f .serving
    systemctl --user reset-failed pyhexagon 2> /dev/null || true
    answer restarted "$(date +%s)"
    systemctl --user restart pyhexagon
}

# URL MARK SINCE SECONDS: waits until the service answers; fails when it ends, also where systemd would start it again.
step_healthy() {
    restarts=$(systemctl --user show --property=NRestarts --value pyhexagon)
    end=$(($(date +%s) + $4))
    while [ "$(date +%s)" -lt $end ]; do
        state=$(systemctl --user show --property=SubState --value pyhexagon)
        case $state in start* | running | reload*) ;; *) break ;; esac
        [ "$restarts" = "$(systemctl --user show --property=NRestarts --value pyhexagon)" ] || break
        if python3 -c "
import sys, urllib.request as request
request.build_opener(request.ProxyHandler({})).open(sys.argv[1] + '/health', timeout=5)
" "$1" 2> /dev/null; then
            echo "$2" > "$prefix/.serving"
            answer healthy yes
            exit 0
        fi
        sleep 0.5
    done
    said() { journalctl --user --unit=pyhexagon --since="@$1" --lines=8 --output=cat --quiet --no-pager "$2"; }
    words=$(said "$3" --identifier=pyhexagon 2> /dev/null || true)           # its own, without systemd's about it
    [ -n "$words" ] || words=$(said "$3" --identifier=systemd 2>&1 || true) # it was never started
    echo "$words" >&2
    answer state "$state"
    exit 1
}

# NAME: removes all models but this one.
step_clean_models() {
    writing
    for entry in models/*; do
        case $entry in models/"$1" | models/"$1".sha256 | "models/*") ;; *) rm -f "$entry" ;; esac
    done
}

# Ends the service, and removes what was brought for it.
step_unserve() {
    [ -e "$unit" ] || [ -d "$prefix" ] || exit 0
    mkdir -p "$prefix"
    writing
    if [ -e "$unit" ]; then
        systemctl --user --quiet disable --now pyhexagon
        rm "$unit"
        systemctl --user daemon-reload
        answer removed yes
    fi
    rm -rf models api-keys .serving
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
