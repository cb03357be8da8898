# shellcheck shell=bash disable=SC2034  # what is set here is used where this is read in
# Common functions of the scripts in vm/ and scripts/: messages, progress of long steps, paths, CPU
# time.

repo=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cache=${OUTBOARD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/outboard}
built=${CARGO_TARGET_DIR:-$repo/target}/release
name=$(basename "$0")

# The output of other programs is searched for English words.
export LC_ALL=C.UTF-8

say() { printf '%s: %s\n' "$name" "$*" >&2; }
die() { say "$*"; exit 1; }

# cpu_ticks PID: the CPU time of a process and of the children that it has waited for, in hundredths
# of a second (USER_HZ).
cpu_ticks() {
    local fields=()
    # The name of the process, in parentheses, may hold spaces.
    { read -r -a fields < <(sed 's/.*) //' "/proc/$1/stat"); } 2>/dev/null || { echo 0; return; }
    echo $((fields[11] + fields[12] + fields[13] + fields[14]))
}
# seconds_of TICKS: in seconds with one decimal.
seconds_of() { echo "$(($1 / 100)).$(($1 / 10 % 10))"; }

# with_progress TEXT LOG COMMAND...: runs COMMAND with its output in LOG. After two seconds the
# elapsed time and the last line of LOG are shown. The command has its own process group, so that
# stop_step ends all of it.
step_pid=
with_progress() {
    local text=$1 log=$2 start=$SECONDS elapsed status=0
    shift 2
    : >"$log"
    set -m
    "$@" >"$log" 2>&1 </dev/null &
    step_pid=$!
    set +m
    for _ in {1..20}; do kill -0 $step_pid 2>/dev/null && sleep 0.1; done
    while kill -0 $step_pid 2>/dev/null; do
        elapsed=$((SECONDS - start))
        if [[ -t 2 ]]; then
            printf '\r\e[K%s: %s, %d s  %.60s' "$name" "$text" $elapsed "$(last_line "$log")" >&2
        elif ((elapsed % 15 == 2)); then
            say "$text, $elapsed s  $(last_line "$log")"
        fi
        sleep 1
    done
    wait $step_pid || status=$?
    step_pid=
    elapsed=$((SECONDS - start))
    if ((elapsed > 2)); then
        [[ ! -t 2 ]] || printf '\r\e[K' >&2
        if ((status)); then say "$text: failed after $elapsed s"; else say "$text: done in $elapsed s"; fi
    fi
    return $status
}

# stop_step: for the EXIT trap. Ends the step of with_progress, and ignores signals from then on, so
# that a second one does not interrupt the cleanup.
stop_step() {
    trap "" INT TERM HUP
    [[ -n $step_pid ]] || return 0
    kill -TERM -- -"$step_pid" 2>/dev/null || true
    wait "$step_pid" 2>/dev/null || true
    step_pid=
}

last_line() { tail -n 1 "$1" 2>/dev/null | tr -d '\r' | cut -c1-100; }

# cargo_tool CRATE VERSION LOG: puts a program of crates.io into PATH, which is built once, in the cache.
# The versions in use build with Debian 13's compiler.
cargo_tool() {
    local root=$cache/tools/$1-$2
    if [[ ! -x $root/bin/$1 ]]; then
        with_progress "building $1" "$3" cargo install --quiet --locked --root "$root" --version "$2" "$1" || {
            if_full "$3" "$cache"
            tail -n 40 "$3" >&2
            die "$1 $2 cannot be built; the log: $3"
        }
    fi
    PATH=$root/bin:$PATH
}

# if_full LOG DIR...: exits with a message if LOG reports a full disk; the DIRs are those that were
# written to.
if_full() {
    local log=$1 dir left=''
    grep -q 'No space left on device' "$log" || return 0
    for dir in "${@:2}"; do left+=" $dir has $(df --output=avail -h "$dir" | tail -n 1 | tr -d ' ') now."; done
    die "the disk is full: make room, then try again.$left"
}

# read_leg LEG: sets what the file of a leg and that of its architecture contain; `cross` is the
# prefix of commands that build for it, and `built` the directory with the results of cargo.
declare -A addresses=()
read_leg() {
    arch=amd64 cross=() cpu_of_leg='' compiler=gcc built=${CARGO_TARGET_DIR:-$repo/target}/release
    addresses=() emulator='' machine_options=() default_cpu='' most_cpus='' bus='' console_device=''
    triplet='' multiarch='' rust_target='' kernel_arch='' arch_of_kernel=''
    # shellcheck source=/dev/null
    . "$repo/vm/legs/$1"
    # shellcheck source=/dev/null
    . "$repo/vm/architectures/$arch"
    default_cpu=${cpu_of_leg:-$default_cpu} multiarch=${multiarch:-$triplet} arch_of_kernel=${arch_of_kernel:-$arch}
    [[ $arch == amd64 ]] || cross=("$repo/scripts/cross" "$arch") built=$repo/target/$arch/$rust_target/release
}

# without_lto: from here on cargo builds without link-time optimisation, which takes minutes, in
# a directory of its own. OF_TESTS is the usual one.
without_lto() {
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    export OF_TESTS=${CARGO_TARGET_DIR:-$repo/target}
    export CARGO_TARGET_DIR=$OF_TESTS/quick
    built=$CARGO_TARGET_DIR/release
}
# with_lto COMMAND...: after without_lto, as a release is built.
with_lto() { (unset CARGO_PROFILE_RELEASE_LTO CARGO_PROFILE_RELEASE_CODEGEN_UNITS; "$@"); }

# build_release LOG [CRATE...]: builds the programs and the provider, or only these crates, for the
# architecture of the leg.
build_release() {
    local members=("${@:2}")
    ((${#members[@]})) || members=(outboard-cli outboard-lab outboard-provider)
    (cd "$repo" && with_progress 'building the release binaries' "$1" \
        "${cross[@]}" cargo build --release "${members[@]/#/--package=}") || { cat "$1" >&2; return 1; }
}

# build_models LOG: builds what --model uses on this machine: the server, and the plugin of QEMU.
build_models() {
    (cd "$repo" && with_progress 'building the models' "$1" cargo build --release -p outboard-models -p outboard-model-padlock \
        --features outboard-model-padlock/plugin) || { cat "$1" >&2; return 1; }
}

# debian_root DIR SUITES PACKAGES [ARCHITECTURES [EXTRACTED]]: unpacks the result of vm/debian-tar in
# DIR. Its files belong to the calling user, who can enter and remove it without root.
debian_root() {
    mkdir "$1"
    "$repo/vm/debian-tar" "${@:2}" | tar -x --no-same-owner --exclude='./dev/*' -C "$1"
}

# in_root DIR BUILD COMMAND...: runs COMMAND with DIR as its root; the directory BUILD is /build
# there. objtool reads /proc. A user namespace makes an unprivileged user root of it; root needs
# only the mounts. The shell stays the first process of the namespace: a make in that place would
# not end at a signal, because it sends itself the signal again, which a first process ignores.
# shellcheck disable=SC2016  # the inner shell expands
in_root() {
    unshare --map-root-user --mount --pid --fork sh -euc '
        mount --rbind /dev "$1/dev"; mount -t proc proc "$1/proc"; mkdir -p "$1/build"; mount --bind "$2" "$1/build"
        root=$1; shift 2
        trap "exit 143" TERM INT HUP
        chroot "$root" "$@" & wait $!' - "$@"
}

# time_of_release: the time of the newest entry in Debian's changelog, that of all files in a release.
time_of_release() { sed -n '/^ -- /{s/.*>  //p;q}' "$repo/packaging/debian/changelog"; }

# pack ARGUMENT...: tar with the same bytes for the same files, on every machine and for every user.
pack() { tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="$(time_of_release)" "$@"; }

# source_files: prints the files of the source, each with a 0 after it: those that git lists, or in an
# unpacked tarball all but what was built.
source_files() {
    if [[ -e $repo/.git ]]; then
        git -C "$repo" ls-files -z --cached --others --exclude-standard --deduplicate | while IFS= read -rd '' file; do
            [[ ! -e $repo/$file && ! -L $repo/$file ]] || printf '%s\0' "$file"
        done
    else
        (cd "$repo" && find . -path ./target -prune -o -path ./fuzz/target -prune -o -path ./tests/openwrt/target -prune -o -path ./VENDOR -prune -o ! -type d -printf '%P\0')
    fi | LC_ALL=C sort -z
}

# of_site NAME: the value of packaging/site.
of_site() { sed -n "s/^$1=//p" "$repo/packaging/site"; }

# escaped TEXT: the text in a replacement of sed's, between |.
# shellcheck disable=SC2001  # & in a replacement of bash's depends on its version
escaped() { sed 's/[\\&|]/\\&/g' <<<"$1"; }

# copy_source DIR: copies the files of the source into DIR, with the values of packaging/site. Lines
# that name HOMEPAGE are left out where that is empty.
copy_source() {
    local maintainer homepage contact
    source_files | tar -C "$repo" -c --null --no-recursion -T - | tar -x -C "$1"
    maintainer=$(of_site MAINTAINER)
    maintainer=$(escaped "${maintainer:-outboard maintainers <maintainers@outboard.invalid>}")
    homepage=$(escaped "$(of_site HOMEPAGE)") contact=$(escaped "$(of_site SECURITY_CONTACT)")
    (
        cd "$1" || exit
        sed -i "s|@MAINTAINER@|$maintainer|
            ${homepage:+s|@HOMEPAGE@|$homepage|}
            /@HOMEPAGE@/d" packaging/debian/{control,changelog} packaging/openwrt/feed/outboard/Makefile
        [[ -z $contact ]] || sed -i "s|@SECURITY_CONTACT@|$contact|" SECURITY.md
    )
}

# vendored_crates WORK LOG: sets `vendored` to an archive of the directory vendor with the crates of
# Cargo.lock that the programs need, which is made once, in the cache.
vendored_crates() {
    vendored=$cache/packages/crates-$(cd "$repo" && sha256sum Cargo.lock packaging/vendor | sha256sum | cut -c1-12).tar.xz
    [[ ! -f $vendored ]] || return 0
    mkdir -p "${vendored%/*}"
    with_progress 'fetching the crates' "$2" "$repo/packaging/vendor" "$1/vendor" || {
        if_full "$2" "$1" "$cache"
        tail -n 40 "$2" >&2
        die "the crates cannot be fetched; the log: $2"
    }
    rm -f "$cache"/packages/crates-*
    pack -C "$1" -cJf "$vendored.new" vendor
    mv "$vendored.new" "$vendored"
    rm -rf "$1/vendor"
}
