# tests/live/fault_kinds.py - kinds of faults for faults.py that involve more than one machine.
#
# etcd    two controllers of one cell share a lease. etcd and the active or standby controller are killed or
# suspended. No
#         older term ever writes after a newer one, and without etcd every device reverts.
# switch  an agent with ACC on a stand-in switch. Redis is killed or suspended; agent and controller are
# killed. Every
#         queue holds its original or an announced value, and reverts after each fault; nothing else is ever
#         written.
# net     agents, relay and controller in separate network namespaces, with certificates. Links are cut and
# slowed down.
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

import faults
from faults import AGENTS, RELAYED, Fabric

def missing(kind):
    if kind == "etcd" and not shutil.which("etcd"):
        return "no etcd"
    if kind == "switch" and not shutil.which("redis-server"):
        return "no redis-server"
    if kind == "net":
        return missing_for_net()
    return None

# ---- etcd ----

class Etcd(Fabric):
    PACE_S = 20                  # a new controller first measures the noise

    def __init__(self, anole, folder):
        super().__init__(anole, folder)
        self.etcd_port = self.port + 10
        for i in range(AGENTS):
            self.edit(f"agent{i}.yaml", "controller", f"controller: [127.0.0.1:{self.port}, 127.0.0.1:{self.port + 2}]")
            self.edit(f"agent{i}.yaml", "relays", "")
        for c in range(2):
            self.edit(f"controller{c}.yaml", "listen", f"listen: 127.0.0.1:{self.port + 2 * c}\n"
                      f"etcd: {{endpoints: ['http://127.0.0.1:{self.etcd_port}'], ttl: 2s}}")

    def edit(self, path, key, line):
        text = open(f"{self.folder}/{path}").read().splitlines()
        self.write(path, "\n".join(line if t.startswith(key + ":") else t for t in text) + "\n")

    def start_etcd(self):
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.etcd_port + 1}"
        os.environ["ETCD_UNSUPPORTED_ARCH"] = {"aarch64": "arm64"}.get(os.uname().machine, "")
        self.start_program("etcd", "etcd", "--data-dir", "etcd-data", "--log-outputs", "stdout", "--listen-client-urls", client,
                           "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                           "--initial-cluster", f"default={peer}")

    def start_one(self, c):
        self.start(f"controller{c}", "controller", f"controller{c}.yaml")

    # A controller that loses the lease exits. This restarts it, as systemd would.
    def check(self):
        super().check()
        for c in range(2):
            if f"controller{c}" in self.process and self.process[f"controller{c}"].poll() is not None:
                self.start_one(c)

    def begin(self):
        self.start_etcd()
        for c in range(2):
            self.start_one(c)
        for i in range(AGENTS):
            self.start_agent(i)

    def end(self):
        for c in range(2):
            self.kill(f"controller{c}")
        self.wait_for("that all devices are back in the end", self.all_back)
        faults.check_logs(self)
        return faults.applied(self)

    def faults(self):
        return [kill_etcd, kill_etcd, stop_etcd, kill_one, stop_one, faults.kill_agent, faults.rescue_agent, kill_cell]

def kill_etcd(f, rng):
    f.kill("etcd")
    if rng.random() < 0.5:
        f.wait_for("that all devices are back without etcd", f.all_back)
    f.start_etcd()

def stop_etcd(f, rng):
    f.process["etcd"].send_signal(signal.SIGSTOP)
    f.wait_for("that all devices are back while etcd stands still", f.all_back)
    f.process["etcd"].send_signal(signal.SIGCONT)

def kill_one(f, rng):
    c = rng.randrange(2)
    f.kill(f"controller{c}")
    time.sleep(rng.uniform(0, 1))
    f.start_one(c)

# Longer than its lease: another controller may have taken over before it resumes.
def stop_one(f, rng):
    c = rng.randrange(2)
    f.process[f"controller{c}"].send_signal(signal.SIGSTOP)
    time.sleep(rng.uniform(0.5, 5))
    f.process[f"controller{c}"].send_signal(signal.SIGCONT)

def kill_cell(f, rng):
    f.kill_all()
    for i in range(AGENTS):
        f.start_agent(i)
    f.wait_for("that all devices are back after a power cut", f.all_back)
    f.start_etcd()
    for c in range(2):
        f.start_one(c)

# ---- a switch ----

PORTS = 4
FOUND = ("1048576", "2097152", "5")
GREEN = ("green_min_threshold", "green_max_threshold", "green_drop_probability")
KNOWN = {f"{c}_{w}" for c in ("green", "yellow", "red") for w in ("min_threshold", "max_threshold", "drop_probability")}
KNOWN |= {"wred_green_enable", "wred_yellow_enable", "wred_red_enable", "ecn"}

class Redis:                     # a minimal client
    def __init__(self, path):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(5)
        self.s.connect(path)
        self.file = self.s.makefile("rb")

    def ask(self, *words):
        words = [str(w).encode() for w in words]
        self.s.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return self.answer()

    def answer(self):
        line = self.file.readline()
        if not line:
            raise ConnectionError("Redis is gone")
        if line[:1] == b"$":
            return None if line[1:3] == b"-1" else self.file.read(int(line[1:]) + 2)[:-2].decode()
        if line[:1] == b"*":
            return [self.answer() for _ in range(int(line[1:]))]
        return line[1:-2].decode()

    def close(self):
        self.file.close()
        self.s.close()

class Switch(Fabric):
    def __init__(self, anole, folder):
        super().__init__(anole, folder)
        self.socket = f"{folder}/sw/var/run/redis/redis.sock"
        self.is_over, self.bad, self.thread = False, [], []
        self.write("agent.yaml", f"""
name: leaf
controller: 127.0.0.1:{self.port}
state: state
root: sw
driver: sonic
devices: [all-3]
write: yes
interval: 100ms
lease: {faults.LEASE_S}s
queue_hold: 1s
freeze_file: {folder}/freeze
tuner: {{name: acc, model: dcqcn, slot_us: 20000}}
""")
        self.write("controller0.yaml", f"listen: 127.0.0.1:{self.port}\nstate: statec\nmode: auto\ngather: 300ms\nqueue_tuners: yes\n")

    def start_switch(self):
        program = os.path.join(os.path.dirname(os.path.realpath(self.anole)), "anole-switch")
        self.start_program("switch", program, "sw", str(PORTS), "25000")
        self.wait_for("that the switch answers", lambda: self.held() is not None)

    def redis_pid(self):
        children = open(f"/proc/{self.process['switch'].pid}/task/{self.process['switch'].pid}/children").read().split()
        return int(children[0])

    # Returns the values in the ASIC for each queue, or None without Redis or a switch in it.
    def held(self):
        try:
            r = Redis(self.socket)
            r.ask("SELECT", 1)
            held = []
            for i in range(PORTS):
                oid = r.ask("HGET", "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x150000000%05x" % i, "SAI_QUEUE_ATTR_WRED_PROFILE_ID")
                held.append(tuple(r.ask("HMGET", f"ASIC_STATE:SAI_OBJECT_TYPE_WRED:{oid}", "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD",
                                        "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD", "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY")))
            r.close()
            return held if all(None not in h for h in held) else None
        except OSError:
            return None

    def announced(self):
        try:
            with open(f"{self.folder}/state/all-3/queues", encoding="utf-8") as file:
                saved, _ = json.JSONDecoder().raw_decode(file.read())        # a checksum follows
        except FileNotFoundError:
            return {FOUND}
        return {FOUND} | {(str(a), str(b), str(round(100 * p))) for a, b, p in saved["settings"]}

    def check(self):
        held = self.held()
        strange = set(held or []) - self.announced()
        # Thresholds are programmed one after another, so an observer may see a mixture of two settings.
        if strange and set(self.held() or []) & strange:
            parts = [set(p) for p in zip(*self.announced())]
            if any(v not in p for h in strange for v, p in zip(h, parts)):
                raise SystemExit(f"faults.py: queues hold {strange}, which was never announced")
        if self.bad:
            raise SystemExit(f"faults.py: was written: {self.bad[0]}")

    def all_back(self):
        held = self.held()
        return held is not None and all(h == FOUND for h in held)

    def moved(self):
        held = self.held()
        return held is not None and any(h != FOUND for h in held)

    # Traffic as syncd reports it.
    def feed(self):
        import random
        sent, marked, r = [0] * PORTS, [0] * PORTS, None
        while not self.is_over:
            try:
                if not r:
                    r = Redis(self.socket)
                    r.ask("SELECT", 2)
                for i in range(PORTS):
                    share = random.random()
                    sent[i] += int(25e9 / 8 * 0.05 * share)
                    marked[i] += int(25e9 / 8 * 0.05 * share * random.random() / 2)
                    r.ask("HSET", "COUNTERS:oid:0x150000000%05x" % i, "SAI_QUEUE_STAT_BYTES", sent[i], "SAI_QUEUE_STAT_DROPPED_PACKETS", 0,
                          "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES", marked[i], "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
                          int(random.random() ** 2 * 1e6))
            except OSError:
                r = None
            time.sleep(0.05)

    # Records all writes, as MONITOR reports them.
    def watch(self):
        r = None
        while not self.is_over:
            try:
                if not r:
                    r = Redis(self.socket)
                    r.ask("MONITOR")
                line = r.answer()
            except TimeoutError:
                r = None
                continue
            except OSError:
                r = None
                time.sleep(0.01)
                continue
            if "WRED_PROFILE|ANOLE" in line or ('"QUEUE|' in line and "scheduler" not in line):
                self.judge(line)

    def judge(self, line):
        words = [w for w in line.split('"')[1::2]]
        # a queue gets its former profile back, and ours goes
        if words[0] == "DEL" and all(key.startswith("WRED_PROFILE|ANOLE_") for key in words[1:]):
            return
        if words[0] != "HSET":
            if words[0] in ("DEL", "SET", "HDEL", "SAVE", "BGSAVE", "RENAME", "FLUSHDB"):
                self.bad.append(line)
            return
        pairs = list(zip(words[2::2], words[3::2]))
        if words[1].startswith("QUEUE|"):
            is_good = len(pairs) == 1 and pairs[0][0] == "wred_profile" and (pairs[0][1].startswith("ANOLE_") or pairs[0][1] == "AZURE_LOSSLESS")
        else:
            is_good = all(n in KNOWN and (v.isdigit() or n not in GREEN) for n, v in pairs)
        if not is_good:
            self.bad.append(line)

    def begin(self):
        self.start_switch()
        self.thread = [threading.Thread(target=t, daemon=True) for t in (self.feed, self.watch)]
        for t in self.thread:
            t.start()
        self.start_controller(0)
        self.start_agent()

    def start_agent(self):
        self.start("agent", "agent", "agent.yaml")

    def has_tried(self, least):
        return True              # end() checks it

    def end(self):
        self.wait_for("that ACC sets something", self.moved)
        self.process["agent"].terminate()
        if self.process["agent"].wait(30):
            raise SystemExit("faults.py: the agent did not end well")
        self.process.pop("agent")
        if not self.all_back():
            raise SystemExit("faults.py: the agent has left something behind")
        log = f"{self.folder}/state/all-3/audit.jsonl"
        subprocess.check_call([self.anole, "ctl", "verify", log], stdout=subprocess.DEVNULL)
        records = [json.loads(line) for line in open(log)]
        if any(r["what"] == "adopt" for r in records):
            raise SystemExit("faults.py: the agent took its own values for values set from outside")
        whys = [r["why"] for r in records if r["what"] == "queues"]
        return sum(int(why.split(" decisions, ")[1].split(" ")[0]) for why in whys)

    def clean(self):
        self.is_over = True
        self.kill_all()

    def faults(self):
        return [kill_redis, kill_redis, stop_redis, kill_leaf, rescue_leaf, cut_leaf, stop_leaf, faults.freeze]

# The switch restarts with its configuration; the agent finds it and continues.
def kill_redis(f, rng):
    os.kill(f.redis_pid(), signal.SIGKILL)
    f.process.pop("switch").wait(30)
    time.sleep(rng.uniform(0, 2))
    f.start_switch()

def stop_redis(f, rng):
    pid = f.redis_pid()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(rng.uniform(0.1, 4))
    os.kill(pid, signal.SIGCONT)

def kill_leaf(f, rng):
    f.kill("agent")
    f.start_agent()
    f.wait_for("that queues are back", f.all_back)

def rescue_leaf(f, rng):
    f.kill("agent")
    if subprocess.call([f.anole, "agent", "agent.yaml", "--rescue"], cwd=f.folder):
        raise SystemExit("faults.py: --rescue failed")
    if not f.all_back():
        raise SystemExit("faults.py: queues are not back after --rescue")
    f.start_agent()

def cut_leaf(f, rng):
    f.kill("controller")
    f.wait_for("that queues are back without a controller", f.all_back)
    f.start_controller(0)

def stop_leaf(f, rng):
    f.process["agent"].send_signal(signal.SIGSTOP)
    time.sleep(rng.uniform(0.1, 3))
    f.process["agent"].send_signal(signal.SIGCONT)

# ---- networks ----

def ip(*words, **more):
    return subprocess.run(["ip", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)

def missing_for_net():
    if not shutil.which("ip") or not shutil.which("openssl"):
        return "no iproute2, or no openssl"
    name = f"anole-try-{os.getpid()}"
    made = ip("netns", "add", name)
    if made.returncode:
        return "network namespaces are not allowed here: " + made.stderr.strip()
    bridge = ip("-n", name, "link", "add", "br0", "type", "bridge")
    ip("netns", "del", name)
    return "no bridges here: " + bridge.stderr.strip() if bridge.returncode else None

# Each process in its own namespace, all connected to one bridge.
class Net(Fabric):
    def __init__(self, anole, folder):
        super().__init__(anole, folder)
        self.tag = f"an{os.getpid() % 100000}"
        self.place = {"controller": 1, "relay": 2, **{f"agent{i}": 10 + i for i in range(AGENTS)}}
        self.make_network()
        self.make_certificates()
        for path in glob.glob(f"{folder}/*.yaml"):
            self.secure(path)

    def space(self, name):
        return f"{self.tag}{name}"

    def make_network(self):
        hub = self.space("hub")
        ip("netns", "add", hub, check=True)
        ip("-n", hub, "link", "add", "br0", "type", "bridge", check=True)
        ip("-n", hub, "link", "set", "br0", "up", check=True)
        for name, n in self.place.items():
            space = self.space(name)
            ip("netns", "add", space, check=True)
            ip("-n", hub, "link", "add", f"p{n}", "type", "veth", "peer", "name", "eth0", "netns", space, check=True)
            ip("-n", hub, "link", "set", f"p{n}", "master", "br0", "up", check=True)
            ip("-n", space, "addr", "add", f"10.87.0.{n}/24", "dev", "eth0", check=True)
            ip("-n", space, "link", "set", "eth0", "up", check=True)
            ip("-n", space, "link", "set", "lo", "up", check=True)

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def make_certificates(self):
        key = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        self.openssl("req", "-x509", "-newkey", *key, "-subj", "/CN=ca", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem")
        for name in ["c0", "c1", "rack"] + [f"host{i}" for i in range(AGENTS)]:
            self.write(f"{name}.ext", "subjectAltName=IP:10.87.0.1,IP:10.87.0.2\n")
            self.openssl("req", "-newkey", *key, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
            self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                         "-extfile", f"{name}.ext", "-out", f"{name}.pem")

    def secure(self, path):
        text = open(path).read()
        name = next(line.split()[1] for line in text.splitlines() if line.startswith("name:"))
        text = text.replace(f"127.0.0.1:{self.port + 1}", f"10.87.0.2:{self.port + 1}").replace(f"127.0.0.1:{self.port}", f"10.87.0.1:{self.port}")
        text += f"tls: {{ca: ca.pem, cert: {name}.pem, key: {name}.key}}\n"
        if name in ("c0", "c1"):
            text += "relays: [rack]\n"
        with open(path, "w") as f:
            f.write(text)

    def start(self, name, *words):
        self.start_program(name, "ip", "netns", "exec", self.space(name), self.anole, *words)

    def link(self, name, state):
        ip("-n", self.space("hub"), "link", "set", f"p{self.place[name]}", state, check=True)

    # Uses netem if the kernel has it, otherwise a bandwidth so low that the effect is the same.
    def slow(self, name):
        port = ("-n", self.space("hub"), "qdisc", "replace", "dev", f"p{self.place[name]}", "root")
        if subprocess.run(["tc", *port, "netem", "delay", "400ms", "200ms", "loss", "10%"], stderr=subprocess.DEVNULL).returncode:
            subprocess.run(["tc", *port, "tbf", "rate", "12kbit", "burst", "1600", "latency", "2s"], check=True)

    def fast(self, name):
        subprocess.run(["tc", "-n", self.space("hub"), "qdisc", "del", "dev", f"p{self.place[name]}", "root"], check=True)

    def clean(self):
        self.kill_all()
        for name in ["hub", *self.place]:
            ip("netns", "del", self.space(name))

    def faults(self):
        return [cut_agent, cut_controller, cut_relay, blink, slow_one, slow_one, faults.kill_controller, faults.kill_agent, faults.kill_relay]

def cut_agent(f, rng):
    i = rng.randrange(AGENTS)
    f.link(f"agent{i}", "down")
    f.wait_for(f"that nic{i} is back when it is cut off", lambda: f.is_back(i))
    time.sleep(rng.uniform(0, 2))
    if not f.is_back(i):
        raise SystemExit(f"faults.py: nic{i} was set while it was cut off")
    f.link(f"agent{i}", "up")

def cut_controller(f, rng):
    f.link("controller", "down")
    f.wait_for("that all devices are back when the controller is cut off", f.all_back)
    f.link("controller", "up")

# Its agents connect directly to the controller.
def cut_relay(f, rng):
    f.link("relay", "down")
    f.wait_for("that devices behind the relay are back", lambda: all(f.is_back(i) for i in range(RELAYED)))
    f.link("relay", "up")

def blink(f, rng):
    name = rng.choice(list(f.place))
    for _ in range(rng.randrange(1, 6)):
        f.link(name, "down")
        time.sleep(rng.uniform(0, 0.4))
        f.link(name, "up")
        time.sleep(rng.uniform(0, 0.4))

def slow_one(f, rng):
    name = rng.choice(list(f.place))
    f.slow(name)
    end = time.monotonic() + rng.uniform(1, 6)
    while time.monotonic() < end:
        f.check()
        time.sleep(0.02)
    f.fast(name)

KINDS = {"etcd": Etcd, "switch": Switch, "net": Net}
