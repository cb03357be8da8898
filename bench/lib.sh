# What the benchmarks' scripts share; each sources vm/lib.sh before it. The machine that is measured: QEMU on one CPU of the host.
# shellcheck shell=bash disable=SC2034,SC2154  # repo, built and share come from vm/lib.sh and the script, machine and cpu are for it

share=$(mktemp -d)
machine='' stopped=no
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# finish: what a script does at its end, whatever ends it.
finish() {
    stop_step
    if [[ -n $machine ]] && kill "$machine" 2>/dev/null; then wait "$machine" || true; fi
    rm -rf "$share"
}
trap finish EXIT
trap 'exit 143' TERM HUP

# build_all: the release binaries, before the first machine starts, so that nothing else runs beside it.
build_all() {
    with_progress 'building the release binaries' "$share/log" cargo build --release --manifest-path "$repo/Cargo.toml" \
        -p outboard-cli -p outboard-provider -p outboard-bench || { cat "$share/log" >&2; exit 1; }
}

# CPU time in hundredths of a second: of this whole machine, and of what this script ran and waited for.
busy_all() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9; exit }' /proc/stat; }
busy_ours() { awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$$/stat"; }

# measured SECONDS LEG [OPTION...] -- COMMAND...: vm/run, for so many seconds at most. ^C ends the machine, whose results so far
# are in the share, and sets stopped=yes. What other programs took of the host's CPUs meanwhile is in $others, empty if little.
measured() {
    local limit=$1 started all ours wall ended=0
    shift
    started=$(date +%s) all=$(busy_all) ours=$(busy_ours)
    trap 'stopped=yes; kill $machine 2>/dev/null' INT
    "$repo/vm/run" "$1" --no-build --pin "$cpu" --timeout "$limit" --share "$share" "${@:2}" & machine=$!
    wait $machine || ended=$?
    # The signal cut the wait short.
    [[ $stopped == no ]] || wait $machine || true
    machine=''
    trap - INT
    others=$(($(busy_all) - all - ($(busy_ours) - ours))) wall=$(($(date +%s) - started))
    if ((others > 10 * wall)); then
        others="other programs took $((others / wall)) % of a CPU of the host meanwhile"
    else
        others=''
    fi
    return $ended
}
