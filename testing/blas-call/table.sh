#!/usr/bin/env bash
# The embedded BLAS beside other libraries: one C program calls all of them, in turns and by one clock (table.c).
#   testing/blas-call/table.sh [THREADS [ROUNDS [GROUP…]]]
# A GROUP is one of those in shapes.txt (all of them). One thread runs on CPU (the last processor), several on the first ones,
# each on its own where a library keeps them from call to call.
# Prints GFLOP/s, medians of the rounds, then embedded ÷ the fastest other library: the median with its smallest and largest round;
# at the end the geometric mean and the lowest of these medians. Others beside it run at a lower priority where that is allowed.
# The libraries are Debian's OpenBLAS and BLIS where they are installed, and those of the wheels scipy-openblas32 and mkl, which it installs
# in target/blas-venv.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
threads=${1:-1} rounds=${2:-9}
processors=$(env -u OMP_NUM_THREADS nproc)
cpu=${CPU:-$((processors - 1))}
groups=("${@:3}")
venv=$root/target/blas-venv
system=/usr/lib/x86_64-linux-gnu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -e "$venv/installed" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check scipy-openblas32 mkl intel-openmp && touch "$venv/installed"
fi
[ -n "${EMBEDDED:-}" ] || (cd "$root" && cargo build -q --release -p paw-native --example cblas)
gcc -O2 -o "$work/table" "$here/table.c" -lm -ldl

libraries=("embedded=${EMBEDDED:-$root/target/release/examples/libcblas.so}")
add() { [ ! -e "$2" ] || libraries+=("$1=$2${3:-}"); }
add openblas "$system/openblas-pthread/libopenblas.so.0"
add wheel "$(find "$venv" -name libscipy_openblas.so)" :scipy_
add mkl "$(find "$venv" -name 'libmkl_rt.so.*')"
add blis "$system/blis-pthread/libblis.so.4"

# Variables that steer a library would change what is compared.
unset "${!OPENBLAS_@}" "${!MKL_@}" "${!BLIS_@}" "${!KMP_@}" "${!OMP_@}"
export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads MKL_NUM_THREADS=$threads BLIS_NUM_THREADS=$threads
LD_LIBRARY_PATH=$(dirname "$(find "$venv" -name 'libmkl_rt.so.*')")
export LD_LIBRARY_PATH

run=()
nice -n -20 true 2>/dev/null && run+=(nice -n -20)
[ "$threads" -gt 1 ] || run+=(taskset -c "$cpu")
awk -v wanted=" ${groups[*]} " '/^#/ { group = $2; next } NF && (wanted == "  " || index(wanted, " " group " "))' "$here/shapes.txt" >"$work/rows"

sed -n 's/^model name.*: /# /p' /proc/cpuinfo | head -1
echo "# $threads of $processors processors, $rounds rounds"
printf '%-28s' '# row'
for library in "${libraries[@]}"; do printf ' %9s' "${library%%=*}"; done
printf ' %9s %9s %9s\n' ratio smallest largest
"${run[@]}" "$work/table" "$rounds" "${libraries[@]}" <"$work/rows" | tee "$work/answers"
awk '{ ratio = $(NF - 2); sum += log(ratio); if (NR == 1 || ratio < worst) { worst = ratio; row = substr($0, 1, 28) } }
  END { printf "# %d rows: geometric mean %.3f, worst %.3f at %s\n", NR, exp(sum / NR), worst, row }' "$work/answers"
