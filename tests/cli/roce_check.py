#!/usr/bin/env python3
"""tests/cli/roce_check.py CAPTURE - checks a capture of `anole run --pcap` against the rules of RoCEv2.

Has its own pcapng reader and shares no code with the writer. Rules are those of InfiniBand's volume 1 (reliable
connections, annexes A16 and A17) that analysers of real NICs check as well (Lumina, SIGCOMM 2023):

  frame     IPv4 checksum, lengths, padding, opcode, ICRC, fields of a CNP
  message   First, Middle .. Last, or Only; the same PSN has the same opcode and length when it is sent again
  sender    PSNs follow each other, or go back to the PSN of a NAK; without a NAK (time-out), to the oldest
            that is not acknowledged
  receiver  ACKs never decrease and are only for packets that arrived in order; a gap makes one NAK with the PSN
            expected, at once, and none comes without a gap or a second time within --nack-gap; an RNR NAK refuses the first
            packet of a message; MSNs count messages
  end       all data is acknowledged (--unfinished: need not be)
  cnp       a CNP follows a marked packet; the numbers and the spacing are those of --cnp-gap, kept --cnp-per
  pfc       MAC control frames; a host sends no data of a paused class

Interfaces 2i and 2i + 1 are the host's and the switch's end of a link. A frame leaves at its time stamp and arrives
a transmission time and --delay later. Numbers of queue pairs: see src/study/report/trace/trace.h.

Prints a JSON object with counts, and one line on stderr for each violation (20 at most). --fields prints the
fields of frames as tshark does instead. Exit status: 0, or 1 if a rule is violated.
"""
import argparse
import bisect
import collections
import json
import struct
import sys
import zlib

FIRST, MIDDLE, LAST, ONLY, ACK, DATAGRAM, CNP = 0, 1, 2, 4, 17, 100, 129
SENDER_END = 0x800000
PS_PER_US = 10**6

Frame = collections.namedtuple("Frame", "number at interface length data")
Roce = collections.namedtuple("Roce", "frame src dst prio ecn opcode qp psn asks payload pad syndrome msn")


def read_frames(path):
    """Returns the speeds of interfaces, in bits per second, and all frames."""
    data, at, speeds, frames = open(path, "rb").read(), 0, [], []
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if size < 12 or size % 4 or struct.unpack_from("<I", data, at + size - 4)[0] != size:
            sys.exit(f"{path}: byte {at}: the lengths of a block differ")
        body = data[at + 8:at + size - 4]
        if kind == 1:
            option, options = 8, {}
            while option + 4 <= len(body):
                code, length = struct.unpack_from("<HH", body, option)
                options[code] = body[option + 4:option + 4 + length]
                option += 4 + (length + 3) // 4 * 4
            speeds.append(struct.unpack("<Q", options[8])[0])
        elif kind == 6:
            interface, high, low, captured, length = struct.unpack_from("<5I", body)
            frames.append(Frame(len(frames) + 1, high << 32 | low, interface, length, body[20:20 + captured]))
        at += size
    return speeds, frames


def icrc(ip):
    """The invariant CRC of a frame from its IPv4 header to its last byte before the ICRC."""
    masked = bytearray(ip)
    for i in (1, 8, 10, 11, 26, 27, 32):         # TOS, TTL, both checksums, the BTH's reserved byte
        masked[i] = 0xff
    return zlib.crc32(b"\xff" * 8 + bytes(masked))


class Check:
    def __init__(self, options, speeds):
        self.options, self.speeds = options, speeds
        self.errors, self.mtu = [], 0
        self.nak_ps, self.resend_ps = [], []
        self.seen = collections.Counter()

    def fail(self, frame, what):
        self.errors.append(f"frame {frame.number}: {what}")

    def arrival(self, frame, pad=0):
        """Captures lack FCS, preamble and gap, which take time on the wire; the simulator sends no padding."""
        return frame.at + (frame.length + 24 - pad) * 8 * 10**12 // self.speeds[frame.interface] + self.options.delay_ps

    # ---- frames ----

    def parse(self, frame):
        """Returns a RoCE packet, or None for another frame or a damaged one."""
        d = frame.data
        if len(d) < 14 or d[12:14] == b"\x88\x08":
            return None
        if d[12:14] != b"\x08\x00" or len(d) < 54:
            return self.fail(frame, "neither IPv4 nor MAC control")
        ip, udp, bth = d[14:34], d[34:42], d[42:54]
        total = sum(struct.unpack("!10H", ip))
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        if ip[0] != 0x45 or ip[9] != 17 or total != 0xffff:
            return self.fail(frame, "the IPv4 header or its checksum is wrong")
        if struct.unpack("!H", ip[2:4])[0] != frame.length - 14 or struct.unpack("!H", udp[4:6])[0] != frame.length - 34:
            return self.fail(frame, "the lengths of IPv4 or UDP are wrong")
        if udp[2:4] != b"\x12\xb7":
            return self.fail(frame, "the UDP port is not 4791")
        opcode, pad, qp = bth[0], bth[1] >> 4 & 3, int.from_bytes(bth[5:8], "big")
        if opcode not in (FIRST, MIDDLE, LAST, ONLY, ACK, DATAGRAM, CNP):
            return self.fail(frame, f"opcode {opcode} is not used here")
        if bth[1] & 15 or bth[2:4] != b"\xff\xff":
            return self.fail(frame, "the BTH's version or partition key is wrong")
        payload = frame.length - 14 - 20 - 8 - 12 - 4 - pad
        if opcode < ACK and (payload <= 0 or (payload + pad) % 4):
            self.fail(frame, "the payload is not padded to four bytes")
        if len(d) == frame.length and icrc(d[14:-4]) != struct.unpack("<I", d[-4:])[0]:
            self.fail(frame, "the ICRC is wrong")
        if opcode == CNP and (bth[4] != 0x40 or payload != 16 or any(d[54:70]) or any(bth[9:12])):
            self.fail(frame, "a CNP needs BECN and 16 bytes of 0")
        if opcode == DATAGRAM and (payload <= 8 or int.from_bytes(d[59:62], "big") != qp | SENDER_END):
            self.fail(frame, "a datagram needs a DETH with the sender's queue pair")
        syndrome = d[54] if opcode == ACK else None
        if opcode == ACK and (payload != 4 or syndrome not in (0x1f, 0x60) and syndrome >> 5 != 1):
            self.fail(frame, "an ACK needs an AETH with syndrome 0x1f, 0x20 .. 0x3f or 0x60")
        msn = int.from_bytes(d[55:58], "big") if opcode == ACK else None
        return Roce(frame, ip[12:16], ip[16:20], ip[1] >> 5, ip[1] & 3, opcode, qp, int.from_bytes(bth[9:12], "big"),
                    bth[8] >> 7, payload, pad, syndrome, msn)

    def check_messages(self, packets):
        """Checks the packets of one end, in order: packets sent for the first time form complete messages."""
        known, last = {}, None
        for p in packets:
            if p.opcode in (LAST, ONLY) and not p.asks:
                self.fail(p.frame, "the last packet of a message asks for no ACK")
            if p.psn in known:
                if known[p.psn] != (p.opcode, p.payload):
                    self.fail(p.frame, f"PSN {p.psn} is sent again with another opcode or length")
                continue
            known[p.psn] = p.opcode, p.payload
            is_start = p.opcode in (FIRST, ONLY)
            if is_start != (last in (None, LAST, ONLY)):
                self.fail(p.frame, f"opcode {p.opcode} after {last}: not a message")
            last = p.opcode
            if p.opcode in (FIRST, MIDDLE) and p.payload != self.mtu or p.payload > self.mtu:
                self.fail(p.frame, f"{p.payload} bytes of payload: only the last packet is shorter than the MTU of {self.mtu}")
        return known

    # ---- go-back-N ----

    def check_sender(self, events):
        """events: (when, packet) at the sender's NIC; data leaves, answers arrive."""
        sent, most, acked, nak = -1, -1, -1, None
        for at, p in events:
            if p.opcode == ACK:
                if p.psn > most + (p.syndrome != 0x1f):
                    self.fail(p.frame, f"PSN {p.psn} is answered, but was not sent")
                if p.syndrome != 0x1f:
                    nak = p.psn, at if p.syndrome == 0x60 else None
                    acked = max(acked, p.psn - 1)
                else:
                    acked = max(acked, p.psn)
            elif p.psn != sent + 1 and nak and p.psn == nak[0]:
                if nak[1] is not None:
                    self.resend_ps.append(at - nak[1])
                self.seen["go_backs"] += 1
                sent, nak = p.psn, None
            elif p.psn != sent + 1 and not nak and p.psn == acked + 1:
                self.seen["timeouts"] += 1
                sent = p.psn
            elif p.psn != sent + 1:
                self.fail(p.frame, f"PSN {p.psn} is sent after {sent}: {'NAK of %d' % nak[0] if nak else 'no NAK'}, "
                          f"acknowledged up to {acked}")
                sent = p.psn
            else:
                sent = p.psn
                nak = None if nak and nak[0] == p.psn else nak
            most = max(most, sent)
        return most, acked

    def check_receiver(self, events, known):
        """events: (when, packet) at the receiver's NIC; data arrives, answers leave."""
        expected, acked, gap, naks = 0, -1, None, {}
        ends = sorted(psn for psn, (opcode, _) in known.items() if opcode in (LAST, ONLY))
        for at, p in events:
            if gap and not gap[1] and at > gap[0] + 2 * PS_PER_US:
                self.fail(gap[2].frame, f"PSN {gap[2].psn} came in place of {expected}: no NAK")
                gap = gap[0], True, gap[2]
            if p.opcode < ACK:
                self.seen["data"] += 1
                if p.psn == expected:
                    expected, gap = expected + 1, None
                elif p.psn > expected and (not gap or gap[1]) and \
                        at >= naks.get(expected, -self.options.nack_gap_ps) + self.options.nack_gap_ps:
                    gap = at, False, p
                continue
            complete = bisect.bisect_left(ends, p.psn + (p.syndrome == 0x1f))
            if p.msn != complete:
                self.fail(p.frame, f"MSN {p.msn}: {complete} messages are complete")
            if p.syndrome == 0x60:
                self.seen["naks"] += 1
                if p.psn != expected:
                    self.fail(p.frame, f"a NAK of PSN {p.psn}, but {expected} is expected")
                elif not gap:
                    self.fail(p.frame, f"a NAK of PSN {p.psn} without a gap")
                elif at < naks.get(p.psn, -self.options.nack_gap_ps) + self.options.nack_gap_ps:
                    self.fail(p.frame, f"a second NAK of PSN {p.psn} after {(at - naks[p.psn]) / PS_PER_US} us")
                else:
                    self.nak_ps.append(at - gap[0])
                    gap = gap[0], True, gap[2]
                naks[p.psn] = at
            elif p.syndrome != 0x1f:             # the packet and those behind it were not taken
                self.seen["rnr_naks"] += 1
                if not acked < p.psn < expected or known[p.psn][0] not in (FIRST, ONLY):
                    self.fail(p.frame, f"an RNR NAK of PSN {p.psn}, which is not the first packet of a message that came")
                expected, naks[p.psn] = p.psn, at
            elif p.psn >= expected or p.psn < acked:
                self.fail(p.frame, f"an ACK of PSN {p.psn}, but {expected} is expected and {acked} was acknowledged")
            else:
                self.seen["acks"] += 1
                acked = p.psn
        return expected - 1

    # ---- CNPs ----

    def check_cnps(self, marks, cnps):
        """Checks one spacing limit. Arguments: (when, packet) of marked packets that arrive and of CNPs that leave."""
        gap, due, expected = self.options.cnp_gap_ps, 0, []
        for at, p in marks:
            if at >= due:
                expected.append((at, p))
                due = at + gap
        if len(expected) != len(cnps):
            self.fail((cnps or marks)[-1][1].frame, f"{len(cnps)} CNPs for {len(marks)} marked packets, in place of {len(expected)}")
        slack = PS_PER_US // 2                   # a CNP may wait for a frame that is leaving
        for (mark_at, mark), (at, p) in zip(expected, cnps):
            if not mark_at <= at <= mark_at + slack or p.qp != mark.qp | SENDER_END:
                self.fail(p.frame, f"a CNP {(at - mark_at) / PS_PER_US} us after the mark that allows it")
        for (before, _), (at, p) in zip(cnps, cnps[1:]):
            if at - before < gap - slack:
                self.fail(p.frame, f"a CNP {(at - before) / PS_PER_US} us after the last one")

    # ---- PFC ----

    def check_pauses(self, frames, data):
        """frames: MAC control. data: RoCE data that leaves hosts."""
        pauses = collections.defaultdict(list)
        for f in frames:
            if f.data[:6] != b"\x01\x80\xc2\x00\x00\x01" or f.data[14:16] != b"\x01\x01" or f.length != 60:
                self.fail(f, "not a PFC frame")
                continue
            classes, = struct.unpack("!H", f.data[16:18])
            times = struct.unpack("!8H", f.data[18:34])
            if not classes or classes > 255 or any(t and not classes >> c & 1 for c, t in enumerate(times)):
                self.fail(f, "a PFC frame for no class, or a time without one")
            self.seen["pauses"] += any(times)
            for c in range(8):
                if classes >> c & 1:
                    length = times[c] * 512 * 10**12 // self.speeds[f.interface]
                    pauses[f.interface, c].append((self.arrival(f), length))
        for p in data:
            at, until = p.frame.at, 0
            for when, length in pauses[p.frame.interface ^ 1, p.prio]:
                if when > at or when == at and length:
                    break
                until = when + length
            if at < until:
                self.fail(p.frame, f"class {p.prio} is paused")

    # ---- all ----

    def run(self, frames):
        packets = [p for p in map(self.parse, frames) if p]
        pfc = [f for f in frames if f.data[12:14] == b"\x88\x08"]
        pairs = collections.defaultdict(lambda: ([], []))
        data_leaving = []
        self.mtu = max([p.payload for p in packets if p.opcode < ACK] or [0])
        marks, cnps = collections.defaultdict(list), collections.defaultdict(list)
        limit = {"qp": lambda p, host, peer: (host, peer, p.qp & ~SENDER_END), "address": lambda p, host, peer: (host, peer),
                 "port": lambda p, host, peer: host}[self.options.cnp_per]
        for p in packets:
            leaves_host = p.frame.interface % 2 == 0
            at = p.frame.at if leaves_host else self.arrival(p.frame, p.pad)
            if p.opcode == DATAGRAM:
                self.seen["datagrams"] += leaves_host
                continue
            if p.opcode == CNP:
                if leaves_host:
                    cnps[limit(p, p.src, p.dst)].append((at, p))
                continue
            is_data = p.opcode < ACK
            if is_data != (not p.qp & SENDER_END):
                self.fail(p.frame, "the queue pair is at the other end")
                continue
            key = (p.src, p.dst, p.qp) if is_data else (p.dst, p.src, p.qp & ~SENDER_END)
            pairs[key][0 if is_data == leaves_host else 1].append((at, p))
            if is_data and leaves_host:
                data_leaving.append(p)
            if is_data and not leaves_host and p.ecn == 3:
                marks[limit(p, p.dst, p.src)].append((at, p))
        self.check_pauses(pfc, data_leaving)
        for sender, receiver in pairs.values():
            sender.sort(key=lambda e: (e[0], e[1].opcode < ACK))         # answers first: they cause what leaves
            receiver.sort(key=lambda e: (e[0], e[1].opcode == ACK))
            known = self.check_messages([p for _, p in sender if p.opcode < ACK])
            most, acked = self.check_sender(sender)
            arrived = self.check_receiver(receiver, known)
            if not self.options.unfinished and not most == acked == arrived:
                self.fail(sender[-1][1].frame, f"PSN {most} was sent, {arrived} arrived and {acked} was acknowledged")
        for key in set(marks) | set(cnps):
            marks[key].sort(key=lambda e: e[0])
            cnps[key].sort(key=lambda e: e[0])
            if self.options.cnp_gap_ps is not None:
                self.check_cnps(marks[key], cnps[key])
            self.seen["marks"] += len(marks[key])
            self.seen["cnps"] += len(cnps[key])
        gaps = [b[0] - a[0] for l in cnps.values() for a, b in zip(l, l[1:])]
        return {"frames": len(frames), "queue_pairs": len(pairs), "messages": sum(
                    p.opcode in (FIRST, ONLY) for s, _ in pairs.values() for p in {q.psn: q for _, q in s if q.opcode < ACK}.values()),
                **{k: self.seen[k] for k in ("data", "datagrams", "acks", "naks", "rnr_naks", "go_backs", "timeouts", "marks", "cnps", "pauses")},
                "nak_us": spread(self.nak_ps), "resend_us": spread(self.resend_ps), "cnp_gap_us": spread(gaps)}


def spread(times_ps):
    """Least, median and greatest, in microseconds."""
    t = sorted(times_ps)
    return [round(x / PS_PER_US, 3) for x in (t[0], t[len(t) // 2], t[-1])] if t else None


def print_fields(check, frames):
    for f in frames:
        p = check.parse(f)
        if not p:
            print(f.number, f.length, "", "", "", "", "", "", "", sep="\t")
            continue
        print(f.number, f.length, p.ecn, p.opcode, f"0x{p.qp:06x}", p.psn, "" if p.syndrome is None else p.syndrome,
              "" if p.msn is None else p.msn,
              "" if p.opcode == CNP else f"0x{int.from_bytes(f.data[-4:], 'big'):08x}", sep="\t")   # tshark 4.0 shows none


def main():
    us = lambda text: round(float(text) * PS_PER_US)
    parser = argparse.ArgumentParser(description="Checks a RoCEv2 capture of anole run --pcap.")
    parser.add_argument("capture")
    parser.add_argument("--delay", dest="delay_ps", type=us, default=us("1"), help="of host links, in microseconds (1)")
    parser.add_argument("--nack-gap", dest="nack_gap_ps", type=us, default=us("100"), help="in microseconds (100)")
    parser.add_argument("--cnp-gap", dest="cnp_gap_ps", type=us, help="min_time_between_cnps in microseconds (default: CNPs "
                        "are not checked)")
    parser.add_argument("--cnp-per", choices=("qp", "address", "port"), default="qp")
    parser.add_argument("--unfinished", action="store_true")
    parser.add_argument("--fields", action="store_true")
    options = parser.parse_args()
    speeds, frames = read_frames(options.capture)
    check = Check(options, speeds)
    if options.fields:
        print_fields(check, frames)
    else:
        print(json.dumps(check.run(frames)))
    for error in check.errors[:20]:
        print(error, file=sys.stderr)
    if len(check.errors) > 20:
        print(f"and {len(check.errors) - 20} more", file=sys.stderr)
    sys.exit(bool(check.errors))


if __name__ == "__main__":
    main()
