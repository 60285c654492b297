#!/usr/bin/env python3
"""How often the bound that `paw kernel explain` names is within 20 % of the time measured, on fourteen loops.

    python3 testing/bounds/bounds.py target/release/paw [LEVEL]

Prints a row for each loop, and llvm-mca's and OSACA's bounds where they are installed. Run it on an idle machine.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = "-O3 -march=native -fno-math-errno"

# name: (parameters, body, arrays with their fills)
LOOPS = {
    "triad": ("double *restrict a, const double *restrict b, const double *restrict c",
              "for (unsigned long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];",
              {"a": "out", "b": "f64[n]", "c": "f64[n]"}),
    "dot": ("double *restrict s, const double *restrict a, const double *restrict b",
            "double t = 0; for (unsigned long i = 0; i < n; i++) t += a[i] * b[i]; s[0] = t;",
            {"s": "one", "a": "f64[n]", "b": "f64[n]"}),
    "sum": ("double *restrict s, const double *restrict a",
            "double t = 0; for (unsigned long i = 0; i < n; i++) t += a[i]; s[0] = t;", {"s": "one", "a": "f64[n]"}),
    "scale": ("double *restrict a, const double *restrict b",
              "for (unsigned long i = 0; i < n; i++) a[i] = 1.5 * b[i];", {"a": "out", "b": "f64[n]"}),
    "stencil": ("double *restrict a, const double *restrict b",
                "for (unsigned long i = 1; i + 1 < n; i++) a[i] = 0.25 * b[i - 1] + 0.5 * b[i] + 0.25 * b[i + 1];",
                {"a": "out", "b": "f64[n]"}),
    "gather": ("double *restrict s, const double *restrict a, const int *restrict k",
               "double t = 0; for (unsigned long i = 0; i < n; i++) t += a[k[i]]; s[0] = t;",
               {"s": "one", "a": "f64[n]", "k": "perm"}),
    "clamp": ("double *restrict a, const double *restrict b",
              "for (unsigned long i = 0; i < n; i++) a[i] = b[i] < 0.25 ? 0.25 : b[i] > 0.75 ? 0.75 : b[i];",
              {"a": "out", "b": "f64[n]"}),
    "horner": ("double *restrict a, const double *restrict b",
               "for (unsigned long i = 0; i < n; i++) { double x = b[i]; "
               "a[i] = ((((((x + .1) * x + .2) * x + .3) * x + .4) * x + .5) * x + .6) * x + .7; }",
               {"a": "out", "b": "f64[n]"}),
    "division": ("double *restrict a, const double *restrict b, const double *restrict c",
                 "for (unsigned long i = 0; i < n; i++) a[i] = b[i] / c[i];",
                 {"a": "out", "b": "f64[n]", "c": "pos"}),
    "root": ("double *restrict a, const double *restrict b",
             "for (unsigned long i = 0; i < n; i++) a[i] = __builtin_sqrt(b[i]);", {"a": "out", "b": "pos"}),
    "product chain": ("double *restrict s, const double *restrict a",
                      "double t = 1; for (unsigned long i = 0; i < n; i++) t *= a[i]; s[0] = t;",
                      {"s": "one", "a": "pos"}),
    "recurrence": ("double *restrict a, const double *restrict b",
                   "double t = 0; for (unsigned long i = 0; i < n; i++) { t = 0.5 * t + b[i]; a[i] = t; }",
                   {"a": "out", "b": "f64[n]"}),
    "stride 8": ("double *restrict s, const double *restrict a",
                 "double t = 0; for (unsigned long i = 0; i < n / 8; i++) t += a[8 * i]; s[0] = t;",
                 {"s": "one", "a": "f64[n]"}),
    "integer sum": ("long *restrict s, const long *restrict a",
                    "long t = 0; for (unsigned long i = 0; i < n; i++) t += a[i]; s[0] = t;",
                    {"s": "onei", "a": "i64[n]"}),
}
ARRAYS = {
    "out": '{ type = "f64[n]", output = true }', "one": '{ type = "f64[1]", output = true }',
    "onei": '{ type = "i64[1]", output = true }', "pos": '{ type = "f64[n]", fill = "uniform(0.9, 1.1)" }',
    "perm": '{ type = "i32[n]", fill = "permutation" }',
}


def spec(directory, name):
    parameters, body, arrays = LOOPS[name]
    word = name.replace(" ", "_")
    (directory / f"{word}.c").write_text(f"void {word}(unsigned long n, {parameters})\n{{\n    {body}\n}}\n")
    lines = [f'{key} = {ARRAYS.get(kind, json.dumps(kind))}' for key, kind in arrays.items()]
    path = directory / f"{word}.toml"
    path.write_text(f'paw = "kernel/1"\nsources = ["{word}.c"]\nsignature = "void {word}(unsigned long n, {parameters})"\n'
                    f'iterations = "n"\n\n[arrays]\n' + "\n".join(lines) + "\n")
    return path


def explained(paw, path, level, out):
    """The explanation of the kernel at `path`, as `paw export` derives it from the run."""
    command = [paw, "kernel", "explain", path, "--compilers", "gcc", "--flags", FLAGS, "--levels", level, "--quiet", "--out", out]
    subprocess.run(command, capture_output=True, text=True)
    ran = subprocess.run([paw, "export", out, "--format", "json"], capture_output=True, text=True)
    return next(iter(json.loads(ran.stdout or "{}").get("explanations", [])), {})


def main():
    paw, level = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "L1"
    hits = {"paw": 0}
    print(f"{'loop':15}{'cycles':>8}{'bound':>8}  paw's bound{'':24}others, of the time measured")
    with tempfile.TemporaryDirectory() as place:
        for name in LOOPS:
            explanation = explained(paw, spec(Path(place), name), level, Path(place) / f"run {name}")
            of_level = next(iter(explanation.get("levels", [])), {})
            bounds = of_level.get("bounds", [])
            binds = next((bound for bound in bounds if bound["binds"]), None)
            found = binds or next(iter(bounds), {"bound": "none", "cycles": None})
            words, bound, cycles = found["bound"], found["cycles"] or float("nan"), of_level.get("cycles") or float("nan")
            hits["paw"] += 0.8 <= bound / cycles <= 1.2 if cycles == cycles else 0
            others = []
            iterations = (explanation.get("hot") or {}).get("iterations") or float("nan")
            for prediction in explanation.get("predictions", []):
                if prediction.get("cycles"):
                    ratio = prediction["cycles"] / iterations / cycles
                    tool = prediction["tool"].split()[0]
                    hits[tool] = hits.get(tool, 0) + (0.8 <= ratio <= 1.2)
                    others.append(f"{tool} {prediction['model']} {ratio:.2f}")
            print(f"{name:15}{cycles:8.2f}{bound:8.2f}  {'binds: ' if binds else 'nearest: '}{words[:30]:32}{', '.join(others)}", flush=True)
    print("within 20 %: " + ", ".join(f"{tool} {count} of {len(LOOPS)}" for tool, count in hits.items()))


main()
