#!/bin/sh
# paw's core_to_core against a plain C program of the same line protocols, in turn.
#
# usage: compare.sh [ROUNDS [SAMPLES [FIRST SECOND]]]
# PAW: the binary (target/release/paw).
#
# A round runs both, in an order that turns. Prints per way to take turns the median of each program's medians in ns, their ratio
# paw ÷ C, and the least and the most ratio of a round. Ends with 1 where a median ratio is over 3 % from 1.
set -eu

rounds=${1:-7} samples=${2:-41} first=${3:-0} second=${4:-1}
here=$(cd "$(dirname "$0")" && pwd)
medians=$(cat "$here/../medians.awk")
paw=${PAW:-$here/../../target/release/paw}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -Wall -pthread -o "$work/turns" "$here/turns.c"

# Lines `turn median_ns` of paw, from columns found by their names.
ours() {
    rm -rf "$work/run"
    "$paw" run core_to_core --set pairs="$first-$second" --reps "$samples" --invocations 1 --quiet --out "$work/run" >/dev/null 2>&1
    "$paw" export "$work/run" --format csv --samples | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["phase"] != "measure" { next }
        { match($column["point"], /turn=[a-z]+/); print substr($column["point"], RSTART + 5, RLENGTH - 5), $column["per_operation_s"] * 1e9 }
    ' | sort -k1,1 -k2,2n | awk '
        function median() { return (value[int((count + 1) / 2)] + value[int(count / 2) + 1]) / 2 }
        $1 != turn && count { print turn, median(); count = 0 }
        { turn = $1; value[++count] = $2 }
        END { if (count) print turn, median() }
    '
}

round=0
while [ "$round" -lt "$rounds" ]; do
    [ $((round % 2)) = 0 ] && order="c paw" || order="paw c"
    for program in $order; do
        case $program in
            c) "$work/turns" "$first" "$second" "$samples" | awk '{ print $1, $2 }' | sort >"$work/c" ;;
            paw) ours | sort >"$work/paw" ;;
        esac
    done
    join "$work/c" "$work/paw" >>"$work/pairs"
    round=$((round + 1))
done
sort "$work/pairs" | awk "$medians"'
    function row(   r, ends) {
        r = middle(ours, n) / middle(theirs, n)
        sorted(ratio, ends, n)
        printf "%-5s %9.1f %9.1f %8.3f  %.3f .. %.3f\n", turn, middle(theirs, n), middle(ours, n), r, ends[1], ends[n]
        if (r > 1.03 || r < 1 / 1.03) bad = 1
        n = 0
    }
    BEGIN { printf "%-5s %9s %9s %8s  %s\n", "turn", "C ns", "paw ns", "paw/C", "rounds" }
    n && $1 != turn { row() }
    { turn = $1; n++; theirs[n] = $2; ours[n] = $3; ratio[n] = $3 / $2 }
    END { if (n) row(); else { print "nothing to compare"; bad = 1 } exit bad }
'
