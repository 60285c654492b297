#!/bin/sh
# paw's p2p_send against a plain C ping-pong, in turn, under each MPI that is here.
#
# usage: compare.sh [ROUNDS [LOOPS [SAMPLES]]]
# PAW: the binary (target/release/paw). MPIS: the suffixes of mpicc and mpiexec (openmpi mpich).
# Prints per MPI and size: the medians of both over rounds, and the median of the paired differences, which is to lie
# within ±10 ns or 1 %. The C program runs twice a round: what it differs from itself is the noise of launches, and
# a difference that is smaller cannot be told. Ends with 1 if one is larger than both.
set -eu

rounds=${1:-8} loops=${2:-100} samples=${3:-200}
here=$(cd "$(dirname "$0")" && pwd)
paw=${PAW:-$here/../../target/release/paw}
sizes="8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Open MPI refuses to start as root, as it is in containers, and more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# Lines `bytes p50_ns` of the C program.
theirs() {
    "mpiexec.$1" -n 2 "$work/ping_pong.$1" "$loops" "$samples" | awk '{ print $1, $2 }'
}

# Lines `bytes p50_ns` of paw: the p50 of all samples of a size, from columns found by their names.
# p2p_send counts elements of 8 bytes; the time of one operation is that of one message.
ours() {
    list=$(for size in $sizes; do printf '%s,' $((size / 8)); done)
    rm -rf "$work/run"
    "mpiexec.$1" -n 2 "$paw" run p2p_send --set n="${list%,}" --loops "$loops" --reps "$samples" --quiet \
        --out "$work/run" >/dev/null 2>&1
    "$paw" export "$work/run" --format csv --samples | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["phase"] != "measure" { next }
        { split($column["point"], axes, /[ =]/); print axes[2] * 8, $column["per_operation_s"] * 1e9 }
    ' | sort -k1,1n -k2,2n | awk '
        function median(   m) { m = int((count + 1) / 2); return (value[m] + value[count + 1 - m]) / 2 }
        $1 != bytes && count { print bytes, median(); count = 0 }
        { bytes = $1; value[++count] = $2 }
        END { if (count) print bytes, median() }
    '
}

# Lines `bytes theirs ours again` of all rounds become a table; differences are paired by round.
verdict() {
    sort -k1,1n "$1" | awk '
        function sort_of(from, to, n,   i, j, x) {
            for (i = 1; i <= n; i++) to[i] = from[i]
            for (i = 2; i <= n; i++) for (j = i; j > 1 && to[j] < to[j - 1]; j--) { x = to[j]; to[j] = to[j - 1]; to[j - 1] = x }
        }
        function median(from, n,   to) { sort_of(from, to, n); return (to[int((n + 1) / 2)] + to[int(n / 2) + 1]) / 2 }
        function size(x) { return x < 0 ? -x : x }
        function row(   c, p, d, noise, bound, word) {
            c = median(theirs, count); p = median(ours, count); d = median(difference, count)
            noise = median(itself, count)
            bound = c / 100 > 10 ? c / 100 : 10
            word = size(d) <= bound ? "" : size(d) <= size(noise) ? "not told from noise" : "out of bounds"
            bad += word == "out of bounds"
            printf "%8d %12.1f %12.1f %+10.1f %+12.1f %s\n", bytes, c, p, d, noise, word
        }
        BEGIN { printf "%8s %12s %12s %10s %12s\n", "bytes", "C p50 ns", "paw p50 ns", "difference", "C against C" }
        $1 != bytes && count { row(); count = 0 }
        { bytes = $1; theirs[++count] = $2; ours[count] = $3; difference[count] = $3 - $2; itself[count] = $4 - $2 }
        END { if (count) row(); exit bad > 0 }
    '
}

status=0
for mpi in ${MPIS:-openmpi mpich}; do
    if ! command -v "mpicc.$mpi" >/dev/null; then
        echo "$mpi: mpicc.$mpi is not here"
        continue
    fi
    "mpicc.$mpi" -O2 -Wall -o "$work/ping_pong.$mpi" "$here/ping_pong.c"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        # The order turns: what drifts is shared.
        case $((round % 3)) in
            0) theirs "$mpi" >"$work/theirs" && ours "$mpi" >"$work/ours" && theirs "$mpi" >"$work/again" ;;
            1) theirs "$mpi" >"$work/again" && theirs "$mpi" >"$work/theirs" && ours "$mpi" >"$work/ours" ;;
            2) ours "$mpi" >"$work/ours" && theirs "$mpi" >"$work/again" && theirs "$mpi" >"$work/theirs" ;;
        esac
        awk 'FILENAME ~ /theirs$/ { c[$1] = $2; next } FILENAME ~ /again$/ { a[$1] = $2; next }
            $1 in c && $1 in a { print $1, c[$1], $2, a[$1] }' "$work/theirs" "$work/again" "$work/ours" >>"$work/$mpi.pairs"
        round=$((round + 1))
    done
    echo "== $mpi, $rounds rounds"
    if [ -s "$work/$mpi.pairs" ]; then verdict "$work/$mpi.pairs" || status=1; else echo "nothing to compare"; status=1; fi
done
exit $status
