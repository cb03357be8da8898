# For the scripts that use `requests` in machines that count instructions; each sources vm/lib.sh first.
# shellcheck shell=bash disable=SC2154  # repo, leg, cross and here come from the scripts

# scripts/cross sees no other directory.
mkdir -p "$repo/target"
share=$(mktemp -d "$repo/target/requests.XXXXXX")
trap 'stop_step; rm -rf "$share"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# prepare: what the machines of the leg that read_leg has read need, in the share.
prepare() {
    local modules
    build_release "$share/log"
    modules=$("$repo/kmod/build" "$leg")
    cp "$modules/outboard.ko" "$modules/outboard_sim.ko" "$here/guest" "$repo/benchmarks/requests/configuration.sh" "$share"
    # shellcheck disable=SC2016  # the inner shell expands
    (cd "$repo" && "${cross[@]}" sh -c '${CC:-cc} -O2 -Wall -Wextra -Werror -o "$1" benchmarks/requests/requests.c benchmarks/requests/socket.c' - "${share#"$repo/"}/requests")
}
