# Common code of the benchmark scripts; each sources vm/lib.sh first. The measured machine is QEMU
# on one CPU of the host.
# shellcheck shell=bash disable=SC2034,SC2154  # repo, built and cross come from vm/lib.sh, machine and cpu are for the script

share=$(mktemp -d)
machine='' stopped=no
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# finish: the exit handler of each script.
finish() {
    stop_step
    if [[ -n $machine ]] && kill "$machine" 2>/dev/null; then wait "$machine" || true; fi
    rm -rf "$share"
}
trap finish EXIT
trap 'exit 143' TERM HUP

# build_all: builds the release binaries for the leg that read_leg has read, or for this machine,
# before a machine starts, so that no build runs during a measurement.
build_all() {
    (cd "$repo" && with_progress 'building the release binaries' "$share/log" "${cross[@]}" cargo build --release \
        -p outboard-cli -p outboard-lab -p outboard-provider -p outboard-benchmarks) || { cat "$share/log" >&2; exit 1; }
}

# slow_cpu: the model without AES instructions, of the leg that read_leg has read.
slow_cpu() { if [[ $arch == amd64 ]]; then echo qemu64; else echo "$default_cpu"; fi; }

# CPU time in hundredths of a second: of the whole host, and of this script with the children that
# it waited for.
busy_all() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9; exit }' /proc/stat; }
busy_ours() { awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$$/stat"; }

# measured SECONDS LEG [OPTION...] -- COMMAND...: runs vm/run for at most SECONDS. ^C ends the
# machine and sets stopped=yes; the results so far are in the share. $others is a warning
# about the CPU time that other programs used on the host meanwhile, empty if it is small.
measured() {
    local limit=$1 started all ours wall ended=0
    shift
    started=$(date +%s) all=$(busy_all) ours=$(busy_ours)
    trap 'stopped=yes; kill $machine 2>/dev/null' INT
    "$repo/vm/run" "$1" --no-build --pin "$cpu" --timeout "$limit" --share "$share" "${@:2}" & machine=$!
    wait $machine || ended=$?
    # The signal interrupted the first wait.
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
