# Medians of an array of n numbers, for the tables of compare.sh: awk "$(cat medians.awk)"' … '.

# The numbers of `from` in `to`, in order.
function sorted(from, to, n,   i, j, x) {
    for (i = 1; i <= n; i++) to[i] = from[i]
    for (i = 2; i <= n; i++) for (j = i; j > 1 && to[j] < to[j - 1]; j--) { x = to[j]; to[j] = to[j - 1]; to[j - 1] = x }
}

function middle(from, n,   to) { sorted(from, to, n); return (to[int((n + 1) / 2)] + to[int(n / 2) + 1]) / 2 }

# An interval of 95 % of a median, or more, from six numbers on, in `low` and `high`: the k-th number from below and from above.
function interval(from, n,   k, to) {
    sorted(from, to, n)
    k = int((n - 1.96 * sqrt(n)) / 2); if (k < 1) k = 1
    low = to[k]; high = to[n + 1 - k]
}
