#!/usr/bin/env bash
# What it costs to start a program: the launcher of paw-apps beside hyperfine -N, in turns, and once more from a parent
# that holds 1 GB. Prints medians and their ratio. Needs hyperfine (Debian package), and a quiet machine.
#   testing/spawn/compare.sh [ROUNDS [RUNS [COMMAND…]]]
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${1:-10} runs=${2:-100}
command=("${@:3}")
[ ${#command[@]} -gt 0 ] || command=(/bin/true)

cargo build --quiet --release -p paw-apps --example spawn
spawn=${CARGO_TARGET_DIR:-target}/release/examples/spawn
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ours() { "$spawn" --runs "$runs" --hold "$1" --print times -- "${command[@]}" >>"$2"; }

theirs() {
  hyperfine -N --warmup 5 --runs "$runs" --style none --export-json "$work/json" -- "${command[*]}" >/dev/null 2>&1
  awk '/"times"/ { times = 1; next } /\]/ { times = 0 } times { gsub(/[ ,]/, ""); print }' "$work/json" >>"$1"
}

median() { sort -g "$1" | awk '{ time[NR] = $1 } END { print 1e6 * (time[int((NR + 1) / 2)] + time[int(NR / 2) + 1]) / 2 }'; }

for round in $(seq "$rounds"); do
  # Turned round every time, so that nobody always goes first.
  if [ $((round % 2)) = 0 ]; then
    ours 0 "$work/paw"; theirs "$work/hyperfine"; ours 1000 "$work/large"
  else
    ours 1000 "$work/large"; theirs "$work/hyperfine"; ours 0 "$work/paw"
  fi
done

hyperfine=$(median "$work/hyperfine")
printf '%-28s %10s %10s\n' "${command[*]}" "median us" "ratio"
printf '%-28s %10.0f %10s\n' "hyperfine -N" "$hyperfine" 1
for who in paw large; do
  mine=$(median "$work/$who")
  name=paw; [ "$who" = paw ] || name="paw, parent holding 1 GB"
  printf '%-28s %10.0f %10.3f\n' "$name" "$mine" "$(awk "BEGIN { print $mine / $hyperfine }")"
done
