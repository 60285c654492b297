#!/bin/sh
# paw's messages and collectives against plain C, in turn, under each MPI that is here.
#
# usage: compare.sh [ROUNDS]
# PAW: the binary (target/release/paw). MPIS: the suffixes of mpicc and mpiexec (openmpi mpich).
#
# A round runs the loops of message_loops.c both ways (mean: as the OSU benchmarks take time; steps: as paw does) and paw, in an order
# that turns. Prints for each MPI, operation and size the medians over rounds in ns and the medians of the rounds' ratios paw ÷ mean and
# paw ÷ steps, with the 95 % interval of the latter (order statistics). Where paw and mean differ by over 5 %, steps is the arbiter.
set -eu

rounds=${1:-10}
here=$(cd "$(dirname "$0")" && pwd)
paw=${PAW:-$here/../../target/release/paw}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Open MPI refuses to start as root, as it is in containers, and more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# Lines `name bytes ns` of paw: the median that it gives for a cell, of one operation.
ours() {
    rm -rf "$work/run"
    "mpiexec.$1" -n 2 "$paw" run p2p_send p2p_put allreduce bcast alltoall barrier --set n=1,128,8192 --set cadence=isolated \
        --reps 60 --quiet --out "$work/run" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; return 1; }
    "$paw" export "$work/run" --format csv | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["quantity"] != "time" || $column["statistic"] != "median" { next }
        { n = match($column["point"], /n=[0-9]+/) ? substr($column["point"], RSTART + 2, RLENGTH - 2) : 1
          print $column["benchmark"], n * 8, $column["value"] * 1e9 }
    '
}

one() {
    case $2 in
        paw) ours "$1" ;;
        *) "mpiexec.$1" -n 2 "$work/loops.$1" "$2" ;;
    esac | awk '{ print $1 ":" $2, $3 }' | sort >"$work/$2"
}

table() {
    sort -k1,1 "$1" | awk '
        function sort_of(from, to, n,   i, j, x) {
            for (i = 1; i <= n; i++) to[i] = from[i]
            for (i = 2; i <= n; i++) for (j = i; j > 1 && to[j] < to[j - 1]; j--) { x = to[j]; to[j] = to[j - 1]; to[j - 1] = x }
        }
        function median(from, n,   to) { sort_of(from, to, n); return (to[int((n + 1) / 2)] + to[int(n / 2) + 1]) / 2 }
        # The ends of the interval of a median are the k-th values from below and from above.
        function row(   k, sorted) {
            sort_of(judged, sorted, count)
            k = int((count - 1.96 * sqrt(count)) / 2); if (k < 1) k = 1
            printf "%-18s %10.1f %10.1f %10.1f %9.3f %9.3f  %.3f .. %.3f\n", key, median(mean, count), median(steps, count), \
                median(ours, count), median(osu, count), median(judged, count), sorted[k], sorted[count + 1 - k]
        }
        BEGIN { printf "%-18s %10s %10s %10s %9s %9s  %s\n", "operation:bytes", "mean", "steps", "paw", "paw/mean", "paw/steps", "95 %" }
        $1 != key && count { row(); count = 0 }
        { key = $1; mean[++count] = $2; steps[count] = $3; ours[count] = $4; osu[count] = $4 / $2; judged[count] = $4 / $3 }
        END { if (count) row() }
    '
}

for mpi in ${MPIS:-openmpi mpich}; do
    if ! command -v "mpicc.$mpi" >/dev/null; then
        echo "$mpi: mpicc.$mpi is not here"
        continue
    fi
    "mpicc.$mpi" -O2 -Wall -o "$work/loops.$mpi" "$here/message_loops.c"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        # The order turns: what drifts is shared.
        case $((round % 3)) in
            0) order="mean steps paw" ;;
            1) order="steps paw mean" ;;
            2) order="paw mean steps" ;;
        esac
        for program in $order; do one "$mpi" "$program"; done
        join "$work/mean" "$work/steps" | join - "$work/paw" >>"$work/$mpi.rows"
        round=$((round + 1))
    done
    echo "== $mpi, $rounds rounds"
    table "$work/$mpi.rows"
done
