#!/usr/bin/env python3
# tests/live/faults.py ANOLE [--faults N] [--seed S] [--kind plain|etcd|switch|net|all] - tests the promises
# of docs/live.md on real processes.
#
# Kind plain has a controller, a relay and four agents, two of them behind the relay. NICs are file trees, and
# trials never end. Faults: kill -9 or SIGSTOP of the controller, the relay or an agent; a second controller;
# an operator at a device; a power cut of everything. After each fault, every device returns to its confirmed
# setting. If the fault leaves the fabric whole, a device may also hold a value under trial. Files contain
# only digits, and no file is created. At the end all logs are intact, and each explains the values of its
# device. The other kinds are in fault_kinds.py: two controllers and an etcd, a switch with ACC, cut and slow
# networks.
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

AGENTS = 4
RELAYED = 2                      # number of agents behind the relay
KNOBS = {"rpg_ai_rate": 5, "rpg_hai_rate": 50}
TRIED = {"rpg_ai_rate": 50, "rpg_hai_rate": 150}
LEASE_S = 1.0
PATIENCE_S = 30

def knob_path(root, knob):
    return f"{root}/sys/class/net/eth7/ecn/roce_rp/{knob}"

class Fabric:
    PACE_S = 8                   # longest wait for a trial before a fault

    def __init__(self, anole, folder):
        self.anole, self.folder, self.process = anole, folder, {}
        self.port = random.SystemRandom().randint(20000, 40000)
        self.confirmed = [dict(KNOBS) for _ in range(AGENTS)]
        for i in range(AGENTS):
            self.make_nic(i)
        self.write("relay.yaml", f"""
name: rack
listen: 127.0.0.1:{self.port + 1}
controller: 127.0.0.1:{self.port}
silence: 700ms
""")
        for c in range(2):
            self.write(f"controller{c}.yaml", f"""
name: c{c}
id: {c + 1}
listen: 127.0.0.1:{self.port}
state: statec{c}
mode: auto
gather: 500ms
tuner: expert
noise_pairs: 3
stage_pairs: 1
block: 4
burn_in: 1
halves_max: 1000000
accept: 1000000000
""")

    def write(self, path, text):
        with open(f"{self.folder}/{path}", "w") as f:
            f.write(text)

    def make_nic(self, i):
        root = f"{self.folder}/nic{i}"
        port = f"{root}/sys/class/infiniband/mlx5_0/ports/1"
        for d in (f"{port}/counters", f"{port}/hw_counters", f"{port}/gid_attrs/ndevs", f"{root}/ethtool",
                  os.path.dirname(knob_path(root, "x"))):
            os.makedirs(d)
        for path, text in ((f"{port}/gid_attrs/ndevs/0", "eth7\n"), (f"{root}/sys/class/net/eth7/speed", "100000\n"),
                           (f"{port}/counters/port_xmit_data", "1000\n")):
            with open(path, "w") as f:
                f.write(text)
        for knob, value in KNOBS.items():
            with open(knob_path(root, knob), "w") as f:
                f.write(f"{value}\n")
        self.write(f"agent{i}.yaml", f"""
name: host{i}
controller: 127.0.0.1:{self.port}
state: state{i}
root: nic{i}
driver: mlx5
write: yes
gap: 100ms
lease: {LEASE_S}s
switches_per_day: 1000000
freeze_file: {self.folder}/freeze
""" + (f"relays: [127.0.0.1:{self.port + 1}]\n" if i < RELAYED else ""))

    def start(self, name, *words):
        self.start_program(name, self.anole, *words)

    def start_program(self, name, *words):
        log = open(f"{self.folder}/{name}.log", "a")
        self.process[name] = subprocess.Popen(words, cwd=self.folder, stderr=log, stdout=log)
        log.close()

    def start_agent(self, i):
        self.start(f"agent{i}", "agent", f"agent{i}.yaml")

    def start_relay(self):
        self.start("relay", "agent", "--relay", "relay.yaml")

    def start_controller(self, c):
        self.start("controller", "controller", f"controller{c}.yaml")

    def kill(self, name):
        p = self.process.pop(name)
        p.send_signal(signal.SIGCONT)
        p.kill()
        p.wait()

    def kill_all(self):
        for name in list(self.process):
            self.kill(name)

    # Returns the value that a device holds. A file that is being written may be empty for an instant.
    def value(self, i, knob):
        for _ in range(50):
            text = open(knob_path(f"{self.folder}/nic{i}", knob)).read().strip()
            if text:
                break
            time.sleep(0.005)
        if not text.isdigit():
            raise SystemExit(f"faults.py: nic{i} {knob} holds '{text}'")
        return int(text)

    def is_back(self, i):
        return all(self.value(i, k) == v for k, v in self.confirmed[i].items())

    # Checks that devices hold only confirmed values and values under trial.
    def check(self):
        for i in range(AGENTS):
            for knob in KNOBS:
                if self.value(i, knob) not in (self.confirmed[i][knob], TRIED[knob]):
                    raise SystemExit(f"faults.py: nic{i} {knob} is {self.value(i, knob)}")
            found = sorted(os.listdir(os.path.dirname(knob_path(f"{self.folder}/nic{i}", "x"))))
            if found != sorted(KNOBS):
                raise SystemExit(f"faults.py: nic{i} has {found}")

    def wait_for(self, what, is_true):
        end = time.monotonic() + PATIENCE_S
        while not is_true():
            self.check()
            if time.monotonic() > end:
                raise SystemExit(f"faults.py: {what} did not happen in {PATIENCE_S} s")
            time.sleep(0.02)

    def all_back(self):
        return all(self.is_back(i) for i in range(AGENTS))

    def begin(self):
        self.start_controller(0)
        self.start_relay()
        for i in range(AGENTS):
            self.start_agent(i)

    # Whether enough changes were tried. A few faults may have left no time for a trial.
    def has_tried(self, least):
        return applied(self) > least

    # Checks that no change is open and the logs have all changes. Returns their number.
    def end(self):
        self.kill("controller")
        self.wait_for("that all devices are back in the end", self.all_back)
        check_logs(self)
        return applied(self)

    def clean(self):
        self.kill_all()

    def faults(self):
        return FAULTS

# ---- faults ----

def kill_controller(f, rng):
    f.kill("controller")
    f.wait_for("that all devices are back without a controller", f.all_back)
    f.start_controller(rng.randrange(2))

def swap_controllers(f, rng):
    f.kill("controller")
    f.start_controller(rng.randrange(2))

def kill_agent(f, rng):
    i = rng.randrange(AGENTS)
    f.kill(f"agent{i}")
    f.start_agent(i)
    f.wait_for(f"that nic{i} is back", lambda: f.is_back(i))

def rescue_agent(f, rng):
    i = rng.randrange(AGENTS)
    f.kill(f"agent{i}")
    if subprocess.call([f.anole, "agent", f"agent{i}.yaml", "--rescue"], cwd=f.folder):
        raise SystemExit("faults.py: --rescue failed")
    if not f.is_back(i):
        raise SystemExit(f"faults.py: nic{i} is not back after --rescue")
    f.start_agent(i)

def stop_agent(f, rng):
    i = rng.randrange(AGENTS)
    f.process[f"agent{i}"].send_signal(signal.SIGSTOP)
    time.sleep(rng.uniform(0.1, 2))
    f.process[f"agent{i}"].send_signal(signal.SIGCONT)
    f.wait_for(f"that nic{i} is back", lambda: f.is_back(i))

def stop_controller(f, rng):
    f.process["controller"].send_signal(signal.SIGSTOP)
    f.wait_for("that all devices are back without a word", f.all_back)
    f.process["controller"].send_signal(signal.SIGCONT)

def kill_everything(f, rng):
    f.kill_all()
    for i in range(AGENTS):
        f.start_agent(i)
    f.wait_for("that all devices are back after a power cut", f.all_back)
    f.start_relay()
    f.start_controller(rng.randrange(2))

# Its agents bypass the relay or return to it; nothing else may happen.
def kill_relay(f, rng):
    f.kill("relay")
    time.sleep(rng.uniform(0, 2))
    f.start_relay()

def stop_relay(f, rng):
    f.process["relay"].send_signal(signal.SIGSTOP)
    f.wait_for("that devices behind the relay are back", lambda: all(f.is_back(i) for i in range(RELAYED)))
    f.process["relay"].send_signal(signal.SIGCONT)

def freeze(f, rng):
    f.write("freeze", "")
    f.wait_for("that all devices are back when frozen", f.all_back)
    os.unlink(f"{f.folder}/freeze")

FAULTS = [kill_controller, swap_controllers, kill_agent, rescue_agent, stop_agent, stop_controller, kill_everything, freeze, kill_relay,
          stop_relay]

# ---- the end ----

def check_logs(f):
    for i in range(AGENTS):
        log = f"{f.folder}/state{i}/mlx5_0/audit.jsonl"
        subprocess.check_call([f.anole, "ctl", "verify", log], stdout=subprocess.DEVNULL)
        explained = [json.loads(line).get("new", {}) for line in open(log)]
        terms = [r["term"] for r in map(json.loads, open(log)) if r["what"] == "apply"]
        if terms != sorted(terms):
            raise SystemExit(f"faults.py: an older controller wrote to nic{i} after a newer one")
        for knob in KNOBS:
            if not any(new.get(knob) == f.value(i, knob) for new in explained):
                raise SystemExit(f"faults.py: the log does not explain {knob} of nic{i}")
    for c in range(2):
        log = f"{f.folder}/statec{c}/audit.jsonl"
        if os.path.exists(log):
            subprocess.check_call([f.anole, "ctl", "verify", log], stdout=subprocess.DEVNULL)

def applied(f):
    return sum(line.count('"what":"apply"') for i in range(AGENTS) for line in open(f"{f.folder}/state{i}/mlx5_0/audit.jsonl"))

# Causes one fault after another; returns the number of changes applied meanwhile.
def run(f, faults, rng):
    f.begin()
    for _ in range(faults):
        end = time.monotonic() + rng.uniform(0, f.PACE_S)
        while time.monotonic() < end and f.all_back():           # often during a trial
            f.check()
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.3))
        rng.choice(f.faults())(f, rng)
        f.check()
    f.wait_for("that something is tried in spite of it", lambda: f.has_tried(faults / 4))
    return f.end()

def run_kind(kind, args):
    import fault_kinds
    make = {"plain": Fabric, **fault_kinds.KINDS}[kind]
    why = fault_kinds.missing(kind)
    if why:
        print(f"{kind}: skipped: {why}")
        return True
    folder = tempfile.mkdtemp(prefix="anole-faults-")
    f = make(os.path.abspath(args.anole), folder)
    is_good = False
    try:
        count = run(f, args.faults, random.Random(args.seed))
        print(f"{kind}: {args.faults} faults, {count} changes applied, every device whole, every log whole", flush=True)
        is_good = count > args.faults / 4
        if not is_good:
            print("faults.py: hardly anything was tried", file=sys.stderr)
        return is_good
    finally:
        f.clean()
        if is_good:
            shutil.rmtree(folder)
        else:
            print(f"faults.py: see {folder}", file=sys.stderr)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("anole")
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["plain", "etcd", "switch", "net", "all"], default="plain")
    args = parser.parse_args()
    kinds = ["plain", "etcd", "switch", "net"] if args.kind == "all" else [args.kind]
    return 0 if all([run_kind(kind, args) for kind in kinds]) else 1

if __name__ == "__main__":
    sys.modules["faults"] = sys.modules["__main__"]              # imported by fault_kinds.py
    sys.exit(main())
