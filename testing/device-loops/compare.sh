#!/bin/sh
# paw's suite of devices against plain CUDA and cuBLAS, in turn, on the first device.
#
# usage: compare.sh [ROUNDS]
# PAW: the binary (target/release/paw). NVCC: the compiler (nvcc).
#
# A round runs both, in an order that turns. Prints for each benchmark, size and quantity the medians over rounds in B/s, FLOP/s or s,
# the median of the rounds' ratios paw ÷ C, and the least and the most of them. Sizes are n (copies, products), bytes (memory), blocks
# (peaks); of launches, 0 waits for each and 1 for many.
set -eu
export LC_ALL=C

rounds=${1:-5}
here=$(cd "$(dirname "$0")" && pwd)
medians=$(cat "$here/../medians.awk")
paw=${PAW:-$here/../../target/release/paw}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -O3 -std=c++17 -arch=native -o "$work/loops" "$here/device_loops.cu" -lcublas -lcublasLt

# Lines `benchmark:size:quantity value` of one run of paw.
measured() {
    rm -rf "$work/run"
    "$paw" run "$@" --provider cuda0 --reps 10 --invocations 1 --quiet --out "$work/run" >/dev/null 2>"$work/said" ||
        { cat "$work/said" >&2; return 1; }
    "$paw" export "$work/run" --format csv | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["statistic"] != "median" { next }
        { point = $column["point"]; sub(/cadence=each/, "n=0", point); sub(/cadence=batch/, "n=1", point)
          match(point, /(n|bytes|blocks)=[0-9]+/)
          size = substr(point, RSTART, RLENGTH); sub(/.*=/, "", size)
          print $column["benchmark"] ":" size ":" $column["quantity"], $column["value"] }
    '
}

ours() {
    measured gpu_in_pinned gpu_out_pinned --set n=1024,262144,16777216,67108864
    measured gpu_in_nopin gpu_out_nopin --set n=1024,262144,16777216
    measured device_triad device_copy --set bytes=268435456
    measured device_latency --set bytes=65536,16777216,268435456
    measured device_launch device_peak_f64 device_peak_f32
    measured gpu_dgemm gpu_sgemm gpu_tf32gemm gpu_bf16gemm gpu_fp16gemm gpu_int8gemm gpu_fp8gemm --set n=1024,4096
}

round=0
while [ "$round" -lt "$rounds" ]; do
    [ $((round % 2)) = 0 ] && order="c paw" || order="paw c"
    for program in $order; do
        case $program in
            c) "$work/loops" >"$work/said.c"; sort "$work/said.c" >"$work/c" ;;
            paw) ours >"$work/said.paw"; sort "$work/said.paw" >"$work/paw" ;;
        esac
    done
    join "$work/c" "$work/paw" >>"$work/pairs"
    round=$((round + 1))
done
sort "$work/pairs" | awk "$medians"'
    function row(   ends) {
        sorted(ratio, ends, n)
        printf "%-38s %11.4g %11.4g %8.3f  %.3f .. %.3f\n", cell, middle(theirs, n), middle(ours, n), middle(ratio, n), ends[1], ends[n]
        n = 0
    }
    BEGIN { printf "%-38s %11s %11s %8s  %s\n", "benchmark:size:quantity", "C", "paw", "paw/C", "rounds" }
    n && $1 != cell { row() }
    { cell = $1; n++; theirs[n] = $2; ours[n] = $3; ratio[n] = $3 / $2 }
    END { if (n) row(); else { print "nothing to compare"; exit 1 } }
'
