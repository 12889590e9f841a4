"""The environment of one flow against the client, and with Gymnasium and PettingZoo where they are installed."""
import os
import unittest
import warnings

import numpy as np

import anole

try:
    import gymnasium
except ImportError:
    gymnasium = None
try:
    import pettingzoo
except ImportError:
    pettingzoo = None

WORLD = "many_to_one:4_2"
SHORT = {"run": "5ms"}


@unittest.skipUnless(os.environ.get("ANOLE"), "no simulator: $ANOLE is not set")
class EnvTest(unittest.TestCase):
    def open(self, make=anole.Env, *args, **named):
        env = make(*args, settings=SHORT, **named)
        self.addCleanup(env.close)
        return env

    def test_every_step_is_a_decision(self):
        """A whole episode has the transitions that a client sees when all flows follow the same rules."""
        env, client = self.open(anole.Env, WORLD, agent=3), self.open(anole.Client, WORLD)
        obs, info = env.reset(seed=7)
        batch, steps = client.reset(7), 0
        over = False
        while not over:
            while 3 not in batch.agent.tolist():
                batch = client.act(anole.steady(batch.x))
            row = batch.agent.tolist().index(3)
            np.testing.assert_array_equal(batch.x[row], obs)
            self.assertAlmostEqual(float(batch.rate[row]), info["rate"])
            own = 0.8 if obs[3] > 1 else 1.1
            action = anole.steady(batch.x)
            action[row] = own
            batch = client.act(action)
            obs, reward, terminated, over, info = env.step([own])
            steps += 1
            self.assertFalse(terminated)
            if not over:
                np.testing.assert_allclose(obs[2], own, rtol=1e-6)           # it has seen its own action
                np.testing.assert_allclose(reward, -obs[3] ** 2, rtol=1e-5)
        self.assertGreater(steps, 20)
        self.assertGreater(info["steps"], 4 * steps)

    def test_seeds(self):
        env = self.open(anole.Env, WORLD)

        def episode(seed):
            seen = [env.reset(seed=seed)[0]]
            while True:
                obs, _, _, over, _ = env.step([1.02])
                seen.append(obs)
                if over:
                    return np.array(seen)

        first, second, again, then = episode(5), episode(None), episode(5), episode(None)
        np.testing.assert_array_equal(first, again)
        np.testing.assert_array_equal(second, then)
        self.assertFalse(np.array_equal(first, second))
        with self.assertRaisesRegex(ValueError, r"^seed -1: a seed is 0 .. 2\^64 - 1$"):
            env.reset(seed=-1)

    def test_what_is_wrong(self):
        env = self.open(anole.Env, WORLD)
        with self.assertRaisesRegex(RuntimeError, "reset"):
            env.step([1.0])
        env.reset(seed=1)
        for wrong in (np.nan, np.inf, -1, 1e9):
            with self.assertRaisesRegex(ValueError, r"action 0 is .*; a multiplier must be 0.01 \.\. 100"):
                env.step([wrong])
        with self.assertRaisesRegex(ValueError, "2 actions for one flow"):
            env.step([1.0, 1.0])
        env.step(np.float32(1.0))


@unittest.skipUnless(os.environ.get("ANOLE") and gymnasium is not None, "gymnasium is not installed")
class GymnasiumTest(unittest.TestCase):
    def test_the_registered_environment_passes_its_check(self):
        from gymnasium.utils.env_checker import check_env

        env = gymnasium.make("anole/Flow-v0", settings=SHORT)
        self.addCleanup(env.close)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")                      # recommends bounds
            check_env(env.unwrapped)
        self.assertIsInstance(env.unwrapped, anole.Env)

    def test_the_registered_vector_works_with_wrappers(self):
        from gymnasium.wrappers import vector

        env = gymnasium.make_vec("anole/Flows-v0", num_envs=8, settings=SHORT)
        self.assertIsInstance(env.unwrapped, anole.VectorEnv)
        env = vector.DictInfoToList(vector.RecordEpisodeStatistics(vector.NormalizeObservation(env)))
        self.addCleanup(env.close)
        _, infos = env.reset(seed=1)
        self.assertEqual([8, {"waits", "rate", "rtt_us", "now_us"}], [len(infos), set(infos[0])])
        episodes = 0
        while episodes < 2:
            _, _, _, over, infos = env.step(np.full((8, 1), 0.95, np.float32))
            episodes += int(over.all())
        self.assertIn("episode", infos[0])

    def test_vectors_of_single_environments(self):
        env = gymnasium.make_vec("anole/Flow-v0", num_envs=2, vectorization_mode="sync", settings=SHORT)
        self.addCleanup(env.close)
        obs, _ = env.reset(seed=1)
        for _ in range(20):
            obs, *_ = env.step(np.full((2, 1), 0.95, np.float32))
        self.assertEqual((2, 4), obs.shape)
        self.assertFalse(np.array_equal(obs[0], obs[1]))         # seeds 1 and 2


@unittest.skipUnless(os.environ.get("ANOLE") and pettingzoo is not None, "pettingzoo is not installed")
class ZooTest(unittest.TestCase):
    def test_its_own_test(self):
        from pettingzoo.test import parallel_api_test

        env = anole.zoo.parallel_env(WORLD, settings=SHORT)
        self.addCleanup(env.close)
        parallel_api_test(env, num_cycles=300)

    def test_it_is_the_vector(self):
        env, same = anole.zoo.parallel_env(WORLD, settings=SHORT), anole.VectorEnv(WORLD, settings=SHORT)
        self.addCleanup(env.close)
        self.addCleanup(same.close)
        got, _ = env.reset(seed=2)
        want, _ = same.reset(seed=2)
        for _ in range(50):
            np.testing.assert_array_equal(want, [got[f"flow_{row}"] for row in range(8)])
            got, *_, infos = env.step({agent: [0.95] for agent in env.agents})
            want, *_, info = same.step(np.full((8, 1), 0.95))
            self.assertEqual(info["waits"].tolist(), [infos[f"flow_{row}"]["waits"] for row in range(8)])


if __name__ == "__main__":
    unittest.main()
