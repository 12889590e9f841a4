#!/usr/bin/env python3
# tests/live/stalls.py ANOLE [--trials N] [--kind fsync|stderr|hang|stop|kill|guards|all|each] - measures how long NICs
# keep a trial's value when something stalls their agent.
#
# A controller and an agent with six NICs, which are file trees. During a trial something stalls, an operator freezes
# the fabric, and every healthy NIC must be back at its baseline 3.1 s later (docs/live.md, "The bound"):
#
#   fsync    every fsync() of the agent hangs
#   stderr   nobody reads the agent's standard error: the pipe is full
#   hang     writes to one NIC hang
#   stop     the agent is stopped (SIGSTOP)
#   kill     the agent is killed
#   guards   the guards are killed: the agent reverts
#   all      the first four together
#
# Then the stall ends. What was held up must not be written late: no NIC may leave its baseline while the fabric is
# frozen. 'each' does all of them in turn. Stalls are caused by a library for LD_PRELOAD (preload/stall.c).
import argparse
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NICS = 6
KNOBS = {"rpg_ai_rate": "5", "rpg_hai_rate": "50"}
BOUND_S = 3.1
KINDS = ["fsync", "stderr", "hang", "stop", "kill", "guards", "all"]

class Stalls:
    def __init__(self, anole, folder):
        self.anole, self.folder = anole, folder
        self.port = random.SystemRandom().randint(20000, 40000)
        self.agent = self.controller = None
        self.slowest = {}
        for i in range(NICS):
            self.make_nic(i)
        os.mkdir(f"{folder}/stall")
        self.library = f"{folder}/stall.so"
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preload", "stall.c")
        subprocess.check_call([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", self.library, source, "-ldl"])
        self.write("controller.yaml", f"""
name: c1
listen: 127.0.0.1:{self.port}
state: statec
mode: auto
tuner: expert
noise_pairs: 3
stage_pairs: 1
block: 4
burn_in: 1
halves_max: 1000000
accept: 1000000000
""")
        self.write("agent.yaml", f"""
name: host1
controller: 127.0.0.1:{self.port}
state: state1
root: nics
driver: mlx5
write: yes
gap: 100ms
switches_per_day: 1000000
""")

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

    def tried(self):
        return [i for i in range(NICS) if not self.holds_baseline(i)]

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
                stat = open(f"/proc/{pid}/stat").read()
            except OSError:
                continue
            if stat.split(" (", 1)[1].startswith("anole-guard)") and int(stat.rsplit(") ", 1)[1].split()[1]) == self.agent.pid:
                found.append(int(pid))
        return found

    def ctl(self, *words):
        subprocess.check_call([self.anole, "ctl", "--address", f"127.0.0.1:{self.port}", *words], cwd=self.folder,
                              stdout=subprocess.DEVNULL)

    # ---- a trial ----

    def wait_for(self, what, is_true, patience_s=60):
        end = time.monotonic() + patience_s
        while not is_true():
            self.read_log()
            if self.agent.poll() is not None:
                raise SystemExit(f"stalls.py: the agent has ended: {self.agent.returncode}")
            if time.monotonic() > end:
                raise SystemExit(f"stalls.py: {what} did not happen in {patience_s} s")
            time.sleep(0.01)

    def cause(self, kind, sick):
        if kind in ("fsync", "all"):
            self.write("stall/fsync", "")
        if kind in ("hang", "all"):
            self.write("stall/hang", f"/eth{sick}/")
        if kind in ("stderr", "all"):
            self.fill_log()
        if kind == "guards":
            for pid in self.guards():
                os.kill(pid, signal.SIGKILL)
        if kind == "kill":
            self.agent.kill()

    def is_stalled_log(self, kind):
        return kind in ("stderr", "all")

    # Returns how long healthy NICs kept a value under trial. 'since': the last word of a controller, at the latest. An
    # agent that is neither stopped nor killed hears it until the order to freeze has come.
    def measure(self, kind, healthy, since, freezer):
        back = dict.fromkeys(healthy)
        until = since + 20
        hears = kind not in ("stop", "kill", "all")
        while time.monotonic() < min(until, since + 8):
            if hears:
                since = time.monotonic()
                hears = freezer.poll() is None
            if not self.is_stalled_log(kind):
                self.read_log()
            for i in healthy:
                if self.holds_baseline(i):
                    back[i] = back[i] or time.monotonic()
                elif back[i] and time.monotonic() > since + BOUND_S:
                    raise SystemExit(f"stalls.py: {kind}: NIC {i} has left its baseline again")
                else:
                    back[i] = None
            if not hears and all(back.values()) and time.monotonic() > since + 0.5:
                break
            time.sleep(0.002)
        late = [i for i in healthy if not back[i] or back[i] > since + BOUND_S]
        if late:
            times = [f"{back[i] - since:.3f} s" if back[i] else "never" for i in late]
            raise SystemExit(f"stalls.py: {kind}: NICs {late} were not back {BOUND_S} s after the last word: {times}")
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
                    raise SystemExit(f"stalls.py: {kind}: NICs {left} have left their baseline although frozen")
            time.sleep(0.002)

    def trial(self, kind, rng):
        self.wait_for("a trial", lambda: len(self.tried()) >= 2)
        end = time.monotonic() + rng.uniform(0, 0.6)
        while time.monotonic() < end:
            self.read_log()
            time.sleep(0.01)
        sick = rng.choice(self.tried() or [0])
        self.cause(kind, sick)
        if kind in ("stop", "all"):
            if kind == "all":
                time.sleep(rng.uniform(0, 0.05))
            self.agent.send_signal(signal.SIGSTOP)
        healthy = [i for i in range(NICS) if kind not in ("hang", "all") or i != sick]
        was_tried = [i for i in healthy if i in self.tried()]
        since = time.monotonic()
        freezer = subprocess.Popen([self.anole, "ctl", "--address", f"127.0.0.1:{self.port}", "freeze"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took = self.measure(kind, healthy, since, freezer)
        freezer.wait()
        self.slowest[kind] = max(self.slowest.get(kind, 0), took)
        # the stall ends: what it held up may come now
        self.stay_back(kind, healthy, rng.uniform(0, 0.5))
        for name in ("fsync", "hang"):
            if os.path.exists(f"{self.folder}/stall/{name}"):
                os.unlink(f"{self.folder}/stall/{name}")
        self.agent.send_signal(signal.SIGCONT)
        self.stay_back("", healthy, 0.5)
        if kind == "kill":
            self.agent.wait()
            self.end_agent()
            self.start_agent()
        self.wait_for("that all NICs are back after the stall", lambda: not self.tried())
        self.ctl("thaw")
        return len(was_tried)

    def check_logs(self):
        for i in range(NICS):
            subprocess.check_call([self.anole, "ctl", "verify", f"{self.folder}/state1/mlx5_{i}/audit.jsonl"],
                                  stdout=subprocess.DEVNULL)

    def run(self, kinds, trials, rng):
        self.start_controller()
        self.start_agent()
        for kind in kinds:
            held = sum(self.trial(kind, rng) for _ in range(trials))
            if held < trials:
                raise SystemExit(f"stalls.py: {kind}: only {held} NICs held a value in {trials} trials")
            print(f"{kind}: {trials} trials, {held} NICs held a value, back after at most {self.slowest[kind]:.3f} s", flush=True)
        self.end_agent()
        self.check_logs()

    def clean(self):
        if self.agent and self.agent.poll() is None:
            self.end_agent()
        if self.controller:
            self.controller.kill()
            self.controller.wait()

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("anole")
    parser.add_argument("--trials", type=int, default=int(os.environ.get("STALL_TRIALS", "2")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS + ["each"], default="each")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="anole-stalls-")
    s = Stalls(os.path.abspath(args.anole), folder)
    is_good = False
    try:
        s.run(KINDS if args.kind == "each" else [args.kind], args.trials, random.Random(args.seed))
        is_good = True
    finally:
        s.clean()
        if is_good:
            shutil.rmtree(folder)
        else:
            print(f"stalls.py: see {folder}", file=sys.stderr)
    return 0

if __name__ == "__main__":
    sys.exit(main())
