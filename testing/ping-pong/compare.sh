#!/bin/sh
# paw's p2p_send against a plain C ping-pong, in turn, under each MPI that is here.
#
# usage: compare.sh [ROUNDS [LOOPS [SAMPLES]]]
# PAW: the binary (target/release/paw). MPIS: the suffixes of mpicc and mpiexec (openmpi mpich).
#
# A round runs the C program as it is, the C program in step twice (each size in buffers of its own; between samples the
# ranks agree and start together, as in paw), and paw, in an order that turns. Prints per MPI and size the median of
# each, and medians of the differences paired by round:
#   paw - in step   with its 95 % interval (order statistics: the sign test's), to lie within ±10 ns or 1 %
#   paw - plain     what a user sees who holds paw against a loop without any start
#   C - C           the program in step against itself: what launches alone do
# Ends with 1 if a whole interval lies outside.
set -eu

rounds=${1:-8} loops=${2:-100} samples=${3:-200}
here=$(cd "$(dirname "$0")" && pwd)
medians=$(cat "$here/../medians.awk")
paw=${PAW:-$here/../../target/release/paw}
sizes="8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Open MPI refuses to start as root, as it is in containers, and more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# Lines `bytes p50_ns` of the C program, with these flags.
theirs() {
    mpi=$1
    shift
    "mpiexec.$mpi" -n 2 "$work/ping_pong.$mpi" "$@" "$loops" "$samples" | awk '{ print $1, $2 }'
}

# One program of a round, into a file of its name.
one() {
    case $2 in
        plain) theirs "$1" ;;
        step | again) theirs "$1" --in-step ;;
        paw) ours "$1" ;;
    esac >"$work/$2"
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

# Lines `bytes plain step again paw` of all rounds become a table; differences are paired by round.
verdict() {
    sort -k1,1n "$1" | awk "$medians"'
        function size(x) { return x < 0 ? -x : x }
        function row(   c, d, bound, word) {
            c = middle(step, count); d = middle(difference, count)
            interval(difference, count)
            bound = c / 100 > 10 ? c / 100 : 10
            word = size(d) <= bound ? "" : count < 6 ? "too few rounds" : low <= bound && high >= -bound ? "not told from noise" : "out of bounds"
            bad += word == "out of bounds"
            printf "%6d %9.1f %9.1f %9.1f %+8.1f  %+8.1f .. %+8.1f %+10.1f %+8.1f  %s\n", bytes, middle(plain, count), c,
                middle(ours, count), d, low, high, middle(open, count), middle(itself, count), word
        }
        BEGIN {
            printf "%6s %9s %9s %9s %8s  %20s %10s %8s\n", "bytes", "C", "C in step", "paw", "paw-step", "95 %", "paw-plain", "C-C"
        }
        $1 != bytes && count { row(); count = 0 }
        {
            bytes = $1; plain[++count] = $2; step[count] = ($3 + $4) / 2; ours[count] = $5
            difference[count] = $5 - step[count]; open[count] = $5 - $2; itself[count] = $4 - $3
        }
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
        case $((round % 4)) in
            0) order="plain step paw again" ;;
            1) order="step paw again plain" ;;
            2) order="paw again plain step" ;;
            3) order="again plain step paw" ;;
        esac
        for program in $order; do one "$mpi" "$program"; done
        sort "$work/plain" >"$work/sizes"
        for program in step again paw; do
            sort "$work/$program" | join "$work/sizes" - >"$work/joined"
            mv "$work/joined" "$work/sizes"
        done
        cat "$work/sizes" >>"$work/$mpi.pairs"
        round=$((round + 1))
    done
    echo "== $mpi, $rounds rounds"
    if [ -s "$work/$mpi.pairs" ]; then verdict "$work/$mpi.pairs" || status=1; else echo "nothing to compare"; status=1; fi
done
exit $status
