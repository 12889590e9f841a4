#!/usr/bin/env python3
# tests/live/stalls.py ANOLE [--trials N] [--kind KIND|each] [--jobs N] [--stall S] - measures how long devices keep a
# trial's value when something stalls their agent.
#
# A controller and an agent with six NICs, which are file trees, or with a switch, which is anole-switch. During a trial
# something stalls, an operator freezes the fabric, and every healthy NIC must be back at its baseline 3.1 s later, the
# switch 30.1 s (docs/live.md, "The bound"):
#
#   fsync    every fsync() of the agent hangs
#   stderr   nobody reads the agent's standard error: the pipe is full
#   hang     writes to one NIC hang
#   stop     the agent is stopped (SIGSTOP)
#   cgroup   the control group of the agent is frozen, without its guards; needs root and cgroup 2
#   group    the same with its guards: nothing can revert, but all are back 0.5 s after it goes on
#   disk     the disk of agent and controller is full; needs root, for a small tmpfs
#   kill     the agent is killed
#   guards   the guards are killed: the agent reverts
#   all      the first four together
#   switch-fsync, -stderr, -stop, -kill, -all: the same for the agent of a switch; needs redis-server
#
# Then the stall ends, at the earliest after --stall seconds. What was held up must not be written late: no device may
# leave its baseline while the fabric is frozen. 'each' does all of them in turn, and leaves out what it cannot do.
# Stalls are caused by a library for LD_PRELOAD (preload/stall.c). --jobs: so many agents side by side.
import argparse
import concurrent.futures
import contextlib
import ctypes
import fcntl
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from fault_kinds import Redis

NICS = 6
KNOBS = {"rpg_ai_rate": "5", "rpg_hai_rate": "50"}
KINDS = ["fsync", "stderr", "hang", "stop", "cgroup", "group", "disk", "kill", "guards", "all"]
SWITCH_KINDS = ["switch-fsync", "switch-stderr", "switch-stop", "switch-kill", "switch-all"]
GROUPS = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
BALLAST_MB = 64
FOLDER = "/dev/shm"              # files of devices do not wait for a disk
POLL_S, WATCH_S = 0.01, 0.05     # between looks: at what is to be reverted, and at what must stay

class Failure(Exception):
    pass

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

def group_root():
    return next((g for g in GROUPS if os.path.exists(f"{g}/cgroup.procs") and os.access(g, os.W_OK) and os.geteuid() == 0), None)

# Why this kind cannot be tried here; None: it can.
def missing(kind):
    if kind in ("cgroup", "group") and not group_root():
        return "no right to make a control group (cgroup 2)"
    if kind == "disk" and os.geteuid():
        return "mounting a tmpfs needs root"
    if kind.startswith("switch-") and not shutil.which("redis-server"):
        return "no redis-server"
    return None

# What is stalled: the agent of six NICs. SwitchStalls below is the same for a switch.
class Stalls:
    BOUND_S = 3.1
    AGENT = f"driver: mlx5\nroot: nics\n"
    DEVICES = [f"mlx5_{i}" for i in range(NICS)]
    NAME, BLOCK = "NIC", 4

    def __init__(self, anole, folder, library, stall_s):
        self.anole, self.folder, self.library, self.stall_s = anole, folder, library, stall_s
        self.port = free_port()
        self.agent = self.controller = None
        self.slowest, self.held = 0, 0
        self.mounted = self.group = None
        for name in ("stall", "disk"):
            os.mkdir(f"{folder}/{name}")
        self.write("controller.yaml", f"""
name: c1
listen: 127.0.0.1:{self.port}
state: disk/statec
mode: auto
tuner: expert
noise_pairs: 3
stage_pairs: 1
block: {self.BLOCK}
burn_in: 1
halves_max: 1000000
stale: 15
accept: 1000000000
""")
        self.write("agent.yaml", f"""
name: host1
controller: 127.0.0.1:{self.port}
state: disk/state1
write: yes
gap: 100ms
switches_per_day: 1000000
""" + self.AGENT)

    def make_devices(self):
        for i in range(NICS):
            self.make_nic(i)

    def write(self, path, text):
        with open(f"{self.folder}/{path}", "w") as f:
            f.write(text)

    def knob_path(self, i, knob):
        return f"{self.folder}/nics/sys/class/net/eth{i}/ecn/roce_rp/{knob}"

    def make_nic(self, i):
        root = f"{self.folder}/nics"
        port = f"{root}/sys/class/infiniband/mlx5_{i}/ports/1"
        for d in (f"{port}/counters", f"{port}/hw_counters", f"{port}/gid_attrs/ndevs", os.path.dirname(self.knob_path(i, "x"))):
            os.makedirs(d)
        os.makedirs(f"{root}/ethtool", exist_ok=True)
        for path, text in ((f"{port}/gid_attrs/ndevs/0", f"eth{i}\n"), (f"{root}/sys/class/net/eth{i}/speed", "100000\n"),
                           (f"{port}/counters/port_xmit_data", "1000\n"),
                           (f"{root}/ethtool/eth{i}", "rx_prio3_pause_duration: 0\n")):
            with open(path, "w") as f:
                f.write(text)
        for knob, value in KNOBS.items():
            with open(self.knob_path(i, knob), "w") as f:
                f.write(f"{value}\n")

    # A file that is being written is empty for an instant: it holds neither value.
    def holds_baseline(self, i):
        return all(open(self.knob_path(i, k)).read().strip() == v for k, v in KNOBS.items())

    # When it was written last, by time.monotonic(): the file knows, however late this process looks.
    def written(self, i):
        ago = time.time_ns() - max(os.stat(self.knob_path(i, k)).st_mtime_ns for k in KNOBS)
        return time.monotonic() - ago / 1e9

    def tried(self):
        return [i for i in range(len(self.DEVICES)) if not self.holds_baseline(i)]

    # ---- processes ----

    def start_controller(self):
        log = open(f"{self.folder}/controller.log", "a")
        self.controller = subprocess.Popen([self.anole, "controller", "controller.yaml"], cwd=self.folder, stderr=log, stdout=log)

    # The agent writes its log into a small pipe, which this process reads unless it stalls it.
    def start_agent(self):
        self.log_read, self.log_write = os.pipe()
        fcntl.fcntl(self.log_write, 1031, 4096)                  # F_SETPIPE_SZ
        os.set_blocking(self.log_read, False)
        env = dict(os.environ, LD_PRELOAD=self.library, STALL=f"{self.folder}/stall")
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0"
        self.agent = subprocess.Popen([self.anole, "agent", "agent.yaml"], cwd=self.folder, env=env, stderr=self.log_write,
                                      stdout=subprocess.DEVNULL)

    def read_log(self):
        try:
            text = os.read(self.log_read, 65536).decode(errors="replace")
        except BlockingIOError:
            return
        with open(f"{self.folder}/agent.log", "a") as f:
            f.write(text)

    def fill_log(self):
        flags = fcntl.fcntl(self.log_write, fcntl.F_GETFL)
        other = os.open(f"/proc/self/fd/{self.log_write}", os.O_WRONLY | os.O_NONBLOCK)
        assert not flags & os.O_NONBLOCK
        try:
            while True:
                os.write(other, b"#" * 64)
        except BlockingIOError:
            pass
        os.close(other)

    def end_agent(self):
        self.agent.send_signal(signal.SIGCONT)
        self.agent.kill()
        self.agent.wait()
        os.close(self.log_read)
        os.close(self.log_write)

    def guards(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                name, rest = open(f"/proc/{pid}/stat").read().split(" (", 1)[1].rsplit(") ", 1)
            except OSError:
                continue
            state, parent = rest.split()[:2]
            if name == "anole-guard" and int(parent) == self.agent.pid and state != "Z":
                found.append(int(pid))
        return found

    # ---- a trial ----

    # A setting that an agent refused, such as one that has just started, is tried again after a minute.
    def wait_for(self, what, is_true, patience_s=150):
        end = time.monotonic() + patience_s
        while not is_true():
            self.read_log()
            if self.agent.poll() is not None:
                raise Failure(f"the agent has ended: {self.agent.returncode}")
            if time.monotonic() > end:
                raise Failure(f"{what} did not happen in {patience_s} s")
            time.sleep(0.01)

    def fill_disk(self):
        with contextlib.suppress(OSError), open(f"{self.folder}/disk/ballast", "wb", buffering=0) as f:
            for size in (65536, 1):
                with contextlib.suppress(OSError):
                    while f.write(b"#" * size):
                        pass

    def mount_disk(self):
        subprocess.check_call(["mount", "-t", "tmpfs", "-o", f"size={BALLAST_MB}m", "none", f"{self.folder}/disk"])
        self.mounted = f"{self.folder}/disk"

    def freeze_group(self, kind):
        if not self.group:
            self.group = f"{group_root()}/anole-stalls-{os.getpid()}"
            os.mkdir(self.group)
        for pid in [self.agent.pid] + (self.guards() if kind == "group" else []):
            with open(f"{self.group}/cgroup.procs", "w") as f:
                f.write(str(pid))
        self.order_group("freeze", "1")
        while "frozen 1" not in open(f"{self.group}/cgroup.events").read():
            time.sleep(0.001)

    def order_group(self, what, text):
        with open(f"{self.group}/cgroup.{what}", "w") as f:
            f.write(text)

    # Everything but the stop.
    def cause(self, kind, sick):
        if kind in ("fsync", "all"):
            self.write("stall/fsync", "")
        if kind in ("hang", "all"):
            self.write("stall/hang", f"/eth{sick}/")
        if kind in ("stderr", "all"):
            self.fill_log()
        if kind == "disk":
            self.fill_disk()
        if kind in ("cgroup", "group"):
            self.freeze_group(kind)
        if kind == "guards":
            for pid in self.guards():
                os.kill(pid, signal.SIGKILL)
        if kind == "kill":
            self.agent.kill()
        if kind in ("stop", "all"):
            self.agent.send_signal(signal.SIGSTOP)

    def end_stall(self):
        for path in ("stall/fsync", "stall/hang", "disk/ballast"):
            if os.path.exists(f"{self.folder}/{path}"):
                os.unlink(f"{self.folder}/{path}")
        if self.group:
            self.order_group("freeze", "0")
        self.agent.send_signal(signal.SIGCONT)

    def is_stalled_log(self, kind):
        return kind in ("stderr", "all")

    # Returns how long healthy devices kept a value under trial. 'since': the last word of a controller, at the latest. An
    # agent that is neither stopped nor killed hears it until the order to freeze has come.
    def measure(self, kind, healthy, since, freezer, bound_s):
        back = dict.fromkeys(healthy)
        hears = kind in ("fsync", "stderr", "hang", "disk", "guards")
        end = since + bound_s + 17
        while time.monotonic() < min(end, since + bound_s + 5):
            if hears:
                since = time.monotonic()
                hears = freezer.poll() is None
            if not self.is_stalled_log(kind):
                self.read_log()
            for i in healthy:
                if self.holds_baseline(i):
                    back[i] = back[i] or self.written(i)
                elif back[i] and time.monotonic() > since + bound_s:
                    raise Failure(f"{kind}: {self.NAME} {i} has left its baseline again")
                else:
                    back[i] = None
            if not hears and all(back.values()) and time.monotonic() > since + 0.5:
                break
            time.sleep(POLL_S)
        late = [i for i in healthy if not back[i] or back[i] > since + bound_s]
        if late:
            times = [f"{back[i] - since:.3f} s" if back[i] else "never" for i in late]
            raise Failure(f"{kind}: {self.NAME} {late} not back {bound_s} s after the last word: {times}")
        return max(0, max(back.values()) - since)

    def stay_back(self, kind, healthy, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.is_stalled_log(kind):
                self.read_log()
            if [i for i in healthy if not self.holds_baseline(i)]:
                time.sleep(0.01)                                 # it may be empty for an instant
                left = [i for i in healthy if not self.holds_baseline(i)]
                if left:
                    raise Failure(f"{kind}: {self.NAME} {left} left its baseline although frozen")
            time.sleep(WATCH_S)

    def order_freeze(self):
        return subprocess.Popen([self.anole, "ctl", "--address", f"127.0.0.1:{self.port}", "freeze"], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def trial(self, kind, rng):
        self.wait_for("a trial", lambda: len(self.tried()) >= min(2, len(self.DEVICES)))
        end = time.monotonic() + rng.uniform(0, 0.6)
        while time.monotonic() < end:
            self.read_log()
            time.sleep(0.01)
        sick = rng.choice(self.tried() or [0])
        began = time.monotonic()
        healthy = [i for i in range(len(self.DEVICES)) if kind not in ("hang", "all") or self.NAME == "switch" or i != sick]
        self.held += len([i for i in healthy if i in self.tried()])
        self.cause(kind, sick)
        since = time.monotonic()
        freezer = self.order_freeze()
        if kind == "group":                                      # frozen for longer than the lease
            time.sleep(self.BOUND_S + rng.uniform(0, 1))
            self.order_group("freeze", "0")
            since = time.monotonic()
        took = self.measure(kind, healthy, since, freezer, 0.5 if kind == "group" else self.BOUND_S)
        freezer.wait()
        self.slowest = max(self.slowest, took)
        # the stall ends: what it held up may come now
        self.stay_back(kind, healthy, max(rng.uniform(0, 0.5), began + self.stall_s - time.monotonic()))
        self.end_stall()
        self.stay_back("", healthy, 0.5)
        if kind == "kill":
            self.agent.wait()
            self.end_agent()
            self.start_agent()
        self.wait_for("that all are back after the stall", lambda: not self.tried())
        if kind in ("hang", "all"):                              # a guard remembers for ten minutes how slow a write was
            self.replace_guards()
        self.wait_for("a thaw", self.thaw)

    def replace_guards(self):
        old = set(self.guards())
        for pid in old:
            os.kill(pid, signal.SIGKILL)
        self.wait_for("other guards", lambda: len(set(self.guards()) - old) == len(self.DEVICES))

    def thaw(self):
        return subprocess.call([self.anole, "ctl", "--address", f"127.0.0.1:{self.port}", "thaw"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0

    def check_logs(self):
        for name in self.DEVICES:
            subprocess.check_call([self.anole, "ctl", "verify", f"{self.folder}/disk/state1/{name}/audit.jsonl"],
                                  stdout=subprocess.DEVNULL)

    def run(self, kind, trials, rng):
        if kind == "disk":
            self.mount_disk()
        self.make_devices()
        self.start_controller()
        self.start_agent()
        for _ in range(trials):
            self.trial(kind, rng)
        self.end_agent()
        self.check_logs()

    def clean(self):
        if self.agent and self.agent.poll() is None:
            self.end_stall()
            self.end_agent()
        if self.controller:
            self.controller.kill()
            self.controller.wait()
        if self.group:
            for _ in range(200):                                 # guards end a moment after their agent
                with contextlib.suppress(OSError):
                    os.rmdir(self.group)
                    break
                time.sleep(0.05)
        if self.mounted:
            subprocess.call(["umount", "-l", self.mounted])

class SwitchStalls(Stalls):
    BOUND_S = 30.1
    AGENT = "driver: sonic\nroot: sw\ninterval: 100ms\n"
    DEVICES = ["AZURE_LOSSLESS"]
    NAME, BLOCK = "switch", 40   # long enough for a stall to begin while the trial is written
    PORTS = 4
    FOUND = ["1048576", "2097152", "5"]

    def make_devices(self):
        self.switch = self.redis = None
        self.is_over, self.feeder = False, None
        program = os.path.join(os.path.dirname(os.path.realpath(self.anole)), "anole-switch")
        self.switch = subprocess.Popen([program, "sw", str(self.PORTS), "25000"], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
        if b"ready" not in self.switch.stdout.readline():
            raise Failure("the switch did not start")
        self.redis = self.dial(1)
        self.feeder = threading.Thread(target=self.feed)
        self.feeder.start()

    def dial(self, database):
        r = Redis(f"{self.folder}/sw/var/run/redis/redis.sock")
        r.ask("SELECT", database)
        return r

    # Traffic, as syncd reports it.
    def feed(self):
        r, sent = self.dial(2), 0
        while not self.is_over:
            sent += 1000000
            for i in range(self.PORTS):
                r.ask("HSET", "COUNTERS:oid:0x10000000%05x" % i, "SAI_PORT_STAT_IF_OUT_OCTETS", sent)
                r.ask("HSET", "COUNTERS:oid:0x150000000%05x" % i, "SAI_QUEUE_STAT_BYTES", sent, "SAI_QUEUE_STAT_DROPPED_PACKETS", 0)
            time.sleep(0.05)
        r.close()

    def holds_baseline(self, i):
        return self.redis.ask("HMGET", "ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x1300000000000", "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD",
                              "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD", "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY") == self.FOUND

    def written(self, i):
        return time.monotonic()

    def clean(self):
        super().clean()
        self.is_over = True
        if self.feeder:
            self.feeder.join()
        if self.redis:
            self.redis.close()
        if self.switch:
            self.switch.terminate()
            self.switch.wait()

# ---- side by side ----

def run_share(anole, library, kind, trials, seed, stall_s):
    folder = tempfile.mkdtemp(prefix="anole-stalls-", dir=FOLDER if os.access(FOLDER, os.W_OK) else None)
    kind_of = SwitchStalls if kind.startswith("switch-") else Stalls
    s = kind_of(os.path.abspath(anole), folder, library, stall_s)
    is_good = False
    try:
        s.run(kind.removeprefix("switch-"), trials, random.Random(seed))
        is_good = True
    except Failure as why:
        raise Failure(f"{why}; see {folder}") from None
    finally:
        s.clean()
        if is_good:
            shutil.rmtree(folder)
    return s.held, s.slowest

# A worker ends what it has started, also if its parent ends.
def begin_worker():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)                   # PR_SET_PDEATHSIG

def run_kind(pool, args, library, kind):
    shares = [args.trials // args.jobs + (i < args.trials % args.jobs) for i in range(min(args.jobs, args.trials))]
    began = time.monotonic()
    waits = [pool.submit(run_share, args.anole, library, kind, n, args.seed * 1000 + i, args.stall) for i, n in enumerate(shares)]
    results = [w.result() for w in waits]
    held, slowest = sum(r[0] for r in results), max(r[1] for r in results)
    if 2 * held < args.trials:                                   # the one that hangs does not count
        raise Failure(f"{kind}: only {held} devices held a value in {args.trials} trials")
    print(f"{kind}: {args.trials} trials, {held} devices held a value, back after at most {slowest:.3f} s "
          f"({time.monotonic() - began:.0f} s)", flush=True)

def build_library(folder):
    library = f"{folder}/stall.so"
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preload", "stall.c")
    subprocess.check_call([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"])
    return library

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("anole")
    parser.add_argument("--trials", type=int, default=int(os.environ.get("STALL_TRIALS", "2")))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--stall", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS + SWITCH_KINDS + ["each"], default="each")
    args = parser.parse_args()
    kinds = KINDS + SWITCH_KINDS if args.kind == "each" else [args.kind]
    with tempfile.TemporaryDirectory() as folder:
        library = build_library(folder)
        with concurrent.futures.ProcessPoolExecutor(args.jobs, initializer=begin_worker) as pool:
            try:
                for kind in kinds:
                    why = missing(kind)
                    if why:
                        print(f"{kind}: not tried: {why}", flush=True)
                    else:
                        run_kind(pool, args, library, kind)
            except Failure as why:
                pool.shutdown(cancel_futures=True)
                raise SystemExit(f"stalls.py: {why}") from None
    return 0

if __name__ == "__main__":
    sys.exit(main())
