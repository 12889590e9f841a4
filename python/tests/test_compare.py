"""anole.compare() against the runs themselves, and tables against the csv module."""
import csv
import os
import statistics
import tempfile
import unittest

import numpy as np

import anole

SCENARIO = {"topology": {"kind": "star", "hosts": 4}, "traffic": [{"kind": "incast", "senders": 3, "size": "300KB"}]}
VARIANTS = {"as it is": {}, "low": {"kmin": "10KB", "kmax": "40KB"}}


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class CompareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = anole.compare(SCENARIO, VARIANTS, seeds=[3, 4])

    def test_means_are_those_of_the_runs(self):
        for name, changes in VARIANTS.items():
            alone = [anole.run(SCENARIO, set=changes, seed=seed).summary["all"]["slowdown_mean"] for seed in (3, 4)]
            self.assertAlmostEqual(statistics.mean(alone), self.result["slowdown_mean"][name].mean, places=9)

    def test_what_it_holds(self):
        self.assertEqual(("as it is", "low"), self.result.variants)
        self.assertEqual("as it is", self.result.baseline)
        self.assertEqual(0, self.result["slowdown_mean"]["as it is"].change)
        self.assertEqual(4, len(self.result.runs))
        self.assertEqual([3, 4, 3, 4], self.result.runs["seed"].tolist())
        self.assertIn("is the baseline", repr(self.result))
        with self.assertRaisesRegex(KeyError, "there is no figure 'slowdwn'; there are slowdown_mean"):
            self.result["slowdwn"]

    def test_another_baseline_and_a_folder_that_is_kept(self):
        with tempfile.TemporaryDirectory() as where:
            made = anole.compare(SCENARIO, VARIANTS, seeds=1, baseline="low", out=f"{where}/c", jobs=1)
            self.assertEqual("low", made.baseline)
            self.assertTrue(os.path.exists(f"{where}/c/report.html"))

    def test_seeds_of_numpy(self):
        made = anole.compare(SCENARIO, VARIANTS, seeds=np.array([3, 4]))
        self.assertEqual([3, 4, 3, 4], made.runs["seed"].tolist())
        self.assertEqual(2, len(anole.compare(SCENARIO, VARIANTS, seeds=np.int64(1)).runs))

    def test_what_is_wrong_is_told(self):
        with self.assertRaisesRegex(anole.RunError, "did you mean 'kmin'"):
            anole.compare(SCENARIO, {"a": {"kmim": "1KB"}})
        with self.assertRaisesRegex(ValueError, "no variants"):
            anole.compare(SCENARIO, {})
        with self.assertRaisesRegex(anole.RunError, r"No such file or directory; name the program in \$ANOLE"):
            anole.compare(SCENARIO, {"a": {}}, program="/nonexistent/anole")

    def test_frames(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                self.result.frame()
            return
        frame = self.result.frame()
        row = frame[(frame.metric == "slowdown_mean") & (frame.variant == "low")]
        self.assertAlmostEqual(self.result["slowdown_mean"]["low"].mean, row["mean"].item(), places=9)


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class TableTest(unittest.TestCase):
    def test_a_table_is_its_file(self):
        result = anole.run(SCENARIO, set={"interval": "10us"})
        self.assertEqual(("flows", "intervals", "ports"), result.tables)
        for name in result.tables:
            table = result.table(name)
            with open(table.path, newline="", encoding="utf-8") as file:
                want = list(csv.DictReader(file))
            self.assertEqual(len(want), len(table))
            self.assertEqual(list(want[0]), list(table.columns))
            for got, row in zip(table, want):
                for key, text in row.items():
                    self.assertEqual(float(text) if isinstance(got[key], (int, float)) else text or None, got[key])
        with self.assertRaisesRegex(KeyError, "has no table 'flow'; there are flows, intervals, ports"):
            result.table("flow")
        with self.assertRaisesRegex(KeyError, "no column 'size'; there are src, dst"):
            result.table("flows")["size"]

    def test_cells_that_are_empty_are_not_numbers(self):
        # no RTT has been measured in the first interval
        result = anole.run(SCENARIO, set={"interval": "1us"})
        rtt = result.table("intervals")["rtt_us_mean"]
        self.assertTrue(np.isnan(rtt[0]) and not np.isnan(rtt).all())
        self.assertIsNone(next(result.rows("intervals"))["rtt_us_mean"])


if __name__ == "__main__":
    unittest.main()
