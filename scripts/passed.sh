# shellcheck shell=bash
# What passed, for scripts/test-host and scripts/test-leg: what passed during the last week with the
# very same bytes is not repeated, unless AGAIN is set. vm/lib.sh is sourced before.

# set_record HASH: sets `record` to the file of what HASH identifies. Older ones are deleted after a week.
set_record() {
    # shellcheck disable=SC2154  # vm/lib.sh sets it
    mkdir -p "$cache/passed"
    find "$cache/passed" -type f -mtime +7 -delete
    record=$cache/passed/${1%% *}
}

# passed_before NAME: whether it did, and says when.
passed_before() {
    [[ -z ${AGAIN:-} && -s $record ]] || return
    echo "     $1: passed on $(date_of_record) with the very same bytes; with AGAIN=1 it runs again"
}
date_of_record() { date -r "$record" '+%F %R'; }

# keep_record: keeps what counts in the output on standard input: results, skips, times, and what
# scripts/model-table reads.
keep_record() {
    grep -E '^(test result: |SKIP: |MODEL: |test .* \.\.\. ignored|     (Running|Ended) )' >"$record.$$" && mv "$record.$$" "$record"
}
