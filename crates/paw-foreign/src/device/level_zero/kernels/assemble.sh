#!/bin/sh
# Makes the SPIR-V modules beside this file from the OpenCL C that devices of OpenCL are given, into the directory named (this one by
# default). Needs clang-15, llvm-spirv-15 and spirv-tools of Debian 12; other versions number the same instructions otherwise.
# Nothing is optimised here: each device's own compiler does that. A module that names doubles, halves or atomic operations on 64 bits
# builds on no device that lacks them, so that each has modules of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here}

# make MODULE SOURCE ENVIRONMENT EXTENSIONS OPTIONS…
make() {
  module=$to/$1.spv text=$here/../../opencl/$2.cl environment=$3 extensions=$4
  shift 4
  clang-15 -target spir64 -x cl -cl-std=CL1.2 -O2 -Xclang -disable-llvm-passes -Xclang -finclude-default-header \
    -Xclang "-cl-ext=$extensions" "$@" -emit-llvm -c -o - "$text" |
    llvm-spirv-15 --spirv-max-version=1.0 -o "$module" -
  spirv-val --target-env "$environment" "$module"
}

none=-cl_khr_fp16,-cl_khr_int64_base_atomics,-cl_khr_int64_extended_atomics
for source in paw fma portable; do
  make "$source-double" "$source" opencl1.2 "$none" -DREAL=double -DFP64
  make "$source-single" "$source" opencl1.2 "$none" -DREAL=float
done
make fma-half fma opencl1.2 -cl_khr_int64_base_atomics,-cl_khr_int64_extended_atomics -DREAL=float
make paw-atomic paw spv1.0 -cl_khr_fp16 -DREAL=float
