#!/bin/sh
# paw's messages and collectives against plain C, in turn, under each MPI that is here.
#
# usage: compare.sh [ROUNDS]
# PAW: the binary (target/release/paw). MPIS: the suffixes of mpicc and mpiexec (openmpi mpich).
# OSU: a directory with programs of the OSU Micro-Benchmarks for each MPI, as in openmpi/osu_latency, to be measured beside the others.
#
# A round runs the loops of message_loops.c both ways (mean: as the OSU benchmarks take time; steps: as paw does) and paw, in an order
# that turns. Prints for each MPI, operation and size the medians over rounds in ns, the medians of the rounds' ratios paw ÷ mean,
# paw ÷ steps and paw ÷ OSU, and an interval of 95 % or more of paw ÷ steps (order statistics). Where paw and the others differ by over
# 5 %, steps is the arbiter.
set -eu

rounds=${1:-10}
here=$(cd "$(dirname "$0")" && pwd)
medians=$(cat "$here/../medians.awk")
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

# The same of the OSU benchmarks, which take one size at a time here.
theirs() {
    for program in p2p_send:latency p2p_put:put_latency allreduce:allreduce bcast:bcast alltoall:alltoall; do
        osu=$OSU/$1/osu_${program#*:}
        # As paw does it: windows of own memory between start and complete; sums of numbers in place of characters.
        case $program in
            p2p_put*) as="-w create -s pscw" ;;
            allreduce*) as="-T mpi_float" ;;
            *) as= ;;
        esac
        for bytes in 8 1024 65536; do
            # shellcheck disable=SC2086
            "mpiexec.$1" -n 2 "$osu" $as -m "$bytes:$bytes" | awk -v name="${program%:*}" '$1 + 0 > 0 { print name, $1, $2 * 1000 }'
        done
    done
    "mpiexec.$1" -n 2 "$OSU/$1/osu_barrier" | awk '$1 + 0 > 0 { print "barrier", 8, $1 * 1000 }'
}

one() {
    case $2 in
        paw) ours "$1" ;;
        osu) theirs "$1" ;;
        *) "mpiexec.$1" -n 2 "$work/loops.$1" "$2" ;;
    esac | awk '{ print $1 ":" $2, $3 }' | sort >"$work/$2"
}

table() {
    sort -k1,1 "$1" | awk "$medians"'
        function row(   c, line) {
            line = sprintf("%-18s", key)
            for (c = 1; c <= programs; c++) { column(time, c); line = line sprintf(" %10.1f", middle(one, count)) }
            for (c = 1; c <= programs; c++) if (c != 3) { column(ratio, c); line = line sprintf(" %9.3f", middle(one, count)) }
            column(ratio, 2)
            interval(one, count)
            printf "%s  %.3f .. %.3f\n", line, low, high
        }
        function column(of, c,   i) { for (i = 1; i <= count; i++) one[i] = of[i, c] }
        NR == 1 {
            programs = NF - 1
            printf "%-18s %10s %10s %10s%s %9s %9s%s  %s\n", "operation:bytes", "mean", "steps", "paw", (programs > 3 ? "        OSU" : ""), \
                "paw/mean", "paw/steps", (programs > 3 ? "   paw/OSU" : ""), "95 % of paw/steps"
        }
        $1 != key && count { row(); count = 0 }
        { key = $1; count++; for (c = 1; c <= programs; c++) { time[count, c] = $(c + 1); ratio[count, c] = $4 / $(c + 1) } }
        END { if (count) row() }
    '
}

for mpi in ${MPIS:-openmpi mpich}; do
    if ! command -v "mpicc.$mpi" >/dev/null; then
        echo "$mpi: mpicc.$mpi is not here"
        continue
    fi
    "mpicc.$mpi" -O2 -Wall -o "$work/loops.$mpi" "$here/message_loops.c"
    for program in ${OSU:+latency put_latency allreduce bcast alltoall barrier}; do
        [ -x "$OSU/$mpi/osu_$program" ] || { echo "$OSU/$mpi/osu_$program is not here" >&2; exit 1; }
    done
    round=0
    order="mean steps paw${OSU:+ osu}"
    while [ "$round" -lt "$rounds" ]; do
        # The order turns: what drifts is shared.
        for program in $order; do one "$mpi" "$program"; done
        order="${order#* } ${order%% *}"
        join "$work/mean" "$work/steps" | join - "$work/paw" >"$work/row"
        if [ -n "${OSU:-}" ]; then join "$work/row" "$work/osu"; else cat "$work/row"; fi >>"$work/$mpi.rows"
        round=$((round + 1))
    done
    echo "== $mpi, $rounds rounds"
    table "$work/$mpi.rows"
done
