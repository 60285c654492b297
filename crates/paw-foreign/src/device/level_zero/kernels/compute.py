#!/usr/bin/env python3
"""Computes with every kernel of the SPIR-V modules beside this file, on a device of OpenCL that takes SPIR-V, and compares the answers.

Debian's PoCL and Rusticl take none. Intel's run-time for processors does: `pip install intel-opencl-rt intel-cmplr-lib-rt`, a file of
one line with the path of its libintelocl.so in a directory that OCL_ICD_VENDORS names, and its directory in LD_LIBRARY_PATH.
"""
import ctypes
import pathlib
import random
import sys

POINTER, SIZE, LONG = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64
HERE = pathlib.Path(__file__).parent

cl = ctypes.CDLL("libOpenCL.so.1")
for name in "Context CommandQueue ProgramWithIL Kernel Buffer".split():
    getattr(cl, f"clCreate{name}").restype = POINTER
# CL_DEVICE_TYPE_ALL, CL_DEVICE_NAME, CL_DEVICE_IL_VERSION, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR
ALL, NAME, IL_VERSION, COPIED = 0xFFFFFFFF, 0x102B, 0x105B, 1 | 32
status = ctypes.c_int()


def done(code):
    assert code == 0, f"OpenCL answers {code}"


def made(call, *arguments):
    found = call(*arguments, ctypes.byref(status))
    done(status.value)
    return POINTER(found)


def first_device():
    platform, device = POINTER(), POINTER()
    done(cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
    done(cl.clGetDeviceIDs(platform, ctypes.c_uint64(ALL), 1, ctypes.byref(device), None))
    texts = [ctypes.create_string_buffer(512) for _ in range(2)]
    for which, text in zip((NAME, IL_VERSION), texts):
        cl.clGetDeviceInfo(device, which, SIZE(512), text, None)
    name, versions = (text.value.decode() for text in texts)
    if "SPIR-V" not in versions:
        sys.exit(f"{name} takes no SPIR-V")
    print(f"{name}: {versions}")
    return device


device = first_device()
devices = (POINTER * 1)(device)
context = made(cl.clCreateContext, None, 1, devices, None, None)
queue = made(cl.clCreateCommandQueue, context, device, ctypes.c_uint64(0))


def program(file):
    words = (HERE / file).read_bytes()
    built = made(cl.clCreateProgramWithIL, context, words, SIZE(len(words)))
    done(cl.clBuildProgram(built, 1, devices, b"", None, None))
    return built


def buffer(kind, values):
    array = (kind * len(values))(*values)
    return made(cl.clCreateBuffer, context, ctypes.c_uint64(COPIED), SIZE(ctypes.sizeof(array)), array)


def read(memory, kind, count):
    array = (kind * count)()
    done(cl.clEnqueueReadBuffer(queue, memory, 1, SIZE(0), SIZE(ctypes.sizeof(array)), array, 0, None, None))
    return list(array)


def launch(built, name, arguments, items, group):
    kernel = made(cl.clCreateKernel, built, name.encode())
    for place, argument in enumerate(arguments):
        done(cl.clSetKernelArg(kernel, place, SIZE(ctypes.sizeof(argument)), ctypes.byref(argument)))
    items = -(-items // group) * group
    done(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (SIZE * 1)(items), (SIZE * 1)(group), 0, None, None))
    done(cl.clFinish(queue))


def given(kind, built):
    """The kernels of paw.cl; the last element lies beyond `n`, and stays."""
    n = 1000
    a, b, to = [float(i) for i in range(n + 1)], [2.0 * i for i in range(n + 1)], buffer(kind, [-1] * (n + 1))
    of_a, of_b, count = buffer(kind, a), buffer(kind, b), LONG(n)
    launch(built, "paw_empty", [], 64, 64)
    for name, arguments, value in [
        ("copy", [to, of_a, count], lambda i: i),
        ("scale", [to, of_a, kind(3), count], lambda i: 3 * i),
        ("add", [to, of_a, of_b, count], lambda i: 3 * i),
        ("triad", [to, of_a, of_b, kind(5), count], lambda i: 11 * i),
    ]:
        launch(built, f"paw_{name}", arguments, n, 256)
        assert read(to, kind, n + 1) == [value(i) for i in range(n)] + [-1], name
    bytes_ = [7 * i % 251 for i in range(4096)]
    for width in (16, 4, 1):
        to, source = buffer(ctypes.c_ubyte, [0] * 4096), buffer(ctypes.c_ubyte, bytes_)
        places = [to, LONG(32 // width), source, LONG(16 // width), LONG(1024 // width)]
        launch(built, f"paw_move_{width}", places, 1024 // width, 64)
        assert read(to, ctypes.c_ubyte, 4096) == [0] * 32 + bytes_[16:1040] + [0] * (4096 - 1056), width


def products(kind, built):
    """The kernels of portable.cl, of whole numbers, so that every answer is exact; the result begins at its fourth element."""
    for n in (16, 33, 50):
        a, b = ([float(random.randint(-9, 9)) for _ in range(n * n)] for _ in range(2))
        of_a, of_b, c, y = buffer(kind, a), buffer(kind, b), buffer(kind, [7] * (n * n + 3)), buffer(kind, [7] * n)
        zero, tiles = LONG(0), -(-n // 16)
        launch(built, "paw_gemm", [of_a, zero, of_b, zero, c, LONG(3), LONG(n)], tiles * tiles * 256, 256)
        product = [sum(a[i + k * n] * b[k + j * n] for k in range(n)) for j in range(n) for i in range(n)]
        assert read(c, kind, n * n + 3) == [7] * 3 + product, n
        launch(built, "paw_gemv", [of_a, zero, of_b, zero, y, zero, LONG(n)], n, 256)
        assert read(y, kind, n) == product[:n], n


for real, kind in (("double", ctypes.c_double), ("single", ctypes.c_float)):
    given(kind, program(f"paw-{real}.spv"))
    products(kind, program(f"portable-{real}.spv"))
    print(f"{real} precision: every kernel is right")
