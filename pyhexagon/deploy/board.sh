# SPDX-License-Identifier: MIT
# The steps of `pyhexagon deploy` on the board, one function each:
#   sh -c "$(cat board.sh)" pyhexagon STEP PREFIX ARGUMENT...
# Needs POSIX sh and tools of every Debian and Ubuntu. Answers are lines "pyhexagon:KEY=VALUE" on stdout, because start
# files of a login shell may also print there. No backslashes: the text also passes through login shells other than sh.
#
#   PREFIX/current            link to versions/V, switched in one rename
#   PREFIX/previous           link to the previously current version
#   PREFIX/versions/V         a venv; complete once V/.complete exists
#   PREFIX/uploads/SHA/FILE   a complete, checked upload; FILE.part during the upload
#   PREFIX/models/FILE        a model copied for the service; FILE.sha256 has its hash
#   PREFIX/kernels/FILE       a user kernel (.phxk), which device.kernel(FILE) finds by its name
#   PREFIX/api-keys           the API keys of the service, readable by this user only
#   PREFIX/.serving           the mark of the service when it last came up
#   PREFIX/.deploy.lock       held by the running deploy
#   PREFIX/.step.lock         held by the writing step, which may outlive its deploy until pip ends
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

# Takes a lock until this process and its children end; the file holds the process id of the owner.
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

# VERSION: answers whether it is complete.
step_whole() { if [ -e "$prefix/versions/$1/.complete" ]; then answer whole yes; fi; }

# SHA FILE: answers how many bytes have arrived.
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

# SHA FILE: appends stdin to the upload.
step_receive() {
    writing
    if ! cat >> "uploads/$1/$2.part"; then
        space
        rm -f "uploads/$1/$2.part"
        exit 1
    fi
}

# SHA FILE SIZE: accepts the upload if size and hash are right, else deletes it.
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

# VERSION PIP_OPTION...: installs the requirements on stdin: a wheel from uploads, and the locked versions of what it needs.
step_install() {
    writing
    new=versions/$1
    shift
    rm -rf "$new"
    mkdir -p versions
    trap 'space; rm -rf "$new"' EXIT
    python3 -m venv --without-pip "$new"
    "$new/bin/python" -Im ensurepip --default-pip # separately, because venv hides its errors
    cat > "$new/requirements.txt"
    set -- --no-input --no-color --progress-bar=off --no-compile --only-binary=:all: "$@"
    "$new/bin/python" -m pip --disable-pip-version-check install "$@" --requirement="$new/requirements.txt" < /dev/null
    sync
    : > "$new/.complete"
    trap - EXIT
}

# VERSION ARGUMENT...: runs its pyhexagon command. No exec: to ssh, a death by signal would look like a lost connection.
step_run() {
    cd "$prefix/versions/$1"
    shift
    answer run yes
    bin/pyhexagon "$@" < /dev/null || exit $?
}

# VERSION: makes it current.
step_switch() {
    writing
    old=$(readlink current || true)
    [ "$old" != "versions/$1" ] || exit 0
    if [ -n "$old" ] && [ -e "$old/.complete" ]; then link "$old" previous; fi
    link "versions/$1" current
}

# NAME...: removes versions and uploads except the current one, the previous one and the named ones.
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

# FILE: answers its absolute path if it is readable; relative paths start at the home directory.
step_find() {
    file=$1
    case $file in
        /*) ;;
        "~/"*) file=$HOME/${file#"~/"} ;;
        *) file=$HOME/$file ;;
    esac
    if [ -f "$file" ] && [ -r "$file" ]; then answer found "$file"; fi
}

# SHA FILE: answers whether that model is here.
step_model() { if [ "$(cat "$prefix/models/$2.sha256" 2> /dev/null)" = "$1" ]; then answer model yes; fi; }

# SHA FILE: moves a complete upload to the models.
step_keep_model() {
    writing
    mkdir -p models
    rm -f "models/$2.sha256"
    mv "uploads/$1/$2" "models/$2"
    rmdir "uploads/$1"
    sync
    echo "$1" > "models/$2.sha256"
}

# SHA FILE: answers whether that kernel is here.
step_kernel() {
    [ -f "$prefix/kernels/$2" ] || exit 0
    sum=$(sha256sum < "$prefix/kernels/$2")
    if [ "${sum%% *}" = "$1" ]; then answer kernel yes; fi
}

# SHA FILE: moves a complete upload to the kernels, in one rename.
step_keep_kernel() {
    writing
    mkdir -p kernels
    sync
    mv "uploads/$1/$2" "kernels/$2"
    rmdir "uploads/$1"
}

lingers() { [ "$(loginctl show-user "$(id -un)" --property=Linger --value 2> /dev/null)" = yes ]; }

# Prints the DSP's nodes and heaps that this user may open.
nodes() {
    for node in /dev/fastrpc-* /dev/dma_heap/* /dev/accel/*; do
        if [ -r "$node" ] && [ -w "$node" ]; then echo "$node"; fi
    done
}

# PROPERTY...: whether the user's manager runs a service with these properties, in which the same nodes can be opened.
applies() {
    command -v systemd-run > /dev/null || return 1
    for property; do
        set -- "$@" "--property=$property"
        shift
    done
    test=$(nodes | while read -r node; do echo "[ -r $node ] && [ -w $node ] && "; done)
    systemd-run --user --quiet --wait --collect "$@" sh -c "$test true" > /dev/null 2>&1 < /dev/null
}

# HOST PORT PROPERTY...: answers whether a service of this user can run without a login and listen there, and whether
# it can have these properties of a sandbox.
step_can_serve() {
    for tool in systemctl loginctl; do
        command -v $tool > /dev/null || answer missing $tool
    done
    told=$(systemctl --user show-environment 2>&1) || answer manager "$(echo "$told" | head -n 1)"
    answer user "$(id -un)"
    if ! lingers; then answer refusal "$(loginctl enable-linger 2>&1 | head -n 1)"; fi
    if lingers; then answer linger yes; fi
    host=$1 port=$2
    shift 2
    if applies "$@"; then answer sandbox yes; fi
    # The port of the running service is free for its successor, also while systemd keeps restarting it.
    case $(systemctl --user is-active pyhexagon) in
        active | activating) if grep -q "^Url=.*:$port$" "$unit" 2> /dev/null; then exit 0; fi ;;
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
" "$host" "$port" 2>&1) || answer port "$told"
}

# Reads the keys from stdin.
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

# MARK: installs stdin as the unit, and starts it unless it already runs with this mark.
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

# MARK: restarts the present unit unless it runs with the mark's version.
step_restart() {
    writing
    start "${1%% *} *"
}

# PATTERN: keeps a running service whose mark matches, else restarts it.
start() {
    case $(cat .serving 2> /dev/null || true) in
        $1) if systemctl --user --quiet is-active pyhexagon; then exit 0; fi ;;
    esac
    rm -f .serving
    systemctl --user reset-failed pyhexagon 2> /dev/null || true
    answer restarted "$(date +%s)"
    systemctl --user restart pyhexagon
}

# URL MARK SINCE SECONDS: waits until the service answers; fails if it ends, even if systemd would restart it.
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
    words=$(said "$3" --identifier=pyhexagon 2> /dev/null || true)           # its own messages, without systemd's
    [ -n "$words" ] || words=$(said "$3" --identifier=systemd 2>&1 || true) # it never started
    echo "$words" >&2
    answer state "$state"
    exit 1
}

# NAME...: removes all other models.
step_clean_models() {
    writing
    for entry in models/*; do
        kept=
        for name; do case $entry in models/"$name" | models/"$name".sha256) kept=yes ;; esac done
        [ "$kept" ] || rm -f "$entry"
    done
}

# Stops the service, and removes its unit, models and keys.
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
