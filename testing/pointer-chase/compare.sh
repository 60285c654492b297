#!/bin/sh
# paw's memory_latency against a plain C pointer chase, in turn, on small and on huge pages.
#
# usage: compare.sh [ROUNDS [SAMPLES [BYTES…]]]
# PAW: the binary (target/release/paw).
#
# A round runs both, in an order that turns. Prints per kind of pages and size the median of each program's medians in ns, their ratio
# paw ÷ C, and the least and the most ratio of a round. Ends with 1 where a median ratio is over 5 % from 1.
set -eu

rounds=${1:-5} samples=${2:-15}
[ $# -ge 2 ] && shift 2 || shift $#
sizes=${*:-262144 524288 4194304 16777216 67108864 268435456}
here=$(cd "$(dirname "$0")" && pwd)
medians=$(cat "$here/../medians.awk")
paw=${PAW:-$here/../../target/release/paw}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -Wall -o "$work/chase" "$here/chase.c"

# Lines `bytes median_ns` of paw, from columns found by their names.
ours() {
    rm -rf "$work/run"
    "$paw" run memory_latency --set bytes="$(echo $sizes | tr ' ' ,)" --set pages="$1" --reps "$samples" --invocations 1 --quiet \
        --out "$work/run" >/dev/null 2>&1
    "$paw" export "$work/run" --format csv --samples | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["phase"] != "measure" { next }
        { match($column["point"], /bytes=[0-9]+/)
          print substr($column["point"], RSTART + 6, RLENGTH - 6), $column["per_operation_s"] * 1e9 }
    ' | sort -k1,1n -k2,2n | awk '
        function median() { return (value[int((count + 1) / 2)] + value[int(count / 2) + 1]) / 2 }
        $1 != bytes && count { print bytes, median(); count = 0 }
        { bytes = $1; value[++count] = $2 }
        END { if (count) print bytes, median() }
    '
}

for pages in small huge; do
    round=0
    while [ "$round" -lt "$rounds" ]; do
        [ $((round % 2)) = 0 ] && order="c paw" || order="paw c"
        for program in $order; do
            case $program in
                c) "$work/chase" "$pages" "$samples" $sizes | awk '{ print $1, $2 }' | sort >"$work/c" ;;
                paw) ours "$pages" | sort >"$work/paw" ;;
            esac
        done
        join "$work/c" "$work/paw" | sed "s/^/$pages /" >>"$work/pairs"
        round=$((round + 1))
    done
done
sort -k1,1r -k2,2n "$work/pairs" | awk "$medians"'
    function row(   r, ends) {
        r = middle(ours, n) / middle(theirs, n)
        sorted(ratio, ends, n)
        printf "%-6s %11d %9.2f %9.2f %8.3f  %.3f .. %.3f\n", pages, bytes, middle(theirs, n), middle(ours, n), r, ends[1], ends[n]
        if (r > 1.05 || r < 1 / 1.05) bad = 1
        n = 0
    }
    BEGIN { printf "%-6s %11s %9s %9s %8s  %s\n", "pages", "bytes", "C ns", "paw ns", "paw/C", "rounds" }
    n && ($1 != pages || $2 != bytes) { row() }
    { pages = $1; bytes = $2; n++; theirs[n] = $3; ours[n] = $4; ratio[n] = $4 / $3 }
    END { if (n) row(); else { print "nothing to compare"; bad = 1 } exit bad }
'
