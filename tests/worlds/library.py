"""tests/worlds/library.py LIBANOLE - posts messages by libanole and prints their completion times in ps, as JSON.

Reads {"scenario": text, "flows": [[source, destination, bytes, ps], ..] in order of time, "until": ps}.
"""
import ctypes
import json
import sys

HOOK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)
SENT = 1


class Message(ctypes.Structure):
    _fields_ = [("src", ctypes.c_uint32), ("dst", ctypes.c_uint32), ("bytes", ctypes.c_uint64), ("tag", ctypes.c_uint64),
                ("posted_ps", ctypes.c_uint64)]


def main():
    lib, request, times = ctypes.CDLL(sys.argv[1]), json.load(sys.stdin), []
    lib.anole_open.restype = lib.anole_failure.restype = ctypes.c_void_p
    lib.anole_run.restype = ctypes.c_int64
    lib.anole_run.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    lib.anole_post.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
    lib.anole_on_message.argtypes = [ctypes.c_void_p, HOOK, ctypes.c_void_p]
    lib.anole_close.argtypes = [ctypes.c_void_p]
    error = ctypes.create_string_buffer(1000)
    world = lib.anole_open(request["scenario"].encode(), error, 1000)
    if not world:
        sys.exit(error.value.decode())

    def on_message(_arg, event, now_ps, message):
        if event == SENT:
            times.append(now_ps - ctypes.cast(message, ctypes.POINTER(Message)).contents.posted_ps)
    hook = HOOK(on_message)
    lib.anole_on_message(world, hook, None)
    for src, dst, length, at in request["flows"]:
        lib.anole_run(world, at)
        assert lib.anole_post(world, src, dst, length, 0) == 0
    lib.anole_run(world, request["until"])
    lib.anole_close(world)
    json.dump(times, sys.stdout)


main()
