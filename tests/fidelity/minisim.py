#!/usr/bin/env python3
"""tests/fidelity/minisim.py FOLDER [SEED] - the rules of the HPCC ns-3 fork as a small, slow program.

It is a second, independent implementation of the model hpcc in order ns3: DCQCN (CC_MODE 1), HPCC (3), TIMELY (7), DCTCP (8)
and HPCC-PINT (10), with priority classes, PFC, windows, NACKs and unlike links. FOLDER has config.txt and the files that it
names. Writes the lines of the fork's fct file. If FOLDER has recordings of this seed (fct-seedN.txt, pfc-seedN.txt, packed or
not), it compares with them and prints how many lines differ.

Not modeled: link errors, links that fail, L2_BACK_TO_ZERO 1, hosts with more than one link.
"""
import collections
import ctypes
import ctypes.util
import gzip
import heapq
import math
import pathlib
import re
import sys

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
CLASSES = 8
DATA, ACK, NACK, PFC = range(4)
PFC_BYTES = 43
RESERVE_BYTES, RESUME_BYTES = 4096, 3072       # of the switch buffer, per port and class
NACK_INTERVAL_NS = 500_000
INT_BYTES = {3: 42, 7: 8, 10: 2}               # by CC_MODE, in data packets and ACKs
HOPS_MAX = 5                                   # capacity of HPCC's header field

Result = collections.namedtuple("Result", "fct pfc drops events")


# ---- numbers as ns-3 has them

def truncated_ns(value, unit_ns=1_000_000_000):
    """Converts a double in units of unit_ns to nanoseconds like ns-3: with 64.64 fixed point, truncated."""
    whole = int(value)
    part = int((value - whole) * 18446744073709551615.0)
    return ((whole << 64) + part) * unit_ns >> 64


def transmission_ns(size, rate, known={}):                # pylint: disable=dangerous-default-value
    key = size, rate
    if key not in known:
        known[key] = truncated_ns(float(size) * 8 / rate)
    return known[key]


def parse_rate(text):
    number, unit = re.match(r"([\d.]+)([KMG]?)b", text, re.IGNORECASE).groups()
    return int(float(number) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[unit.upper()])


def parse_delay(text):
    number, unit = re.match(r"([\d.e+-]+)(\w*)", text).groups()
    return truncated_ns(float(number), {"": 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[unit])


class Streams:
    """ns-3's MRG32k3a as the fork uses it: every number is the first of a new stream."""
    M1, M2 = 4294967087, 4294944443

    def __init__(self, stream, run, seed=1):
        a1 = [[0, 1, 0], [0, 0, 1], [-810728 % self.M1, 1403580, 0]]
        a2 = [[0, 1, 0], [0, 0, 1], [-1370589 % self.M2, 0, 527612]]
        self.s1, self.s2 = [seed] * 3, [seed] * 3
        for power in range(127 + 64):           # the state is A^(stream * 2^127 + run * 2^76) applied to the seed
            if power == 127:
                self.jump1, self.jump2 = a1, a2
            if (power >= 127 and stream >> power - 127 & 1) != (76 <= power < 76 + 64 and run >> power - 76 & 1):
                self.s1, self.s2 = self.applied(a1, self.s1, self.M1), self.applied(a2, self.s2, self.M2)
            a1, a2 = self.squared(a1, self.M1), self.squared(a2, self.M2)

    @staticmethod
    def applied(matrix, state, modulus):
        return [sum(a * s for a, s in zip(row, state)) % modulus for row in matrix]

    @staticmethod
    def squared(matrix, modulus):
        return [[sum(matrix[i][k] * matrix[k][j] for k in range(3)) % modulus for j in range(3)] for i in range(3)]

    def first(self):
        """Returns the next number of the current stream, and the two values that advance its state."""
        p1 = (1403580 * self.s1[1] - 810728 * self.s1[0]) % self.M1
        p2 = (527612 * self.s2[2] - 1370589 * self.s2[0]) % self.M2
        return (p1 - p2 if p1 > p2 else p1 - p2 + self.M1) * (1.0 / (self.M1 + 1.0)), p1, p2

    def draw(self):
        number = self.first()[0]
        self.s1, self.s2 = self.applied(self.jump1, self.s1, self.M1), self.applied(self.jump2, self.s2, self.M2)
        return number


class CRand:
    """rand() of glibc."""

    def __init__(self, seed=1):
        state = [seed]
        for _ in range(30):
            state.append(16807 * state[-1] % 2147483647)
        state += state[:3]
        while len(state) < 344:
            state.append((state[-31] + state[-3]) & MASK32)
        self.state = collections.deque(state[-31:], 31)

    def draw(self):
        self.state.append((self.state[0] + self.state[28]) & MASK32)
        return self.state[-1] >> 1


def libm():
    """log, log2 and pow of the C library: the last bit counts."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    for name, arguments in (("log", 1), ("log2", 1), ("pow", 2)):
        getattr(library, name).restype = ctypes.c_double
        getattr(library, name).argtypes = [ctypes.c_double] * arguments
    return library.log, library.log2, library.pow


c_log, c_log2, c_pow = libm()


# ---- input files

class Config:
    def __init__(self, text):
        words = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()}

        def flag(name, default):
            return int(words.get(name, [default])[0])

        def number(name, default):
            return float(words.get(name, [default])[0])

        def speed(name, default):
            return parse_rate(words.get(name, [default])[0])

        def by_rate(name):
            values = words[name][1:]
            return {int(values[i]): float(values[i + 1]) for i in range(0, len(values), 2)}

        def whole_us(name, default):
            return int(number(name, default)) * 1000

        self.mode = flag("CC_MODE", 1)
        self.topology_file, self.flow_file = words["TOPOLOGY_FILE"][0], words["FLOW_FILE"][0]
        self.stop_ns = truncated_ns(number("SIMULATOR_STOP_TIME", 3.01))
        self.payload = flag("PACKET_PAYLOAD_SIZE", 1000)
        self.buffer = flag("BUFFER_SIZE", 16) * 1024 * 1024
        self.has_ecn = flag("ENABLE_QCN", 1)
        self.kmin, self.kmax, self.pmax = (by_rate(name) for name in ("KMIN_MAP", "KMAX_MAP", "PMAX_MAP"))
        self.ack_class = 0 if flag("ACK_HIGH_PRIO", 0) else 3
        self.ack_interval, self.chunk = flag("L2_ACK_INTERVAL", 0), flag("L2_CHUNK_SIZE", 0)
        self.has_window, self.varies_window = flag("HAS_WIN", 1), flag("VAR_WIN", 0)
        self.is_global, self.is_rate_bound = flag("GLOBAL_T", 1) == 1, flag("RATE_BOUND", 1)
        self.rate_ai, self.rate_hai = speed("RATE_AI", "5Mb/s"), speed("RATE_HAI", "50Mb/s")
        self.rate_min, self.dctcp_ai = speed("MIN_RATE", "100Mb/s"), speed("DCTCP_RATE_AI", "1000Mb/s")
        self.gain, self.clamps = number("EWMA_GAIN", 1 / 16), flag("CLAMP_TARGET_RATE", 0)
        self.alpha_ns, self.decrease_ns = whole_us("ALPHA_RESUME_INTERVAL", 55), whole_us("RATE_DECREASE_INTERVAL", 4)
        self.increase_ns, self.recovery_times = whole_us("RP_TIMER", 1500), flag("FAST_RECOVERY_TIMES", 5)
        self.u_target, self.mi_threshold = number("U_TARGET", 0.95), flag("MI_THRESH", 5)
        self.fast_react, self.int_multi = flag("FAST_REACT", 1), flag("INT_MULTI", 1)
        self.multi_rate, self.samples = flag("MULTI_RATE", 1), flag("SAMPLE_FEEDBACK", 0)
        self.pint_base, self.pint_share = number("PINT_LOG_BASE", 1.05), int(65536 * number("PINT_PROB", 1.0))
        if flag("L2_BACK_TO_ZERO", 0) or self.mode not in (1, 3, 7, 8, 10) or number("ERROR_RATE_PER_LINK", 0) \
                or flag("LINK_DOWN", 0):
            raise ValueError("not modelled: L2_BACK_TO_ZERO, other CC_MODEs, ERROR_RATE_PER_LINK, LINK_DOWN")


def read_text(folder, name):
    packed = folder / f"{name}.gz"
    return gzip.decompress(packed.read_bytes()).decode() if packed.exists() else (folder / name).read_text()


# ---- the network

class Packet:
    __slots__ = ("kind", "size", "src", "dst", "sport", "dport", "klass", "seq", "payload", "marked", "came_by", "feedback")


class Port:
    def __init__(self, node, index, rate, delay):
        self.node, self.index, self.rate, self.delay = node, index, rate, delay
        self.peer = None
        self.is_busy = False
        self.paused = [False] * CLASSES
        self.queues = [collections.deque() for _ in range(CLASSES)]
        self.last_class = 0                     # the round robin of a switch continues after it
        self.queued = 0
        # measurements of HPCC and HPCC-PINT
        self.sent, self.last_size, self.last_ns, self.used = 0, 0, 0, 0.0
        # for a switch: its buffer, with this port as ingress, and the waiting bytes with this port as egress
        self.ingress, self.headroom, self.asked_pause, self.egress = ([0] * CLASSES for _ in range(4))
        self.headroom_max, self.shift = rate * delay // 8 // 10**9 * 3 & MASK32, 3
        # for a host
        self.acks, self.pairs, self.last_pair, self.wakeup = collections.deque(), [], 0, None
        self.sending, self.receiving = {}, {}


class QueuePair:
    def __init__(self, flow, port, window, rtt, now):
        self.src, self.dst, self.klass, self.dport, self.size, self.sport = flow
        self.window, self.rtt = window, rtt
        self.rate = self.line = port.rate
        self.start = self.available = now
        self.next = self.acked = self.last_size = 0
        self.timers = {}

    @property
    def is_done(self):
        return self.acked >= self.size


class Receiver:
    def __init__(self):
        self.expected, self.last_nack, self.nack_after = 0, 0, 0


def ecmp_hash(words, seed):
    h = seed
    for k in words:
        k = k * 0xcc9e2d51 & MASK32
        k = (k << 15 | k >> 17) * 0x1b873593 & MASK32
        h ^= k
        h = (h << 13 | h >> 19) & MASK32
        h = h * 5 + 0xe6546b64 & MASK32
    h ^= 12
    h = (h ^ h >> 16) * 0x85ebca6b & MASK32
    h = (h ^ h >> 13) * 0xc2b2ae35 & MASK32
    return h ^ h >> 16


def address(node):
    return 0x0b000001 + (node // 256 << 16) + (node % 256 << 8)


class Simulation:
    CONFIG = Config
    FIRST_VISITED = -1                          # the fork visits switches in descending order

    def __init__(self, folder, seed=1):
        folder = pathlib.Path(folder)
        self.config = config = self.CONFIG((folder / "config.txt").read_text())
        self.now, self.scheduled, self.heap = 0, 0, []
        self.fct, self.pfc, self.drops, self.events = [], [], 0, 0
        self.read_topology(read_text(folder, config.topology_file))
        self.read_flows(read_text(folder, config.flow_file))
        self.streams = Streams(6 * len(self.ports) + 2, seed)
        self.rand = CRand()
        self.find_routes()
        self.int_bytes = INT_BYTES.get(config.mode, 0)
        self.ack_bytes = max(60, 46 + self.int_bytes)
        self.control = {1: Dcqcn, 3: Hpcc, 7: Timely, 8: Dctcp, 10: Pint}[config.mode](self)

    def read_topology(self, text):
        lines = text.splitlines()
        nodes, _, links = map(int, lines[0].split())
        self.switches = set(map(int, lines[1].split()))
        self.ports = [[] for _ in range(nodes)]
        for line in lines[2:2 + links]:
            a, b, rate, delay, *loss = line.split()[:5]
            if any(map(float, loss)):
                raise ValueError("not modelled: error rates of links")
            pair = [Port(int(n), len(self.ports[int(n)]), parse_rate(rate), parse_delay(delay)) for n in (a, b)]
            for port, peer in (pair, pair[::-1]):
                port.peer = peer
                self.ports[port.node].append(port)
        nic_rate = self.ports[self.hosts()[0]][0].rate
        self.shared = {}
        self.unreserved = {}
        for switch in self.switches:
            ports = self.ports[switch]
            self.shared[switch] = 0
            self.unreserved[switch] = self.config.buffer - sum(p.headroom_max for p in ports) - RESERVE_BYTES * len(ports)
            for port in ports:
                rate = port.rate
                while rate > nic_rate and port.shift > 0:
                    port.shift -= 1
                    rate //= 2

    def hosts(self):
        return [node for node in range(len(self.ports)) if node not in self.switches]

    def read_flows(self, text):
        lines = text.splitlines()
        self.flows = []
        for line in lines[1:int(lines[0]) + 1]:
            src, dst, klass, dport, size = map(int, line.split()[:5])
            self.flows.append((truncated_ns(float(line.split()[5])), src, dst, klass, dport, size))

    def find_routes(self):
        """Searches breadth first from every host. The fork takes delay and rate of a pair from the first path it finds."""
        self.next_hops = [{} for _ in self.ports]
        self.pair_rtt, self.pair_rate = {}, {}
        for host in self.hosts():
            seen = {host: (0, 0, 0, MASK64)}
            queue = [host]
            for node in queue:
                hops, delay, serial, rate = seen[node]
                for port in sorted(self.ports[node], key=lambda p: self.FIRST_VISITED * p.peer.node):
                    peer = port.peer
                    if peer.node not in seen:
                        seen[peer.node] = (hops + 1, delay + port.delay,
                                           serial + self.config.payload * 8 * 10**9 // port.rate, min(rate, port.rate))
                        if peer.node in self.switches:
                            queue.append(peer.node)
                    if seen[peer.node][0] == hops + 1:
                        self.next_hops[peer.node].setdefault(host, []).append(peer)
            for node, (_, delay, serial, rate) in seen.items():
                if node not in self.switches:
                    self.pair_rtt[node, host] = 2 * delay + serial
                    self.pair_rate[node, host] = rate
        bdp = {pair: (rtt * self.pair_rate[pair] & MASK64) // 10**9 // 8
               for pair, rtt in self.pair_rtt.items() if pair[0] != pair[1]}
        self.pair_window, self.rtt_max, self.window_max = bdp, max(self.pair_rtt.values()), max(bdp.values())

    # -- events: equal times run in the order in which they were scheduled

    def after(self, delay, function, *arguments):
        event = [self.now + delay, self.scheduled, function, arguments]
        self.scheduled += 1
        heapq.heappush(self.heap, event)
        return event

    @staticmethod
    def cancel(event):
        if event is not None:
            event[2] = None

    def run(self):
        self.after(self.flows[0][0], self.start_flows, 0, {})
        self.run_until(self.config.stop_ns, len(self.flows))
        return Result(self.fct, self.pfc, self.drops, self.events)

    def run_until(self, stop_ns, flows):
        """Runs until that time, or until this many flows have ended."""
        heap = self.heap
        while heap and len(self.fct) < flows and heap[0][0] <= stop_ns:
            event = heapq.heappop(heap)
            function = event[2]
            if function is not None:
                self.now, event[2] = event[0], None
                self.events += 1
                function(*event[3])

    # -- flows

    def start_flows(self, index, sports):
        while index < len(self.flows) and self.flows[index][0] == self.now:
            _, src, dst, klass, dport, size = self.flows[index]
            key = self.source_port_key(src, dst)
            sport = sports[key] = sports.get(key, 9999) + 1
            self.after(0, self.after, 0, self.start_flow, (src, dst, klass, dport, size, sport))
            index += 1
        if index < len(self.flows):
            self.after(self.flows[index][0] - self.now, self.start_flows, index, sports)

    @staticmethod
    def source_port_key(src, dst):
        return src, dst

    @staticmethod
    def host_name(node):
        return f"{address(node):08x}"

    def start_flow(self, flow):
        src, dst = flow[:2]
        port = self.ports[src][0]
        window, rtt = self.window_max, self.rtt_max
        if not self.config.is_global:
            window, rtt = self.pair_window[src, dst], self.pair_rtt[src, dst]
        pair = QueuePair(flow, port, window if self.config.has_window else 0, rtt, self.now)
        self.control.start(pair)
        port.pairs.append(pair)
        port.sending[dst, pair.sport, pair.klass] = pair
        self.send_next(port)

    def end_flow(self, port, pair):
        key = pair.src, pair.dst
        packets = (pair.size - 1) // self.config.payload + 1
        alone = self.pair_rtt[key] + (pair.size + 48 * packets) * 8 * 10**9 // self.pair_rate[key]
        self.fct.append(f"{self.host_name(pair.src)} {self.host_name(pair.dst)} {pair.sport} {pair.dport} {pair.size} "
                        f"{pair.start} {self.now - pair.start} {alone}")
        for event in pair.timers.values():
            self.cancel(event)
        del port.sending[pair.dst, pair.sport, pair.klass]
        self.ports[pair.dst][0].receiving.pop((pair.src, pair.sport, pair.klass), None)

    # -- links

    def transmit(self, port, packet):
        port.is_busy = True
        time = transmission_ns(packet.size, port.rate)
        self.after(time, self.transmitted, port)
        self.after(time + port.delay, self.receive, port.peer, packet)

    def transmitted(self, port):
        port.is_busy = False
        self.send_next(port)

    def send_next(self, port):
        if not port.is_busy:
            if port.node in self.switches:
                self.switch_send(port)
            else:
                self.host_send(port)

    def receive(self, port, packet):
        is_switch = port.node in self.switches
        if packet.kind == PFC:
            self.pfc.append(f"{self.now} {port.node} {int(is_switch)} {port.index + 1} {packet.seq}")
            self.receive_pfc(port, packet.klass, bool(packet.seq))
        elif is_switch:
            self.switch_receive(port, packet)
        elif packet.kind == DATA:
            self.host_receive(port, packet)
        else:
            self.host_acknowledged(port, packet)

    def receive_pfc(self, port, klass, is_pause):
        port.paused[klass] = is_pause
        if not is_pause:
            self.send_next(port)

    # -- switches

    def threshold(self, port):
        return (self.unreserved[port.node] - self.shared[port.node] & MASK32) >> port.shift

    @staticmethod
    def shared_used(port, klass):
        return max(0, port.ingress[klass] - RESERVE_BYTES)

    def ecmp_port(self, node, packet):
        hops = self.next_hops[node][packet.dst]
        words = address(packet.src), address(packet.dst), packet.sport | packet.dport << 16
        return hops[ecmp_hash(words, node) % len(hops)]

    def switch_receive(self, port, packet):
        egress = self.ecmp_port(port.node, packet)
        klass, size = packet.klass, packet.size
        packet.came_by = port
        if klass and not self.admit(port, klass, size):
            self.drops += 1
            return
        if klass:
            egress.egress[klass] += size
            if not port.asked_pause[klass] and (port.headroom[klass] > 0
                                                or self.shared_used(port, klass) >= self.threshold(port)):
                self.send_pfc(port, klass, 1)
        self.enqueue(egress, klass, packet)

    def admit(self, port, klass, size):
        limit = self.threshold(port)
        if size + port.headroom[klass] > port.headroom_max and size + self.shared_used(port, klass) > limit:
            return False
        beyond = port.ingress[klass] + size - RESERVE_BYTES
        if beyond > 0 and beyond > limit:
            port.headroom[klass] += size
            return True
        port.ingress[klass] += size
        self.shared[port.node] += max(0, min(size, beyond))
        return True

    def send_pfc(self, port, klass, is_pause):
        self.streams.draw()                     # the frame's IP identification
        frame = Packet()
        frame.kind, frame.size, frame.klass, frame.seq = PFC, PFC_BYTES, klass, is_pause
        port.asked_pause[klass] = is_pause
        self.enqueue(port, 0, frame)

    def enqueue(self, port, klass, packet):
        port.queues[klass].append(packet)
        port.queued += packet.size
        self.send_next(port)

    def switch_send(self, port):
        klass = self.next_class(port)
        if klass is None:
            return
        packet = port.queues[klass].popleft()
        port.queued -= packet.size
        if klass:
            port.last_class = klass
            self.leave_buffer(port, klass, packet)
        if packet.kind == DATA:
            self.control.at_switch(port, packet)
        port.sent += packet.size
        port.last_size, port.last_ns = packet.size, self.now
        self.transmit(port, packet)

    @staticmethod
    def next_class(port):
        if port.queues[0]:
            return 0
        for step in range(1, CLASSES + 1):
            klass = (step + port.last_class) % CLASSES
            if port.queues[klass] and not port.paused[klass]:
                return klass
        return None

    def leave_buffer(self, port, klass, packet):
        came_by, size = packet.came_by, packet.size
        from_headroom = min(came_by.headroom[klass], size)
        from_shared = min(size - from_headroom, self.shared_used(came_by, klass))
        came_by.headroom[klass] -= from_headroom
        came_by.ingress[klass] -= size - from_headroom
        self.shared[port.node] -= from_shared
        port.egress[klass] -= size
        if self.config.has_ecn and self.should_mark(port, klass):
            packet.marked = True
        if came_by.asked_pause[klass] and came_by.headroom[klass] == 0:
            used = self.shared_used(came_by, klass)
            if used == 0 or used + RESUME_BYTES <= self.threshold(came_by):
                self.send_pfc(came_by, klass, 0)

    def should_mark(self, port, klass):
        waiting = port.egress[klass]
        kmin, kmax = (int(k.get(port.rate, 0)) * 1000 for k in (self.config.kmin, self.config.kmax))
        if waiting > kmax:
            return True
        if waiting <= kmin:
            return False
        return self.streams.draw() < self.config.pmax.get(port.rate, 0.0) * float(waiting - kmin) / (kmax - kmin)

    # -- hosts

    def host_send(self, port):
        if port.acks and not port.paused[self.config.ack_class]:
            self.transmit(port, port.acks.popleft())
            return
        pair = self.next_pair(port)
        if pair is not None:
            self.send_data(port, pair)
            return
        times = self.times_due(port)
        if times and min(times) > self.now and (port.wakeup is None or port.wakeup[2] is None):
            port.wakeup = self.after(min(times) - self.now, self.send_next, port)

    def times_due(self, port):
        """Includes pairs held by their window or by PFC. So a host may set no wake-up although one is due."""
        return [pair.available for pair in port.pairs if pair.next < pair.size]

    def next_pair(self, port):
        """Round robin after the last pair served. Removes finished pairs without adjusting the last index served."""
        pairs, chosen, finished = port.pairs, None, []
        for step in range(1, len(pairs) + 1):
            index = (step + port.last_pair) % len(pairs)
            pair = pairs[index]
            if not port.paused[pair.klass] and pair.next < pair.size and not self.is_window_bound(pair):
                if pair.available <= self.now:
                    chosen = pair
                    break
            elif pair.is_done:
                finished.append(index)
        if finished:
            first = min(finished)
            port.pairs = pairs[:first] + [pair for pair in pairs[first:] if not pair.is_done]
        if chosen is not None:
            port.last_pair = next(i for i, pair in enumerate(port.pairs) if pair is chosen)
        return chosen

    def is_window_bound(self, pair):
        if pair.window == 0:
            return False
        window = pair.window
        if self.config.varies_window:
            window = window * pair.rate // pair.line or 1
        return (pair.next - pair.acked & MASK64) >= window

    def send_data(self, port, pair):
        packet = Packet()
        packet.kind, packet.klass, packet.marked = DATA, pair.klass, False
        packet.src, packet.dst, packet.sport, packet.dport = pair.src, pair.dst, pair.sport, pair.dport
        packet.seq, packet.payload = pair.next, min(self.config.payload, pair.size - pair.next)
        packet.size = packet.payload + 48 + self.int_bytes
        packet.feedback = self.control.at_sender()
        pair.next += packet.payload
        self.transmit(port, packet)
        pair.last_size = packet.size
        rate = pair.rate if self.config.is_rate_bound else pair.line
        pair.available = self.now + transmission_ns(packet.size, rate)

    def host_receive(self, port, packet):
        receiver = port.receiving.setdefault((packet.src, packet.sport, packet.klass), Receiver())
        if packet.seq == receiver.expected:
            receiver.expected += packet.payload
            # With each packet, the fork resets its milestone to one interval.
            if receiver.expected < self.config.ack_interval and receiver.expected % self.config.chunk:
                return
            kind = ACK
        elif packet.seq < receiver.expected:
            return
        elif self.now >= receiver.nack_after or receiver.last_nack != receiver.expected:
            receiver.nack_after, receiver.last_nack = self.now + NACK_INTERVAL_NS, receiver.expected
            kind = NACK
        else:
            return
        self.answer(port, packet, kind, receiver.expected, packet.marked)

    def answer(self, port, packet, kind, seq, is_cnp):
        ack = Packet()
        ack.kind, ack.size, ack.klass, ack.seq = kind, self.ack_bytes, packet.klass, seq
        ack.src, ack.dst, ack.sport, ack.dport = packet.dst, packet.src, packet.dport, packet.sport
        ack.marked, ack.payload, ack.feedback = False, is_cnp, packet.feedback      # payload: the CNP flag
        port.acks.append(ack)
        self.send_next(port)

    def host_acknowledged(self, port, ack):
        pair = port.sending.get((ack.src, ack.dport, ack.klass))
        if pair is None:
            return
        pair.acked = max(pair.acked, ack.seq)
        if pair.is_done:
            self.end_flow(port, pair)
        if ack.kind == NACK:
            pair.next = pair.acked
        self.control.acknowledged(port, pair, ack, ack.payload)
        self.send_next(port)

    def change_rate(self, port, pair, rate):
        """Sets a new rate. The next packet leaves as if the last one had been sent at the new rate."""
        pair.available += transmission_ns(pair.last_size, rate) - transmission_ns(pair.last_size, pair.rate)
        wakeup = port.wakeup
        if wakeup is not None and wakeup[2] is not None and pair.available < wakeup[0]:
            self.cancel(wakeup)
            port.wakeup = self.after(max(0, pair.available - self.now), self.send_next, port)
        pair.rate = rate


# ---- congestion controls

class Control:
    def __init__(self, simulation):
        self.simulation, self.config = simulation, simulation.config

    def start(self, pair):
        """Initializes the control's state of a queue pair."""

    def at_sender(self):
        """Returns the feedback field of a data packet that is sent now."""

    def at_switch(self, port, packet):
        """A data packet leaves the queue of a switch."""

    def acknowledged(self, port, pair, ack, is_marked):
        """Called after every ACK, including the one that ends the flow."""
        raise NotImplementedError

    def rate_of(self, reference, stage, use):
        """Makes HPCC's multiplicative or additive step from a reference rate; returns the new rate and stage."""
        if use >= 1 or stage >= self.config.mi_threshold:
            rate, stage = int(reference / use) + self.config.rate_ai, 0
        else:
            rate, stage = reference + self.config.rate_ai, stage + 1
        return max(rate, self.config.rate_min), stage


class Dcqcn(Control):
    def start(self, pair):
        pair.target, pair.alpha, pair.stage = pair.line, 1.0, 0
        pair.alpha_cnp = pair.decrease_cnp = False
        pair.had_cnp = False

    def acknowledged(self, port, pair, ack, is_marked):
        if not is_marked or pair.is_done:
            return
        pair.alpha_cnp = pair.had_cnp
        pair.decrease_cnp = True
        if not pair.had_cnp:
            pair.had_cnp = True
            pair.target = pair.rate
            pair.timers["alpha"] = self.simulation.after(self.config.alpha_ns, self.update_alpha, pair)
            pair.timers["decrease"] = self.simulation.after(self.config.decrease_ns + 1, self.decrease, pair)

    def update_alpha(self, pair):
        gain = self.config.gain
        pair.alpha = (1 - gain) * pair.alpha + (gain if pair.alpha_cnp else 0)
        pair.alpha_cnp = False
        pair.timers["alpha"] = self.simulation.after(self.config.alpha_ns, self.update_alpha, pair)

    def decrease(self, pair):
        pair.timers["decrease"] = self.simulation.after(self.config.decrease_ns, self.decrease, pair)
        if not pair.decrease_cnp:
            return
        if self.config.clamps or pair.stage != 0:
            pair.target = pair.rate
        pair.rate = max(self.config.rate_min, int(pair.rate * (1 - pair.alpha / 2)))
        pair.stage, pair.decrease_cnp = 0, False
        self.simulation.cancel(pair.timers.get("increase"))
        pair.timers["increase"] = self.simulation.after(self.config.increase_ns, self.increase, pair)

    def increase(self, pair):
        pair.timers["increase"] = self.simulation.after(self.config.increase_ns, self.increase, pair)
        if pair.stage >= self.config.recovery_times:
            step = self.config.rate_ai if pair.stage == self.config.recovery_times else self.config.rate_hai
            pair.target = min(pair.target + step, pair.line)
        pair.rate = int(pair.rate / 2.0) + int(pair.target / 2.0)
        pair.stage += 1


class Hpcc(Control):
    RATES = [rate * 10**9 for rate in (25, 50, 100, 200, 400)]      # the field has codes for these

    def start(self, pair):
        pair.reference, pair.use, pair.stage, pair.updated = pair.line, 1.0, 0, 0
        pair.hops = []
        pair.hop_states = [[1.0, pair.line, 0] for _ in range(HOPS_MAX)]       # use, reference rate, stage

    def at_sender(self):
        return []

    def at_switch(self, port, packet):
        multi = self.config.int_multi
        rate = port.rate if port.rate in self.RATES else self.RATES[0]       # the fork leaves code 0
        packet.feedback.append((self.simulation.now & 0xffffff, port.sent // (128 * multi) & 0xfffff,
                                port.queued // (80 * multi) & 0x1ffff, rate))

    def acknowledged(self, port, pair, ack, is_marked):
        is_full, hops = ack.seq > pair.updated, ack.feedback
        if not is_full and not self.config.fast_react:
            return
        if pair.updated == 0:
            pair.updated, pair.hops = pair.next, list(hops)
            return
        if len(hops) <= HOPS_MAX:
            self.update(port, pair, hops, is_full)
        if is_full:
            pair.updated = max(pair.updated, pair.next)

    def update(self, port, pair, hops, is_full):
        most, most_ns, seen = 0.0, 0, []
        for i, (time, sent, queue, rate) in enumerate(hops):
            if self.config.samples and queue == 0 and not is_full:
                continue
            seen.append(i)
            time_before, sent_before, queue_before, _ = pair.hops[i]
            tau = (time - time_before) & 0xffffff
            multi = self.config.int_multi
            sent_rate = float(((sent - sent_before) & 0xfffff) * 128 * multi * 8) / (tau * 1e-9)
            use = sent_rate / rate + float(min(queue, queue_before) * 80 * multi) * pair.line / rate / pair.window
            if use > most:
                most, most_ns = use, tau
            if self.config.multi_rate:
                tau = min(tau, pair.rtt)
                state = pair.hop_states[i]
                state[0] = (state[0] * (pair.rtt - tau) + use * tau) / float(pair.rtt)
            pair.hops[i] = hops[i]
        if not seen:
            return
        if self.config.multi_rate:
            rate = self.least_rate(pair, len(hops), seen, is_full)
        else:
            most_ns = min(most_ns, pair.rtt)
            pair.use = (pair.use * (pair.rtt - most_ns) + most * most_ns) / float(pair.rtt)
            rate, stage = self.rate_of(pair.reference, pair.stage, pair.use / self.config.u_target)
            rate = min(rate, pair.line)
            if is_full:
                pair.reference, pair.stage = rate, stage
        self.simulation.change_rate(port, pair, rate)

    def least_rate(self, pair, hops, seen, is_full):
        least = pair.line
        for i in range(hops):
            use, reference, stage = pair.hop_states[i]
            rate = reference
            if i in seen:
                rate, stage = self.rate_of(reference, stage, use / self.config.u_target)
                rate = min(rate, pair.line)
                if is_full:
                    pair.hop_states[i][1:] = rate, stage
            least = min(least, rate)
        return least


class Timely(Control):
    ALPHA, BETA, LOW_NS, HIGH_NS, RTT_MIN_NS = 0.875, 0.8, 50_000, 500_000, 20_000

    def start(self, pair):
        pair.reference, pair.stage, pair.updated = pair.line, 0, 0
        pair.difference, pair.last_rtt = 0.0, 0

    def at_sender(self):
        return self.simulation.now

    def acknowledged(self, port, pair, ack, is_marked):
        if ack.seq <= pair.updated:
            return
        rtt = self.simulation.now - ack.feedback
        if pair.updated:
            pair.difference = (1 - self.ALPHA) * pair.difference + self.ALPHA * (rtt - pair.last_rtt)
            factor = self.factor(rtt, pair.difference / self.RTT_MIN_NS)
            if factor is None:
                step = self.config.rate_ai if pair.stage < 5 else self.config.rate_hai
                pair.rate, pair.stage = min(pair.reference + step, pair.line), pair.stage + 1
            else:
                pair.rate, pair.stage = max(self.config.rate_min, int(pair.reference * factor)), 0
            pair.reference = pair.rate
        if pair.next > pair.updated:
            pair.updated, pair.last_rtt = pair.next, rtt

    def factor(self, rtt, gradient):
        """Returns the factor for the rate; None to increase it."""
        if rtt < self.LOW_NS:
            return None
        if rtt > self.HIGH_NS:
            return 1 - self.BETA * (1 - float(self.HIGH_NS) / rtt)
        return None if gradient <= 0 else max(0.0, 1 - self.BETA * gradient)


class Dctcp(Control):
    def start(self, pair):
        pair.alpha, pair.marks, pair.batch, pair.updated = 1.0, 0, 0, 0
        pair.is_reduced, pair.high = False, 0

    def acknowledged(self, port, pair, ack, is_marked):
        pair.marks += is_marked
        is_full = ack.seq > pair.updated
        if is_full and pair.updated == 0:
            pair.batch = pair.next // self.config.payload + 1
        elif is_full:
            share = min(1.0, float(pair.marks) / pair.batch)
            pair.alpha = (1 - self.config.gain) * pair.alpha + self.config.gain * share
            pair.marks, pair.batch = 0, ((pair.next - ack.seq) & MASK64) // self.config.payload + 1
        if is_full:
            pair.updated = pair.next
        if pair.is_reduced and ack.seq > pair.high:
            pair.is_reduced = False
        if is_marked and not pair.is_reduced:
            pair.rate = max(self.config.rate_min, int(pair.rate * (1 - pair.alpha / 2)))
            pair.is_reduced, pair.high = True, pair.next
        if is_full and not pair.is_reduced:
            pair.rate = min(pair.line, pair.rate + self.config.dctcp_ai)


class Pint(Control):
    SCALE, LEVELS = 32768.0, 512

    def __init__(self, simulation):
        super().__init__(simulation)
        self.factor = 1 / c_log(self.config.pint_base)
        bits = math.ceil(c_log2(c_log(self.LEVELS * self.LEVELS) * self.factor))
        self.field = 0xff if bits <= 8 else 0xffff

    def start(self, pair):
        pair.reference, pair.stage, pair.updated = pair.line, 0, 0

    def at_sender(self):
        return 0

    def rough_log2(self, x):
        """Returns a 16-bit logarithm, rounded at random."""
        if x == 0:
            return -2147483648
        bits = int(c_log2(x)) + 1
        if bits > 16:
            low = (1 << bits - 16) - 1
            rounds_up = (x & low) > (self.simulation.rand.draw() & low)
            x = (x & ~low) + (low + 1 if rounds_up else 0)
        return int(c_log2(x) * self.SCALE)

    def at_switch(self, port, packet):
        scale, rtt, queue = self.SCALE, self.simulation.rtt_max, port.queued >> 8
        since = min(self.simulation.now - port.last_ns, rtt)
        log_rtt, log_rate, log_giga = c_log2(rtt) * scale, c_log2(port.rate // 8) * scale, c_log2(1e9) * scale
        of_queue = of_bytes = of_before = 0.0
        if queue:
            sum_of_logs = self.rough_log2(since)
            sum_of_logs += self.rough_log2(queue)
            of_queue = c_pow(2.0, (sum_of_logs + log_giga - log_rate - 2 * log_rtt) / scale) * 256
        if port.last_size:
            of_bytes = c_pow(2.0, (self.rough_log2(port.last_size) + log_giga - log_rate - log_rtt) / scale)
        if rtt > since and port.used > 0:
            sum_of_logs = self.rough_log2(rtt - since)
            sum_of_logs += self.rough_log2(math.floor(port.used * 8192 + 0.5))
            of_before = c_pow(2.0, (sum_of_logs - log_rtt) / scale) / 8192
        port.used = of_queue + of_bytes + of_before
        power = self.encoded(port.used)
        if power > packet.feedback:
            packet.feedback = power & self.field

    def encoded(self, use):
        level = math.ceil(use * self.LEVELS) or 1
        power = c_log(level) * self.factor
        low, high = math.floor(power), math.ceil(power)
        value_low, value_high = c_pow(self.config.pint_base, low), c_pow(self.config.pint_base, high)
        if low == high:
            value_high *= self.config.pint_base
        share = (level - value_low) / (value_high - value_low) * 65536
        return high if self.simulation.rand.draw() % 65536 < share else low

    def acknowledged(self, port, pair, ack, is_marked):
        if self.simulation.rand.draw() % 65536 >= self.config.pint_share:
            return
        is_full = ack.seq > pair.updated
        if pair.updated == 0:
            pair.updated = pair.next
            return
        use = c_pow(self.config.pint_base, ack.feedback) / self.LEVELS
        rate, stage = self.rate_of(pair.reference, pair.stage, use / self.config.u_target)
        rate = min(rate, pair.line)
        self.simulation.change_rate(port, pair, rate)
        if is_full:
            pair.reference, pair.stage = rate, stage
            pair.updated = max(pair.updated, pair.next)


# ---- comparing with recordings

def difference(folder, seed):
    """Runs FOLDER and returns a line of text, and whether all flows and PFC frames equal the recording."""
    result = Simulation(folder, seed).run()
    fct, pfc = ([line.rstrip() for line in read_text(folder, f"{name}-seed{seed}.txt").splitlines()]
                for name in ("fct", "pfc"))
    ours, theirs = set(result.fct), set(fct)
    is_equal = ours == theirs and result.pfc == pfc
    return (f"{folder}: {len(ours & theirs)} of {len(fct)} flows equal, PFC frames {len(result.pfc)} of {len(pfc)}"
            f"{'' if result.pfc == pfc else ', which differ'}, drops {result.drops}, events {result.events}", is_equal)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 1
    if not list(folder.glob(f"fct-seed{seed}.txt*")):
        print("\n".join(Simulation(folder, seed).run().fct))
        return True
    line, is_equal = difference(folder, seed)
    print(line)
    return is_equal


if __name__ == "__main__":
    sys.exit(not main())
