#!/bin/sh
# paw's cache_bandwidth against likwid-bench (Debian: likwid), one thread, in turn.
#
# usage: compare.sh [ROUNDS [BYTES…]]
# PAW: the binary (target/release/paw). ISA: the suffix of likwid's kernels (the widest here).
#
# A round runs both, in an order that turns. likwid's `stream` is STREAM's triad over three arrays, as paw's; its `triad` has four.
# Prints per pattern and size the median of each in GB/s, their ratio paw ÷ likwid, and the least and the most ratio of a round. Ends
# with 1 where paw is over 5 % slower.
set -eu

rounds=${1:-3}
[ $# -ge 1 ] && shift
sizes=${*:-24576 196608 4194304 134217728}
case $(grep -m1 ^flags /proc/cpuinfo) in *avx512f*) widest=avx512 ;; *) widest=avx ;; esac
isa=${ISA:-$widest}
here=$(cd "$(dirname "$0")" && pwd)
medians=$(cat "$here/../medians.awk")
paw=${PAW:-$here/../../target/release/paw}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Whole pages of three arrays, as paw takes them.
whole=$(for size in $sizes; do echo $((size / 12288 * 12288)); done)

# Lines `pattern bytes GB/s`.
theirs() {
    for size in $whole; do
        for pair in read:load write:store copy:copy triad:stream; do
            likwid-bench -t "${pair#*:}_$isa" -w "S0:${size}B:1" -s 1 2>/dev/null |
                awk -v key="${pair%:*} $size" '/^MByte\/s:/ { print key, $2 / 1000 }'
        done
    done
}

ours() {
    rm -rf "$work/run"
    "$paw" run cache_bandwidth --threads 1 --set bytes="$(echo $whole | tr ' ' ,)" --reps 15 --invocations 1 --quiet \
        --out "$work/run" >/dev/null 2>&1
    "$paw" export "$work/run" --format csv --samples | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["phase"] != "measure" { next }
        { split($column["point"], axes, " ")
          for (i in axes) { split(axes[i], pair, "="); at[pair[1]] = pair[2] }
          print at["pattern"], at["bytes"], at["bytes"] / $column["per_operation_s"] / 1e9 }
    ' | sort -k1,1 -k2,2n -k3,3n | awk '
        function median() { return (value[int((count + 1) / 2)] + value[int(count / 2) + 1]) / 2 }
        $1 " " $2 != key && count { print key, median(); count = 0 }
        { key = $1 " " $2; value[++count] = $3 }
        END { if (count) print key, median() }
    '
}

round=0
while [ "$round" -lt "$rounds" ]; do
    [ $((round % 2)) = 0 ] && order="theirs ours" || order="ours theirs"
    for program in $order; do "$program" | sed 's/ /:/' | sort >"$work/$program"; done
    join "$work/theirs" "$work/ours" >>"$work/pairs"
    round=$((round + 1))
done
sed 's/:/ /' "$work/pairs" | sort -k2,2n -k1,1 | awk "$medians"'
    function row(   r, ends) {
        r = middle(ours, n) / middle(theirs, n)
        sorted(ratio, ends, n)
        printf "%-6s %11d %9.2f %9.2f %8.3f  %.3f .. %.3f\n", pattern, bytes, middle(theirs, n), middle(ours, n), r, ends[1], ends[n]
        if (r < 0.95) bad = 1
        n = 0
    }
    BEGIN { printf "%-6s %11s %9s %9s %8s  %s\n", "", "bytes", "likwid", "paw", "paw/lik", "rounds" }
    n && $1 " " $2 != pattern " " bytes { row() }
    { pattern = $1; bytes = $2; n++; theirs[n] = $3; ours[n] = $4; ratio[n] = $4 / $3 }
    END { if (n) row(); else { print "nothing to compare"; bad = 1 } exit bad }
'
