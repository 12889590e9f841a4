#!/usr/bin/env python3
"""tests/cli/roce_damage.py IN OUT KIND - a capture with one error of a NIC or of the writer, for tests of roce_check.py.

Checksums are right again afterwards unless they are the error. Fails if there is no such frame.
"""
import struct
import sys

from roce_check import ACK, CNP, LAST, MIDDLE, icrc


def put_psn(d, change):
    d[51:54] = (int.from_bytes(d[51:54], "big") + change).to_bytes(3, "big")


def put(at, value):
    def edit(d):
        d[at] = value
    return edit


def is_op(opcode, syndrome=None):
    return lambda d: d[12:14] == b"\x08\x00" and d[42] == opcode and (syndrome is None or d[54] == syndrome)


def is_resume(d):
    return d[12:14] == b"\x88\x08" and not any(d[18:34])


def put_pause(d):
    d[18:34] = b"".join(b"\xff\xff" if d[17] >> c & 1 else b"\0\0" for c in range(8))


DROP, TWICE, LATER = "drop", "twice", "later"
KINDS = {                        # which frames; their change; whether the ICRC is corrected
    "icrc": (is_op(MIDDLE), put(-1, 0x5a), False),
    "payload": (is_op(MIDDLE), put(100, 1), False),
    "ip": (is_op(MIDDLE), put(24, 0), True),
    "opcode": (is_op(MIDDLE), put(42, 0), True),
    "opcode-of-write": (is_op(MIDDLE), put(42, 7), True),
    "psn": (is_op(MIDDLE), lambda d: put_psn(d, 1), True),
    "last-without-request": (is_op(LAST), put(50, 0), True),
    "ack-of-the-future": (is_op(ACK, 0x1f), lambda d: put_psn(d, 500), True),
    "ack-for-nak": (is_op(ACK, 0x60), put(54, 0x1f), True),
    "nak-for-ack": (is_op(ACK, 0x1f), put(54, 0x60), True),
    "nak-of-the-next": (is_op(ACK, 0x60), lambda d: put_psn(d, 1), True),
    "nak-missing": (is_op(ACK, 0x60), DROP, True),
    "nak-twice": (is_op(ACK, 0x60), TWICE, True),
    "nak-late": (is_op(ACK, 0x60), LATER, True),
    "msn": (is_op(ACK, 0x1f), put(57, 9), True),
    "cnp-missing": (is_op(CNP), DROP, True),
    "cnp-twice": (is_op(CNP), TWICE, True),
    "cnp-without-becn": (is_op(CNP), put(46, 0), True),
    "resume-missing": (is_resume, put_pause, False),
}


def main():
    source, target, kind = sys.argv[1:4]
    which, change, is_mended = KINDS[kind]
    data, at, out, late, seen, chosen = open(source, "rb").read(), 0, bytearray(), [], 0, None
    while at < len(data):
        block, size = struct.unpack_from("<II", data, at)
        body = bytearray(data[at + 8:at + size - 4])
        at += size
        copies = 1
        if block == 6:
            length, = struct.unpack_from("<I", body, 12)
            frame = body[20:20 + length]
            who = bytes(frame[26:34] + frame[47:54]) if frame[12] == 8 else None   # addresses, queue pair, PSN
            if which(frame):
                seen += 1
                chosen = chosen or (who if seen > 2 else None) or (kind == "resume-missing" and b"")
            if which(frame) and (who == chosen or kind == "resume-missing"):
                if change is DROP:
                    copies = 0
                elif change is TWICE:
                    copies = 2
                elif change is LATER:
                    when = (struct.unpack_from("<I", body, 4)[0] << 32 | struct.unpack_from("<I", body, 8)[0]) + 3000000
                    struct.pack_into("<II", body, 4, when >> 32, when & 0xffffffff)
                else:
                    change(frame)
                    if is_mended:
                        frame[-4:] = struct.pack("<I", icrc(frame[14:-4]))
                    body[20:20 + length] = frame
        out += (struct.pack("<II", block, size) + body + struct.pack("<I", size)) * copies
    if not chosen and kind != "resume-missing" or not seen:
        sys.exit(f"{source} has no frame for '{kind}'")
    open(target, "wb").write(out)


main()
