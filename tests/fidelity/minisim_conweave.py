#!/usr/bin/env python3
"""tests/fidelity/minisim_conweave.py FOLDER - the rules of the ConWeave ns-3 fork as a small, slow program.

It is a second, independent implementation of the model conweave in order ns3: DCQCN with the balancers ECMP (LB_MODE 0),
CONGA (3), LetFlow (6) and ConWeave (9). minisim.py has the parts that this fork shares with HPCC's. FOLDER has config.txt and
the files that it names. Writes the lines of the fork's fct file. If FOLDER has recordings (fct.txt, pfc.txt, counts.json,
packed or not), it compares with them and prints how many lines differ.

Not modeled: IRN, DRILL, link errors, links that fail, L2_BACK_TO_ZERO 1, class 1 (which has its own pool).
"""
import collections
import json
import pathlib
import sys

import minisim
from minisim import ACK, DATA, MASK32, NACK, PFC, PFC_BYTES, Packet

CONTROL = 4                                    # REPLY, CLEAR and NOTIFY of ConWeave
FULL_BYTES = 1048                              # of a packet, as the fork's switches assume
GUARANTEED_BYTES = 2 * FULL_BYTES              # per class of a port: never full below it
FREE_BYTES = FULL_BYTES + 1                    # per queue
HEADROOM_0 = 12500 + 2 * FULL_BYTES            # of port 0, which switches lack, but which counts in the sum
ALPHA, HYSTERESIS = 0.0625, 16
NACK_NS, RTO_NS = 4_000, 4_000_000
LATER_NS = 100_000
CONTROL_BYTES = 64
NEVER = 100 * 10**9
FLOWLET_NS = 100_000
DRE_NS, CONGA_AGEING_NS, CONGA_SHARE, CONGA_LEVELS, CONGA_SAMPLES = 50_000, 500_000, 0.2, 8, 4
WEAVE_AGEING_NS, WEAVE_ENTRIES = 2_000_000, 65536

Result = collections.namedtuple("Result", "fct pfc drops events counts later")     # later: counts, LATER_NS after the last flow


class Stream(minisim.Streams):
    """A single random stream."""

    def draw(self):
        number, p1, p2 = self.first()
        self.s1, self.s2 = [*self.s1[1:], p1], [*self.s2[1:], p2]
        return number

    def copy(self):
        made = Stream.__new__(Stream)
        made.s1, made.s2 = self.s1, self.s2
        return made


class Config(minisim.Config):
    def __init__(self, text):
        super().__init__(text)
        words = {line.split()[0]: line.split()[1] for line in text.splitlines() if len(line.split()) > 1}
        self.stop_ns = minisim.truncated_ns(float(words.get("FLOWGEN_STOP_TIME", 2.5)) + 10)
        self.balancer, self.seed = int(words["LB_MODE"]), int(words.get("RANDOM_SEED", 1))
        self.pause_ns = int(float(words.get("PAUSE_TIME", 5))) * 1000
        self.ack_class = 0
        self.reply_ns, self.path_pause_ns, self.flush_ns, self.wait_ns, self.expiry_ns = (
            int(words.get(f"CONWEAVE_{name}", default)) * 1000 for name, default in (
                ("REPLY_TIMEOUT_EXTRA", 4), ("PATH_PAUSE_TIME", 8), ("EXTRA_VOQ_FLUSH_TIME", 32),
                ("DEFAULT_VOQ_WAITING_TIME", 500), ("TX_EXPIRY_TIME", 1000)))
        if self.mode != 1 or int(words.get("ENABLE_IRN", 0)) or not int(words.get("ENABLE_PFC", 1)):
            raise ValueError("not modelled: other CC_MODEs, ENABLE_IRN 1, ENABLE_PFC 0")


class Simulation(minisim.Simulation):
    CONFIG = Config
    FIRST_VISITED = 1

    def __init__(self, folder, flowlet_ns=FLOWLET_NS, balancer=None):
        super().__init__(folder)
        self.flowlet_ns = flowlet_ns
        balancer = self.config.balancer if balancer is None else balancer
        self.rand = minisim.CRand(self.config.seed)
        stream = Stream(1 << 63, 1, self.config.seed)
        self.marks = {switch: stream.copy() for switch in self.switches}
        self.tor = {host: self.ports[host][0].peer.node for host in self.hosts()}
        self.tors = set(self.tor.values())
        self.path_sets = {}
        self.counts = collections.Counter()
        self.balancer = {0: Ecmp, 3: Conga, 6: Letflow, 9: Conweave}[balancer](self)

    def read_topology(self, text):
        super().read_topology(text)
        self.egress_shared, self.egress_limit = {}, {}
        for switch in self.switches:
            ports = self.ports[switch]
            for port in ports:
                port.headroom_max = port.rate * port.delay // 8 // 10**9 * 2 + 2 * FULL_BYTES
                port.pause_ends, port.asked_ends = [None] * minisim.CLASSES, [None] * minisim.CLASSES
            kept = len(ports) * minisim.CLASSES * FULL_BYTES
            headrooms = HEADROOM_0 + sum(port.headroom_max for port in ports[:-1])
            self.unreserved[switch] = self.config.buffer - headrooms - kept & MASK32
            self.egress_limit[switch] = self.config.buffer - kept & MASK32
            self.egress_shared[switch] = 0
        for host in self.hosts():
            for port in self.ports[host]:
                port.pause_ends = [None] * minisim.CLASSES

    def read_flows(self, text):
        lines = text.splitlines()
        self.flows, dports = [], collections.Counter()
        for line in lines[1:int(lines[0]) + 1]:
            src, dst, klass, size = map(int, line.split()[:4])
            start = minisim.truncated_ns(float(line.split()[4]))
            self.flows.append((start, src, dst, klass, 100 + dports[dst], size or 1))
            dports[dst] += 1

    def find_routes(self):
        super().find_routes()
        for pair, rtt in self.pair_rtt.items():            # assumes the same path in both directions
            if pair[0] < pair[1]:
                self.pair_rtt[pair[::-1]] = rtt
                self.pair_window[pair[::-1]] = self.pair_window[pair]

    def paths(self, tor, dst_tor):
        """Returns all shortest paths between two ToRs, sorted. Byte i is the interface number of hop i."""
        key = tor, dst_tor
        if key not in self.path_sets:
            host = min(host for host, its_tor in self.tor.items() if its_tor == dst_tor)

            def below(node, shift):
                if node == dst_tor:
                    return {0}
                return {(port.index + 1 << shift) + rest for port in self.next_hops[node][host]
                        for rest in below(port.peer.node, shift + 8)}
            self.path_sets[key] = sorted(below(tor, 0))
        return self.path_sets[key]

    @staticmethod
    def source_port_key(src, dst):
        return src

    @staticmethod
    def host_name(node):
        return str(node)

    def run(self):
        result = super().run()
        fct, pfc, counts = list(self.fct), list(self.pfc), {**self.counts, "drops": self.drops}
        self.run_until(min(self.now + LATER_NS, self.config.stop_ns), MASK32)
        return Result(fct, pfc, result.drops, result.events, collections.Counter(counts), {**self.counts, "drops": self.drops})

    # -- pauses: they expire

    def receive_pfc(self, port, klass, is_pause):
        self.cancel(port.pause_ends[klass])
        if is_pause:
            port.paused[klass] = True
            port.pause_ends[klass] = self.after(self.config.pause_ns, self.resume, port, klass)
        else:
            self.resume(port, klass)

    def resume(self, port, klass):
        port.paused[klass] = False
        self.send_next(port)

    def send_pfc(self, port, klass, is_pause):
        frame = Packet()
        frame.kind, frame.size, frame.klass, frame.seq = PFC, PFC_BYTES, klass, is_pause
        self.enqueue(port, 0, frame)
        self.cancel(port.asked_ends[klass])
        port.asked_pause[klass] = is_pause
        if is_pause:
            port.asked_ends[klass] = self.after(self.config.pause_ns, self.forget_pause, port, klass)

    @staticmethod
    def forget_pause(port, klass):
        port.asked_pause[klass] = False

    # -- switches

    def switch_receive(self, port, packet):
        packet.came_by = port
        self.balancer.arrive(port.node, packet)

    def forward(self, egress, packet):
        klass = packet.klass if packet.kind == DATA else 0
        if klass:
            if not self.admit_to(egress, packet):
                self.drops += 1
                return
            self.check_pauses(packet.came_by, klass)
        self.enqueue(egress, klass, packet)

    def forward_ecmp(self, node, packet):
        self.forward(self.ecmp_port(node, packet), packet)

    def admit_to(self, egress, packet):
        node, klass, size, port = egress.node, packet.klass, packet.size, packet.came_by
        shared, limit = self.egress_shared[node], self.egress_limit[node]
        waiting = max(0, egress.egress[klass] - FREE_BYTES)
        if shared + size > limit or waiting + size > limit - shared or sum(egress.egress) + size > self.config.buffer:
            return False
        if self.shared[node] + size > self.config.buffer:
            return False
        is_guaranteed = port.ingress[klass] + size <= FULL_BYTES or sum(port.ingress) + size <= FULL_BYTES
        if not is_guaranteed and self.shared[node] > self.unreserved[node] \
                and port.headroom[klass] + size > port.headroom_max:
            return False
        self.shared[node] += size
        port.ingress[klass] += size
        if self.shared[node] > self.unreserved[node]:
            port.headroom[klass] += size
        egress.egress[klass] += size
        self.egress_shared[node] += max(0, egress.egress[klass] - FREE_BYTES) - waiting
        return True

    def left(self, port):
        return self.unreserved[port.node] - self.shared[port.node]

    def check_pauses(self, port, klass):
        for other in range(minisim.CLASSES):
            beyond = port.ingress[other] - GUARANTEED_BYTES
            if beyond > 0 and (beyond > ALPHA * self.left(port) or port.headroom[klass]):
                self.send_pfc(port, other, 1)
        for other in range(minisim.CLASSES):
            self.check_resume(port, other)

    def check_resume(self, port, klass):
        if port.asked_pause[klass] and not port.headroom[klass] \
                and port.ingress[klass] - GUARANTEED_BYTES < ALPHA * (self.left(port) - HYSTERESIS):
            self.send_pfc(port, klass, 0)

    def leave_buffer(self, port, klass, packet):
        came_by, size, node = packet.came_by, packet.size, port.node
        self.shared[node] -= size
        came_by.ingress[klass] -= size
        came_by.headroom[klass] = max(0, came_by.headroom[klass] - size)
        before = max(0, port.egress[klass] - FREE_BYTES)
        port.egress[klass] -= size
        waiting = max(0, port.egress[klass] - FREE_BYTES)
        self.egress_shared[node] -= before - waiting
        if self.config.has_ecn and self.is_marked(port, waiting):
            packet.marked = True
        self.check_resume(came_by, klass)

    def is_marked(self, port, waiting):
        kmin, kmax = (int(k[port.rate]) * 1000 for k in (self.config.kmin, self.config.kmax))
        if waiting > kmax:
            return True
        if waiting <= kmin or kmin == kmax:
            return False
        return self.marks[port.node].draw() < float(waiting - kmin) / (kmax - kmin) * self.config.pmax[port.rate]

    # -- hosts

    def times_due(self, port):
        return [pair.available for pair in port.pairs if pair.next < pair.size and pair.available > self.now]

    def next_pair(self, port):
        """Round robin after the last pair served. Finished pairs keep their places."""
        pairs = port.pairs
        for step in range(1, len(pairs) + 1):
            index = (step + port.last_pair) % len(pairs)
            pair = pairs[index]
            if not port.paused[pair.klass] and pair.next < pair.size and not self.is_window_bound(pair) \
                    and pair.available <= self.now:
                port.last_pair = index
                return pair
        return None

    def send_data(self, port, pair):
        super().send_data(port, pair)
        self.restart_timer(port, pair)

    def restart_timer(self, port, pair):
        self.cancel(pair.timers.get("retransmit"))
        pair.timers["retransmit"] = self.after(RTO_NS, self.time_out, port, pair)

    def time_out(self, port, pair):
        self.counts["timeouts"] += 1
        pair.next = pair.acked
        self.send_next(port)

    def host_receive(self, port, packet):
        receiver = port.receiving.setdefault((packet.src, packet.sport, packet.klass), minisim.Receiver())
        end = packet.seq + packet.payload
        if packet.seq > receiver.expected:
            if self.now < receiver.nack_after and receiver.last_nack == receiver.expected:
                return
            receiver.nack_after, receiver.last_nack = self.now + NACK_NS, receiver.expected
            self.counts["nacks"] += 1
            self.answer(port, packet, NACK, receiver.expected, True)
            return
        if end >= receiver.expected:
            receiver.expected = end
            if end < self.config.ack_interval and end % self.config.chunk:
                return
        self.answer(port, packet, ACK, receiver.expected, packet.marked)

    def host_acknowledged(self, port, ack):
        pair = port.sending.get((ack.src, ack.dport, ack.klass))
        if pair is None:
            return
        pair.acked = max(pair.acked, ack.seq)
        pair.next = max(pair.next, pair.acked)
        if pair.is_done:
            self.end_flow(port, pair)
        elif pair.next > pair.acked:
            self.restart_timer(port, pair)
        if ack.kind == NACK:
            pair.next = pair.acked
        self.control.acknowledged(port, pair, ack, ack.payload)
        self.send_next(port)


# ---- balancers

class Ecmp:
    def __init__(self, simulation):
        self.simulation, self.config = simulation, simulation.config

    def arrive(self, node, packet):
        """A packet has arrived at a switch."""
        self.simulation.forward_ecmp(node, packet)

    def draw(self, count):
        return self.simulation.rand.draw() % count

    def is_balanced(self, packet):
        tor = self.simulation.tor
        return packet.kind == DATA and tor[packet.src] != tor[packet.dst]

    def paths(self, node, packet):
        return self.simulation.paths(node, self.simulation.tor[packet.dst])

    def forward_by(self, node, packet, path, hop):
        self.simulation.forward(self.simulation.ports[node][(path >> 8 * hop & 255) - 1], packet)


class Letflow(Ecmp):
    """At the first ToR every flowlet takes a random path."""

    def __init__(self, simulation):
        super().__init__(simulation)
        self.flowlets = {}

    def arrive(self, node, packet):
        if not self.is_balanced(packet) or node == self.simulation.tor[packet.dst]:
            self.simulation.forward_ecmp(node, packet)
            return
        if node == self.simulation.tor[packet.src]:
            packet.feedback = [self.path_of_flowlet(node, packet), 0]
        else:
            packet.feedback[1] += 1
        self.forward_by(node, packet, *packet.feedback)

    def path_of_flowlet(self, node, packet):
        """The key omits the source, so flows of one ToR may share an entry."""
        key = node, packet.dst, packet.sport, packet.dport | packet.klass
        now, flowlet = self.simulation.now, self.flowlets.get(key)
        if flowlet is None or now - flowlet[1] > self.simulation.flowlet_ns:
            self.simulation.counts["flowlets"] += flowlet is not None
            flowlet = self.flowlets[key] = [self.new_path(node, packet), now]
        flowlet[1] = now
        return flowlet[0]

    def new_path(self, node, packet):
        paths = self.paths(node, packet)
        return paths[self.draw(len(paths))]


class Conga(Letflow):
    """Every flowlet takes the least loaded of some paths, according to the reports between ToRs."""

    def __init__(self, simulation):
        super().__init__(simulation)
        self.loads = collections.defaultdict(dict)         # by switch: {interface: bytes}
        # by (ToR, other ToR): {path: [level, time]}
        self.heard, self.reported = (collections.defaultdict(dict) for _ in range(2))
        self.awake = set()

    def arrive(self, node, packet):
        simulation = self.simulation
        if packet.kind == DATA and node not in self.awake:
            self.awake.add(node)
            simulation.after(DRE_NS, self.decay, node)
            simulation.after(CONGA_AGEING_NS, self.age, node)
        if not self.is_balanced(packet):
            simulation.forward_ecmp(node, packet)
        elif node == simulation.tor[packet.src]:
            heard = self.heard[node, simulation.tor[packet.dst]]
            report = None
            if heard:
                path = sorted(heard)[self.draw(len(heard))]
                report = path, heard[path][0]
            path = self.path_of_flowlet(node, packet)
            packet.feedback = [path, 0, self.load(node, path & 255, packet.size), report]
            self.forward_by(node, packet, path, 0)
        elif node == simulation.tor[packet.dst]:
            path, _, level, report = packet.feedback
            key = node, simulation.tor[packet.src]
            if report:
                self.reported[key][report[0]] = [report[1], simulation.now]
            self.heard[key][path] = [level, simulation.now]
            simulation.forward_ecmp(node, packet)
        else:
            tag = packet.feedback
            tag[1] += 1
            tag[2] = max(tag[2], self.load(node, tag[0] >> 8 * tag[1] & 255, packet.size))
            self.forward_by(node, packet, tag[0], tag[1])

    def load(self, node, interface, more):
        loads = self.loads[node]
        loads[interface] = loads.get(interface, 0) + more
        return self.level(node, interface)

    def level(self, node, interface):
        rate = self.simulation.ports[node][interface - 1].rate
        return int(self.loads[node].get(interface, 0) * 8 / (rate * (DRE_NS / 1e9) / CONGA_SHARE) * CONGA_LEVELS)

    def new_path(self, node, packet):
        paths = self.paths(node, packet)
        if len(paths) >= CONGA_SAMPLES:
            first = self.draw(len(paths) - CONGA_SAMPLES + 1)
            paths = paths[first:first + CONGA_SAMPLES]
        reported = self.reported[node, self.simulation.tor[packet.dst]]
        levels = [max(self.level(node, path & 255), reported.get(path, [0])[0]) for path in paths]
        best = [path for path, level in zip(paths, levels) if level == min(levels)]
        return best[self.draw(len(best))]

    def decay(self, node):
        for interface, load in self.loads[node].items():
            self.loads[node][interface] = int(load * (1 - CONGA_SHARE))
        self.simulation.after(DRE_NS, self.decay, node)

    def age(self, node):
        def is_old(then):
            return self.simulation.now - then > CONGA_AGEING_NS

        for (tor, _), entries in self.reported.items():
            for entry in entries.values():
                if tor == node and is_old(entry[1]):
                    entry[0] = 0
        for (tor, _), entries in self.heard.items():
            for path in [path for path, entry in entries.items() if tor == node and is_old(entry[1])]:
                del entries[path]
        for key in [key for key, flowlet in self.flowlets.items() if key[0] == node and is_old(flowlet[1])]:
            del self.flowlets[key]
        self.simulation.after(CONGA_AGEING_NS, self.age, node)


INIT, TAIL, REPLY, CLEAR, NOTIFY = "INIT", "TAIL", "REPLY", "CLEAR", "NOTIFY"


class Source:
    """A flow at its first ToR."""

    def __init__(self):
        self.epoch, self.phase, self.is_stable, self.active, self.deadline = 0, 0, True, 0, 0
        self.path, self.tail, self.is_new = None, 0, True


class Destination:
    """A flow at its last ToR."""

    def __init__(self):
        self.epoch, self.phase, self.p0tx, self.p0rx, self.is_cached = 1, 0, 0, 0, False
        self.tail, self.held, self.release, self.active = 0, None, None, 0


class Tag:
    """The header that the first ToR adds to a data packet."""

    def __init__(self, path, epoch, phase, flag, tx, tail):
        self.path, self.epoch, self.phase, self.flag, self.tx, self.tail = path, epoch, phase, flag, tx, tail
        self.hop = 0


def path_index(node, path):
    k = path * 0xcc9e2d51 & MASK32
    k = (k << 15 | k >> 17) * 0x1b873593 & MASK32
    h = node ^ k
    h = (h << 13 | h >> 19) & MASK32
    h = (h * 5 + 0xe6546b64 & MASK32) ^ 4
    h = (h ^ h >> 16) * 0x85ebca6b & MASK32
    h = (h ^ h >> 13) * 0xc2b2ae35 & MASK32
    return (h ^ h >> 16) % WEAVE_ENTRIES


class Conweave(Ecmp):
    def __init__(self, simulation):
        super().__init__(simulation)
        # by ToR: {flow: state}
        self.sources, self.destinations = (collections.defaultdict(dict) for _ in range(2))
        self.avoided = {}                      # by ToR and entry: (path, until)
        self.awake = set()

    def arrive(self, node, packet):
        simulation = self.simulation
        if node not in self.awake:
            self.awake.add(node)
            simulation.after(WEAVE_AGEING_NS, self.age, node)
        if packet.kind == CONTROL and node == simulation.tor[packet.dst]:
            self.control(node, packet)
        elif not self.is_balanced(packet):
            simulation.forward_ecmp(node, packet)
        elif node == simulation.tor[packet.src]:
            self.depart(node, packet)
        elif node == simulation.tor[packet.dst]:
            self.deliver(node, packet)
        else:
            packet.feedback.hop += 1
            self.forward_by(node, packet, packet.feedback.path, packet.feedback.hop)

    def age(self, node):
        now = self.simulation.now
        for table in self.sources[node], self.destinations[node]:
            for flow in [flow for flow, state in table.items() if now - state.active > WEAVE_AGEING_NS]:
                del table[flow]
        self.simulation.after(WEAVE_AGEING_NS, self.age, node)

    # -- the first ToR

    def is_bad(self, node, path):
        entry = self.avoided.get((node, path_index(node, path)))
        return entry is not None and entry[0] == path and entry[1] > self.simulation.now

    def candidates(self, node, packet):
        """Returns the first of two random paths, and the first of them that need not be avoided, or None."""
        paths = self.paths(node, packet)
        self.draw(1)
        first, second = (paths[self.draw(len(paths))] for _ in range(2))
        return first, next((path for path in (first, second) if not self.is_bad(node, path)), None)

    def depart(self, node, packet):
        now, counts = self.simulation.now, self.simulation.counts
        flow = packet.src, packet.dst, packet.sport, packet.dport
        state = self.sources[node].setdefault(flow, Source())
        is_expired = state.active + self.config.expiry_ns < now
        is_stabilized = not is_expired and state.is_stable
        begins, is_late = is_expired or is_stabilized, False
        state.active = now
        if begins:
            state.is_stable = False
            state.deadline = now + self.base_rtt(node, packet) + self.config.reply_ns
            state.epoch, state.phase, state.tail = state.epoch + 1, 0, 0
        elif state.deadline < now:
            is_late, state.deadline, state.tail = True, NEVER, now
        phase = 0 if is_late else state.phase
        if is_late:
            state.phase = 1
        any_path, good = self.candidates(node, packet)
        if state.path is None:
            state.path = any_path if good is None else good
        path = state.path
        if (is_expired or is_late) and good is not None:
            state.path = good
            counts["reroutings"] += not state.is_new
            if is_expired:
                path = good
        state.is_new = False
        packet.feedback = Tag(path, state.epoch, phase, INIT if begins else TAIL if is_late else None, now, state.tail)
        self.forward_by(node, packet, path, 0)

    def base_rtt(self, node, packet):
        """The fork accepts only links of 1 us."""
        path, hops = self.paths(node, packet)[0], 0
        while path >> 8 * hops:
            hops += 1
        return 2 * hops * 1000

    def control(self, node, packet):
        now, kind = self.simulation.now, packet.feedback[0]
        if kind == NOTIFY:
            path = packet.feedback[1]
            self.avoided[node, path_index(node, path)] = path, now + self.config.path_pause_ns
            return
        state = self.sources[node].setdefault((packet.dst, packet.src, packet.dport, packet.sport), Source())
        if packet.feedback[1] != state.epoch or (kind == CLEAR) != state.phase:
            return
        if kind == REPLY and not now < state.deadline < NEVER:
            return
        state.is_stable, state.deadline = True, NEVER
        self.simulation.counts["replies_timely" if kind == REPLY else "clears_matched"] += 1

    # -- the last ToR

    def deliver(self, node, packet):
        now, counts, tag = self.simulation.now, self.simulation.counts, packet.feedback
        flow = packet.src, packet.dst, packet.sport, packet.dport
        state = self.destinations[node].setdefault(flow, Destination())
        state.active = now
        if tag.epoch < state.epoch:
            counts["earlier_epoch_packets"] += 1
            self.simulation.forward_ecmp(node, packet)
            return
        is_fresh, state.epoch = tag.epoch > state.epoch, tag.epoch
        if tag.phase == 0:
            state.p0tx, state.p0rx = tag.tx, now
        is_early = False
        if is_fresh:
            counts["new_epoch_while_holding"] += state.held is not None
            state.phase = int(tag.flag == TAIL)
            is_early = tag.phase > state.phase
            state.is_cached = tag.phase == 0
        else:
            if tag.flag == TAIL:
                if state.held is None:
                    state.phase = 1
            else:
                is_early = state.phase < tag.phase
            if tag.phase == 0:
                state.is_cached = True
        if tag.flag == TAIL or tag.phase == 1:
            state.tail = tag.tail
        gap = max(0, state.tail - state.p0tx) if state.is_cached else self.config.wait_ns
        if tag.phase == 0 and state.held is not None:
            counts["releases_by_tail"] += tag.flag == TAIL
            self.release_after(node, state, 1 if tag.flag == TAIL else gap + self.config.flush_ns)
        elif is_early and state.held is None:
            state.held = []
            counts["opened_without_cache"] += not state.is_cached
            at = (state.p0rx if state.is_cached else now) + gap + self.config.flush_ns
            counts["released_at_once"] += at <= now
            self.release_after(node, state, max(0, at - now))
        if packet.marked:
            self.send_control(node, packet, NOTIFY, tag.path)
        if tag.flag in (INIT, TAIL):
            self.send_control(node, packet, REPLY if tag.flag == INIT else CLEAR, tag.epoch)
        if is_early:
            counts["packets_held"] += 1
            state.held.append(packet)
        else:
            self.simulation.forward_ecmp(node, packet)

    def release_after(self, node, state, delay):
        self.simulation.cancel(state.release)
        state.release = self.simulation.after(delay, self.release, node, state)

    def release(self, node, state):
        self.simulation.counts["releases"] += 1
        held, state.held, state.phase = state.held, None, 1
        for packet in held:
            self.simulation.forward_ecmp(node, packet)

    def send_control(self, node, packet, kind, value):
        self.simulation.counts[{NOTIFY: "notifies_sent", REPLY: "replies_sent", CLEAR: "clears_sent"}[kind]] += 1
        made = Packet()
        made.kind, made.size, made.klass, made.feedback = CONTROL, CONTROL_BYTES, 0, (kind, value)
        made.src, made.dst, made.sport, made.dport = packet.dst, packet.src, packet.dport, packet.sport
        self.simulation.forward_ecmp(node, made)


# ---- comparing with recordings

def difference(folder, recording=("fct.txt", "pfc.txt"), until_ns=None, **settings):
    """Runs FOLDER and returns a line of text, and whether all flows, PFC frames and counts equal the recording (up to
    until_ns, if given)."""
    simulation = Simulation(folder, **settings)
    simulation.config.stop_ns = until_ns or simulation.config.stop_ns
    result = simulation.run()
    fct, pfc = ([line.rstrip() for line in minisim.read_text(folder, name).splitlines()] for name in recording)
    if until_ns:
        fct = [line for line in fct if sum(map(int, line.split()[5:7])) <= until_ns]
        pfc = [line for line in pfc if int(line.split()[0]) <= until_ns]
    ours, theirs = set(result.fct), set(fct)
    counts = folder / "counts.json"
    recorded = json.loads(counts.read_text()) if counts.exists() else {}
    bad = [f"{name} {result.counts[name]} not {count}" for name, count in recorded.items()
           if name != "releases_again" and result.counts[name] != count]
    is_equal = ours == theirs and result.pfc == pfc and not bad
    return (f"{folder}: {len(ours & theirs)} of {len(fct)} flows equal, PFC frames {len(result.pfc)} of {len(pfc)}"
            f"{'' if result.pfc == pfc else ', which differ'}, drops {result.drops}, events {result.events}"
            f"{''.join(', ' + line for line in bad)}", is_equal)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    if not list(folder.glob("fct.txt*")):
        print("\n".join(Simulation(folder).run().fct))
        return True
    line, is_equal = difference(folder)
    print(line)
    return is_equal


if __name__ == "__main__":
    sys.exit(not main())
