#!/bin/sh
# Makes the SPIR-V modules beside this file from the OpenCL C that devices of OpenCL are given, into the directory named (this one by
# default). Needs clang-15, llvm-spirv-15 and spirv-tools of Debian 12; other versions number the same instructions otherwise.
# Nothing is optimised here: each device's own compiler does that. Without halves and atomic operations on 64 bits: a module that names
# them builds on no device that lacks them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here}
for source in paw fma portable; do
  for real in double single; do
    options='-DREAL=float'
    [ "$real" = single ] || options='-DREAL=double -DFP64'
    # shellcheck disable=SC2086
    clang-15 -target spir64 -x cl -cl-std=CL1.2 -O2 -Xclang -disable-llvm-passes -Xclang -finclude-default-header \
      -Xclang -cl-ext=-cl_khr_fp16,-cl_khr_int64_base_atomics,-cl_khr_int64_extended_atomics \
      $options -emit-llvm -c -o - "$here/../../opencl/$source.cl" |
      llvm-spirv-15 --spirv-max-version=1.0 -o "$to/$source-$real.spv" -
    spirv-val --target-env opencl1.2 "$to/$source-$real.spv"
  done
done
