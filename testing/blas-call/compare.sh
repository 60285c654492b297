#!/usr/bin/env bash
# dgemm of small matrices: paw beside a C program that calls the same library in a plain loop, in turns, on one processor.
# Prints for each library and size the medians and paw ÷ C, the median over the rounds with its smallest and largest.
#   testing/blas-call/compare.sh [ROUNDS [LIBRARY…]]
# PAW: the binary (target/release/paw). SIZES: orders of the matrices (8,16). CPU: the processor (the last one).
# A library whose names carry a prefix is given as FILE:PREFIX (libscipy_openblas.so:scipy_).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
paw=${PAW:-$here/../../target/release/paw}
sizes=${SIZES:-8,16} cpu=${CPU:-$(($(nproc) - 1))} rounds=${1:-10}
libraries=("${@:2}")
[ ${#libraries[@]} -gt 0 ] || libraries=(/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
gcc -O2 -o "$work/dgemm" "$here/dgemm.c" -ldl

# Lines `n loops seconds` of all samples.
ours() {
  taskset -c "$cpu" "$paw" run dgemm --provider "${1%%:*}" --set "n=$sizes" --threads 1 --quiet --out "$work/run" >/dev/null 2>&1
  "$paw" export "$work/run" --format csv --samples | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["phase"] == "measure" && $column["benchmark"] == "dgemm" {
      match($column["point"], /n=[0-9]+/)
      print substr($column["point"], RSTART + 2, RLENGTH - 2), $column["loops"], $column["elapsed_s"] / $column["loops"]
    }'
  rm -rf "$work/run"
}

# The same of the C program, with the loops and the number of samples that paw chose.
theirs() {
  local prefix=''
  [ "${1#*:}" = "$1" ] || prefix=${1#*:}
  sort -n "$2" | awk '{ count[$1]++; loops[$1] = $2 } END { for (n in count) print n, loops[n], count[n] }' |
    while read -r n loops samples; do
      taskset -c "$cpu" "$work/dgemm" "${1%%:*}" "${prefix}cblas_dgemm" "$n" "$loops" "$samples" | sed "s/^/$n $loops /"
    done
}

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
of() { awk -v n="$1" '$1 == n { print $3 }' "$2"; }

for library in "${libraries[@]}"; do
  for round in $(seq "$rounds"); do
    ours "$library" >"$work/paw.$round"
    theirs "$library" "$work/paw.$round" >"$work/c.$round"
  done
  echo "${library%%:*}"
  printf '%6s %12s %12s %10s %10s %10s\n' n 'paw GFLOP/s' 'C GFLOP/s' 'paw ÷ C' smallest largest
  for n in ${sizes//,/ }; do
    for round in $(seq "$rounds"); do
      mine=$(of "$n" "$work/paw.$round" | median) its=$(of "$n" "$work/c.$round" | median)
      echo "$mine $its $(awk "BEGIN { print $its / $mine }")"
    done >"$work/rounds"
    rate() { awk -v n="$n" -v s="$1" 'BEGIN { printf "%.2f", 2e-9 * n * n * n / s }'; }
    mine=$(awk '{ print $1 }' "$work/rounds" | median) its=$(awk '{ print $2 }' "$work/rounds" | median)
    printf '%6d %12s %12s %10.3f %10.3f %10.3f\n' "$n" "$(rate "$mine")" "$(rate "$its")" \
      "$(awk '{ print $3 }' "$work/rounds" | median)" \
      "$(awk '{ print $3 }' "$work/rounds" | sort -g | head -1)" "$(awk '{ print $3 }' "$work/rounds" | sort -g | tail -1)"
  done
done
