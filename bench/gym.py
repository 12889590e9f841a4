#!/usr/bin/env python3
"""bench/gym.py - how many steps of agents per second anole gym makes with Python.

    PYTHONPATH=python ANOLE=build/release/anole bench/gym.py [SCENARIO] [STEPS]

All-to-all of 4 hosts with 16 queue pairs between each two, as in bench/bench_env.c, in one world and in 16 worlds. A simple
rule decides. Prints a line each for batches (anole.Client) and for rows (anole.VectorEnv). Times are CPU times of both
programs together: the simulator waits while Python computes.
"""
import resource
import sys

import numpy as np

import anole


def decide(delta):
    return np.where(delta > 2, 0.7, np.where(delta > 0, 0.95, 1.02))


def cpu_s():
    """CPU time of this process and of the simulators that have ended."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def bench_client(scenario, settings, worlds, steps):
    start, batches = cpu_s(), 0
    with anole.Client(scenario, settings=settings, worlds=worlds) as client:
        batch = client.reset(1)
        while batch.steps < steps and not batch.over:
            batch = client.act(decide(batch.x[:, 3]))
            batches += 1
    return batch.steps / (cpu_s() - start), batch.steps / batches


def bench_vector(scenario, settings, worlds, steps):
    start = cpu_s()
    env = anole.VectorEnv(scenario, settings=settings, worlds=worlds)
    obs, _ = env.reset(seed=1)
    while env.batch.steps < steps:
        obs, _, _, over, _ = env.step(decide(obs[:, 3]))
        if over.all():
            break
    env.close()
    return env.batch.steps / (cpu_s() - start)


def main():
    scenario = sys.argv[1] if len(sys.argv) > 1 else "all_to_all:4_16"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 400_000
    for mtu in (1024, 4096):
        for worlds in (1, 16):
            settings = {"host.mtu": mtu}
            name = f"mtu{mtu}.worlds{worlds}"
            rate, size = bench_client(scenario, settings, worlds, steps)
            print(f"gym.python.client.{name} {rate / 1e6:.3f} Msteps/s")
            print(f"gym.python.batch.{name} {size:.1f} agents")
            print(f"gym.python.vector.{name} {bench_vector(scenario, settings, worlds, steps) / 1e6:.3f} Msteps/s", flush=True)


if __name__ == "__main__":
    main()
