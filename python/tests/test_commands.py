"""Every command from Python, its tables, and its folder read again; against the program's own output where that is cheap."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import anole

STAR = {"topology": {"kind": "star", "hosts": 5}, "traffic": [{"kind": "incast", "senders": 4, "size": "300KB"}]}
MIXED = {"topology": {"kind": "star", "hosts": 6, "rate": "100Gbps", "delay": "1us"}, "interval": "50us", "run": "600us", "seed": 4,
         "knobs": {"kmin": "100KB", "kmax": "400KB", "pmax": 0.2},
         "traffic": [{"kind": "poisson", "load": 0.4, "sizes": "FB_Hadoop"},
                     {"kind": "incast", "name": "burst", "senders": 5, "size": "64KB", "start": "20us", "period": "150us"}]}


def printed(*arguments):
    """Returns the JSON that the program prints."""
    return json.loads(subprocess.run([os.environ["ANOLE"], *arguments], capture_output=True, text=True, check=True).stdout)


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.where = pathlib.Path(folder.name)

    def read_again(self, made, kind):
        """Reads the folder of a result, with and without its kind."""
        again = anole.read(made.folder)
        self.assertIs(type(again), kind)
        self.assertIs(type(anole.read(made.folder, kind)), kind)
        self.assertEqual(again.tables, made.tables)
        self.assertEqual(repr(again), repr(made))
        return again

    def check_frame(self, frame_of, rows):
        """A frame has the rows of the table, where pandas is there."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                frame_of()
            return
        frame = frame_of()
        self.assertEqual(len(frame), len(rows))
        self.assertEqual(list(frame.columns), list(rows[0]))

    def test_sweep(self):
        made = anole.sweep(STAR, {"kmin": "5KB..100KB"}, vary={"cc": ["dcqcn", "none"]}, samples=2, seeds=[3, 4], out=self.where / "s")
        path = self.where / "star.yaml"
        path.write_text(json.dumps(STAR))
        want = printed("sweep", str(path), "--range", "kmin=5KB..100KB", "--vary", "cc=dcqcn,none", "-N", "2", "--seed-list", "3,4",
                       "--format", "json")
        self.assertEqual(made.settings, [row["set"] for row in want["settings"]])
        self.assertEqual(made["slowdown_p99"].tolist(), [row["metrics"]["slowdown_p99"] for row in want["settings"]])
        self.assertAlmostEqual(made.own["slowdown_p99"], want["own"]["slowdown_p99"], places=9)
        self.assertEqual((len(made), made.ranked_by, repr(made)), (4, "slowdown_p99", want["answer"]["finding"]))
        self.check_frame(made.frame, list(made.table("sweep")))
        self.assertEqual(self.read_again(made, anole.Sweep).comparison.baseline, "as in the scenario")
        # a setting can be run
        alone = [anole.run(STAR, set=made.settings[0], seed=seed).summary["all"]["slowdown_p99"] for seed in (3, 4)]
        self.assertAlmostEqual(sum(alone) / 2, made["slowdown_p99"][0], places=9)

    def test_compare_is_read_again(self):
        made = anole.compare(STAR, {"a": {}, "b": {"kmin": "40KB"}}, seeds=1, out=self.where / "c")
        self.assertEqual(self.read_again(made, anole.Comparison)["fct_us_p99"], made["fct_us_p99"])

    def test_tune(self):
        made = anole.tune(MIXED, "random", set={"tuner.budget": 10}, check=2, out=self.where / "t")
        self.assertIn(made.verdict, ("better", "unclear", "worse", "same"))
        self.assertEqual(len(made.steps), 1 + made.data["intervals"])
        self.assertIn("kmin", made.knobs)
        self.read_again(made, anole.Tuning)
        fixed = anole.run(MIXED, set={"tuner.kind": "fixed", "tuner.setting": made.setting})
        self.assertGreater(fixed.summary["all"]["flows"], 10)
        with self.assertRaisesRegex(anole.RunError, "is not the folder of anole advise"):
            anole.advise(MIXED, out=made.folder)

    def test_advise(self):
        made = anole.advise(MIXED, budget=5, seed=2, out=self.where / "a")
        rows = list(made.table("settings"))
        self.assertEqual({row["load"] for row in rows if row["name"] == "yours"}, {0.5, 1.0, 1.5})
        self.assertGreater(min(made["slowdown_mean.all"]), 1)
        self.assertEqual(made.keeps_yours, made.advised == "yours")
        self.assertEqual(made.keeps_yours, not list(made.table("changes")))
        self.check_frame(made.frame, [{name: row.get(name) for name in made.table("settings").columns} for row in rows])
        self.read_again(made, anole.Advice)

    def test_collective(self):
        made = anole.collective({"kind": "star", "hosts": 4}, minbytes="1MB", maxbytes="2MB", out=self.where / "c")
        want = printed("collective", "{kind: star, hosts: 4}", "-b", "1MB", "-e", "2MB", "--format", "json")
        self.assertEqual(list(made.table("sizes")), want["sizes"])
        self.assertEqual(made["time_us"].tolist(), [row["time_us"] for row in want["sizes"]])
        self.check_frame(made.frame, want["sizes"])
        self.assertEqual(self.read_again(made, anole.Collective).data["bottleneck"], want["bottleneck"])
        # its scenario is one
        self.assertTrue(anole.run(made.folder / "scenario.yaml").is_finished)

    def test_calibrate(self):
        # one message at a time over two hops of 700 ns; see tests/cli/calibrate.bats
        lines = [" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"]
        for n in (1, 2, 4, 8, 16, 32):
            ns = ((n + 1) * 1106 + 2 * 86) * 0.08 + 4 * 700
            lines.append(f"{n * 1024} 5000 0.0 {n * 8192 / ns} 0.1")
        (self.where / "bw.txt").write_text("\n".join(lines) + "\n")
        pair = {"topology": {"kind": "star", "hosts": 2, "rate": "100Gbps", "delay": "1us"}, "cc": "none", "run": "1ms",
                "traffic": [{"kind": "posted", "hosts": ["h0"], "receiver": "h1", "outstanding": 1, "size": "64KB", "spread": "1us"}]}
        made = anole.calibrate(self.where / "bw.txt", pair, {"topology.delay": "100ns..5000ns"}, out=self.where / "fit")
        self.assertAlmostEqual(made["value"][0], 700, delta=7)
        self.assertLess(abs(made.table("predicted")["error_pct"]).max(), 1)
        self.read_again(made, anole.Calibration)
        pair["traffic"] = [{"kind": "incast", "senders": 1, "size": "1KB"}]
        fast = anole.run(pair, set=made.set).table("flows")["fct_ns"][0]
        self.assertLess(fast, anole.run(pair).table("flows")["fct_ns"][0])

    def test_convert(self):
        theirs = anole.convert(STAR, to="hpcc", out=self.where / "theirs")
        self.assertEqual(sorted(path.name for path in theirs.files), ["config.txt", "flow.txt", "topology.txt", "trace.txt"])
        ours = anole.convert([self.where / "theirs" / "config.txt"])
        self.assertEqual(len(anole.run(ours.scenario).table("flows")), 4)

    def test_numbers_alone(self):
        with self.assertRaises(anole.RunError) as caught:
            anole.advise(load="140%")
        self.assertEqual(caught.exception.exit_code, 2)

    def test_many_of_them_use_one_core_each(self):
        fake = self.where / "anole"
        fake.write_text(f"#!/bin/sh\necho \"$@\" >>{self.where}/calls\nexec {os.environ['ANOLE']} \"$@\"\n")
        fake.chmod(0o755)
        anole.map(lambda kmin: anole.compare(STAR, {"a": {}, "b": {"kmin": kmin}}, seeds=1, program=fake), ["40KB"])
        anole.map(lambda kmin: anole.run(STAR, program=fake), ["40KB"])
        anole.run(STAR, program=fake)
        compared, mapped, alone = (self.where / "calls").read_text().splitlines()
        self.assertIn("--jobs=1", compared)
        self.assertIn("--threads=1", mapped)
        self.assertNotIn("--threads", alone)

    def test_a_launcher(self):
        fake = self.where / "launch"
        fake.write_text(f"#!/bin/sh\necho \"$1\" >{self.where}/ranks\nshift\nexec \"$@\"\n")
        fake.chmod(0o755)
        self.assertEqual(len(anole.sweep(STAR, vary={"kmin": ["40KB", "50KB"]}, seeds=1, launcher=[str(fake), "8"])), 2)
        self.assertEqual((self.where / "ranks").read_text(), "8\n")

    def test_what_is_no_result(self):
        with self.assertRaisesRegex(anole.RunError, "there is no such folder"):
            anole.read(self.where / "nowhere")
        with self.assertRaisesRegex(anole.RunError, "has no results; there is none of summary.json"):
            anole.read(self.where)
        with self.assertRaisesRegex(anole.RunError, "is not the folder of anole tune: it has no tune.json"):
            anole.read(self.where, anole.Tuning)
        with self.assertRaisesRegex(ValueError, "cannot have a comma"):
            anole.compare(STAR, {"a": {"kmin": "1KB,2KB"}})


if __name__ == "__main__":
    unittest.main()
