"""Tests of the vector environment against the simulator that $ANOLE names."""
import os
import unittest

import numpy as np

import anole
from anole import vector

WORLD = "many_to_one:4_2"


@unittest.skipUnless(os.environ.get("ANOLE"), "no simulator: $ANOLE is not set")
class VectorTest(unittest.TestCase):
    def open(self, *args, **named):
        env = anole.VectorEnv(*args, settings={"run": "10ms"}, **named)
        self.addCleanup(env.close)
        return env

    def play(self, env, seed):
        """Returns the observations of a whole episode with a simple rule."""
        obs, info = env.reset(seed=seed)
        seen = [(obs, info)]
        while True:
            action = np.where(obs[:, 3:] > 2, 0.6, np.where(obs[:, 3:] > 0, 0.9, 1.05))
            obs, reward, terminated, truncated, info = env.step(action)
            seen.append((obs, info))
            self.assertEqual((8, 4), obs.shape)
            self.assertEqual(np.float32, obs.dtype)
            for row in (reward, terminated, truncated, info["waits"]):
                self.assertEqual((8,), row.shape)
            self.assertFalse(terminated.any())
            self.assertEqual(np.bool_, truncated.dtype)
            if truncated.all():
                return seen
            self.assertFalse(truncated.any())
            self.assertTrue(info["waits"].any())

    def test_spaces(self):
        env = self.open(WORLD)
        self.assertEqual(8, env.num_envs)
        self.assertEqual((4,), env.single_observation_space.shape)
        self.assertEqual((8, 4), env.observation_space.shape)
        self.assertEqual((8, 1), env.action_space.shape)
        self.assertAlmostEqual(1.2, float(env.single_action_space.high[0]), places=6)
        self.assertEqual((8, 1), env.action_space.sample().shape)
        self.assertTrue(env.action_space.contains(env.action_space.sample()))

    def test_an_episode_and_the_same_again(self):
        env = self.open(WORLD)
        first, again, other = self.play(env, 3), self.play(env, 3), self.play(env, 4)
        self.assertEqual(len(first), len(again))
        for (a, info_a), (b, info_b) in zip(first, again):
            np.testing.assert_array_equal(a, b)
            np.testing.assert_array_equal(info_a["waits"], info_b["waits"])
        self.assertNotEqual(len(first), len(other))
        self.assertGreater(env.batch.steps, 100)
        times = [info["now_us"][0] for _, info in first]
        self.assertEqual(times, sorted(times))

    def test_actions_reach_the_rows_that_wait(self):
        """A flow that cuts its rate gets the lower rate, and a waiting flow sees its own last action."""
        env = self.open(WORLD)
        obs, info = env.reset(seed=1)
        last = np.ones(8, np.float32)
        for _ in range(300):
            waits = info["waits"]
            np.testing.assert_allclose(obs[waits, 2], last[waits], rtol=1e-6)
            np.testing.assert_array_equal(info["rate"] <= 1, True)
            action = np.where(obs[:, 3] > 0, np.float32(0.875), np.float32(1.0625))
            last[waits] = action[waits]
            obs, reward, _, over, info = env.step(action)
            if over.all():
                break
            np.testing.assert_allclose(reward, np.where(info["waits"], -obs[:, 3] ** 2, 0), rtol=1e-5)

    def test_seeds_go_on(self):
        env = self.open(WORLD)
        env.reset(seed=5)
        a, _ = env.reset()
        b, _ = env.reset(seed=6)
        np.testing.assert_array_equal(a, b)

    def test_worlds_beside_each_other(self):
        """With two worlds, rows of the first are the same as when it runs alone."""
        both, alone = self.open(WORLD, worlds=2), self.open(WORLD)
        self.assertEqual(16, both.num_envs)
        obs_both, _ = both.reset(seed=3)
        obs, _ = alone.reset(seed=6)
        for _ in range(100):
            np.testing.assert_array_equal(obs_both[0::2], obs)
            obs_both, _, _, over_both, _ = both.step(np.where(obs_both[:, 3] > 0, 0.8, 1.05))
            obs, _, _, over, _ = alone.step(np.where(obs[:, 3] > 0, 0.8, 1.05))
            if over.all() or over_both.all():
                break

    def test_decisions_only(self):
        """Every row is the end of a transition; put together they are what the client sees."""
        env = self.open(WORLD, decisions_only=True)
        client = anole.Client(WORLD, settings={"run": "10ms"})
        self.addCleanup(client.close)
        obs, info = env.reset(seed=3)
        batch, before, transitions = client.reset(3), {}, 0
        while not batch.over:
            self.assertEqual(batch.agent.tolist(), info["agent"].tolist())
            np.testing.assert_array_equal(batch.x, obs)
            for row, agent in enumerate(batch.agent.tolist()):
                self.assertEqual(agent in before, info["has_last"][row])
                if agent in before:
                    transitions += 1
                    np.testing.assert_array_equal(before[agent][0], info["last_obs"][row])
                    self.assertEqual(before[agent][1], info["last_action"][row, 0])
                    # the observation itself names the action before it: this is the same flow's transition
                    np.testing.assert_allclose(obs[row, 2], before[agent][1], rtol=1e-6)
            action = np.where(obs[:, 3] > 0, np.float32(0.875), np.float32(1.0625))
            before.update((agent, (batch.x[row].copy(), action[row])) for row, agent in enumerate(batch.agent.tolist()))
            batch = client.act(action)
            obs, reward, _, over, info = env.step(action[:, None])
            np.testing.assert_array_equal(batch.reward, reward)
            self.assertEqual(batch.over, bool(over.all()))
        self.assertEqual((0, 4), obs.shape)
        self.assertGreater(transitions, 100)
        self.assertEqual(transitions + len(before), batch.steps)
        again, _, _, over, _ = env.step(np.empty((0, 1)))        # the next episode
        self.assertGreater(len(again), 0)

    def test_decisions_of_fewer_rows_than_flows(self):
        env = self.open(WORLD, num_envs=2, decisions_only=True)
        obs, info = env.reset(seed=1)
        for _ in range(200):
            obs, _, _, over, info = env.step(np.full(len(info["agent"]), 0.95))
            if over.all():
                break
            self.assertTrue(0 < len(obs) and max(info["agent"]) < 2)
        self.assertEqual(8, env.batch.agents)

    def test_actions_that_mean_nothing(self):
        for wrong in (np.nan, np.inf, -np.inf, -1, 0, 1e9, 0.0099, 100.1):
            env = self.open(WORLD)
            env.reset(seed=1)
            action = np.ones((8, 1))
            action[5] = wrong
            with self.assertRaisesRegex(ValueError, r"action 5 is .*; a multiplier must be 0.01 \.\. 100"):
                env.step(action)
            env.step(np.ones((8, 1)))                            # nothing was sent
            with self.assertRaisesRegex(ValueError, "action 0 is"):
                env.client.act([wrong] * env.batch.agent.size)
        for edge in (0.01, 100, np.float32(0.01)):
            env.step(np.full(8, edge))

    def test_seeds_that_are_none(self):
        env = self.open(WORLD)
        for seed in (-1, 2 ** 64, np.int64(-5)):
            with self.assertRaisesRegex(ValueError, f"^seed {seed}: a seed is 0 .. 2\\^64 - 1$"):
                env.reset(seed=seed)
        with self.assertRaises(TypeError):
            env.reset(seed=1.5)
        env.reset(seed=np.int64(3))

    def test_the_next_episode_begins_by_itself(self):
        """... with the next seed, unless it is told not to."""
        env, other = self.open(WORLD), self.open(WORLD, autoreset=False)
        env.reset(seed=4)
        want, _ = other.reset(seed=5)
        while True:
            _, _, _, over, _ = env.step(np.ones((8, 1)))
            if over.all():
                break
        obs, reward, _, over, _ = env.step(np.full((8, 1), 0.9))
        np.testing.assert_array_equal(want, obs)
        self.assertFalse(over.any())
        while not other.step(np.ones((8, 1)))[3].all():
            pass
        with self.assertRaisesRegex(RuntimeError, "again when the scenario is over"):
            other.step(np.ones((8, 1)))

    def test_fewer_rows_than_flows(self):
        env = self.open(WORLD, num_envs=3)
        env.reset(seed=1)
        for _ in range(100):
            obs, _, _, over, info = env.step(np.full((3, 1), 0.9))
            self.assertEqual((3, 4), obs.shape)
            if over.all():
                break
        self.assertEqual(8, env.batch.agents)

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(anole.GymError, "is not a world to learn in"):
            anole.VectorEnv("many_to_nobody:4_2", 8)
        with self.assertRaisesRegex(ValueError, "how many flows"):
            anole.VectorEnv("long_short:7")
        with self.assertRaisesRegex(anole.GymError, "no_such_key"):
            anole.VectorEnv(WORLD, settings={"no_such_key": 1})
        env = self.open(WORLD)
        with self.assertRaisesRegex(RuntimeError, "reset"):
            env.step(np.ones((8, 1)))
        env.reset(seed=1)
        with self.assertRaisesRegex(ValueError, "7 actions for 8 rows"):
            env.step(np.ones(7))
        env.close()
        env.close()

    def test_gymnasium_when_it_is_there(self):
        if vector.gymnasium is None:
            self.skipTest("gymnasium is not installed")
        env = self.open(WORLD)
        self.assertIsInstance(env, vector.gymnasium.vector.VectorEnv)
        self.assertIsInstance(env.action_space, vector.gymnasium.spaces.Box)
        obs, _ = env.reset(seed=1)
        self.assertTrue(env.observation_space.contains(obs))


class WorldTest(unittest.TestCase):
    def test_agents_of_worlds(self):
        self.assertEqual(8, anole.world_agents("many_to_one:8_1"))
        self.assertEqual(192, anole.world_agents("all_to_all:4_16"))
        self.assertIsNone(anole.world_agents("scenario.yaml"))


if __name__ == "__main__":
    unittest.main()
