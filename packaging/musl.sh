#!/usr/bin/env bash
# A static paw by musl: one file for any Linux of this architecture, target/ARCHITECTURE-unknown-linux-musl/release/paw.
# It has the embedded BLAS and measures processors, memory, the system and programs. It opens no library: a static program of musl
# has no dlopen, so that BLAS libraries, MPI, CUDA, HIP, OpenCL, Level Zero and `paw kernel` need the build by glibc.
set -euo pipefail
cd "$(dirname "$0")/.."
target="$(uname -m)-unknown-linux-musl"
rustup target add "$target"
cargo build --release --locked --package paw --bin paw --target "$target"
echo "target/$target/release/paw"
