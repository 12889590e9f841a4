"""Compares charts with hand-made tables of numbers and with the program's own results."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import numpy as np

import anole
from anole import plots

try:
    import matplotlib

    matplotlib.use("Agg")
except ImportError:
    matplotlib = None

WEB = {"topology": {"kind": "star", "hosts": 6}, "run": "300us",
       "traffic": [{"kind": "poisson", "load": 0.5, "sizes": "FB_Hadoop", "stop": "200us"}]}


def by_hand(folder, rows):
    """Makes a run with flows given as (bytes, slowdown)."""
    pathlib.Path(folder, "summary.json").write_text('{"all": {"flows": %d}}' % len(rows))
    pathlib.Path(folder, "flows.csv").write_text("bytes,slowdown\n" + "".join(f"{size},{slow}\n" for size, slow in rows))
    return anole.read(folder)


class NumbersTest(unittest.TestCase):
    def test_bins_hold_as_many_flows_each(self):
        with tempfile.TemporaryDirectory() as folder:
            run = by_hand(folder, [(4000, 8), (1000, 1), (2000, 3), (3000, 5)])
            size, slow = plots.slowdown_bins(run, 2, 50)
            self.assertEqual([2000, 4000], size.tolist())
            self.assertEqual([2, 6.5], slow.tolist())

    def test_flows_of_one_size_stay_together_and_unfinished_ones_do_not_count(self):
        with tempfile.TemporaryDirectory() as folder:
            run = by_hand(folder, [(1000, 1), (1000, 2), (1000, 3), (9000, ""), (9000, 7)])
            size, slow = plots.slowdown_bins(run, 4, 100)
            self.assertEqual([1000, 9000], size.tolist())
            self.assertEqual([3, 7], slow.tolist())
            with self.assertRaises(ValueError):
                plots.slowdown_bins(run, 0)

    def test_no_flows_no_points(self):
        with tempfile.TemporaryDirectory() as folder:
            size, slow = plots.slowdown_bins(by_hand(folder, []))
            self.assertEqual((0, 0), (size.size, slow.size))

    def test_the_front_has_what_nothing_else_beats(self):
        self.assertEqual([1, 0], plots._front(np.array([3.0, 1.0, 2.0, 1.0, np.nan]), np.array([1.0, 2.0, 2.0, 3.0, 0.0])))


@unittest.skipUnless(matplotlib and os.environ.get("ANOLE"), "no matplotlib, or no program to test")
class DrawTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name)

    def command(self, *options):
        return subprocess.run([sys.executable, "-m", "anole.plots", *map(str, options)], capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "PYTHONPATH": str(pathlib.Path(anole.__file__).parent.parent)})

    def texts(self, name):
        return [e.text for e in ElementTree.parse(self.out / "plots" / name).iter() if e.tag.endswith("}text")]

    def test_a_run_has_three_charts_with_title_axes_units_and_source(self):
        run = anole.run(WEB)                          # its folder goes with it
        folder = run.folder
        done = self.command(folder, "--out", self.out / "plots")
        self.assertEqual((0, [str(self.out / "plots" / f"{name}.svg") for name in ("slowdown", "fct", "time")]), (done.returncode, done.stdout.split()))
        texts = self.texts("slowdown.svg")
        self.assertIn("FCT slowdown by flow size", texts)
        self.assertTrue(any(re.fullmatch(r".*, seed 1, anole [0-9.]+", text or "") for text in texts))
        self.assertIn("goodput (Gb/s)", self.texts("time.svg"))
        before = (self.out / "plots" / "fct.svg").read_bytes()
        plots.draw(folder, chart="fct", out=self.out / "plots")
        self.assertEqual(before, (self.out / "plots" / "fct.svg").read_bytes())
        for form, begins in (("png", b"\x89PNG"), ("pdf", b"%PDF-")):
            self.assertTrue(plots.draw(folder, form=form, chart="time", out=self.out)[0].read_bytes().startswith(begins))

    def test_a_sweep_has_a_front(self):
        sweep = anole.sweep(WEB, ranges={"kmin": "50KB..350KB"}, samples=4, seeds=2)
        files = plots.draw(sweep.folder, out=self.out / "plots")
        self.assertEqual("pareto.svg", files[-1].name)
        self.assertTrue(any("Pareto front" in (text or "") for text in self.texts("pareto.svg")))
        self.assertIn("as in the scenario", self.texts("fct.svg"))

    def test_what_cannot_be_drawn_is_said_in_one_line(self):
        run = anole.run(WEB)                          # its folder goes with it
        folder = run.folder
        for options in ((self.out / "nosuch",), (folder, "--chart", "pareto")):
            done = self.command(*options)
            self.assertEqual((1, 1), (done.returncode, len(done.stderr.splitlines())))
            self.assertTrue(done.stderr.startswith("anole.plots: "))
        self.assertFalse(pathlib.Path(folder, "plots").exists())


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class PlotsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = anole.run(WEB)

    def setUp(self):
        if matplotlib is None:
            self.skipTest("no matplotlib; tools/deps notebooks installs it")

    def tearDown(self):
        from matplotlib import pyplot

        pyplot.close("all")

    def test_the_largest_slowdown_is_the_programs(self):
        size, slow = plots.slowdown_bins(self.run_, 1, 100)
        self.assertAlmostEqual(self.run_.summary["all"]["slowdown_max"], slow[0], places=5)
        self.assertEqual(self.run_.table("flows")["bytes"].max(), size[0])

    def test_slowdown_by_size(self):
        ax = plots.slowdown_by_size({"a": self.run_, "b": self.run_}, bins=5)
        self.assertEqual(["a", "b"], [text.get_text() for text in ax.get_legend().get_texts()])
        want = plots.slowdown_bins(self.run_, 5)
        np.testing.assert_allclose(np.array(want), np.array(ax.lines[0].get_data()))
        self.assertEqual("p99 FCT slowdown", ax.get_ylabel())

    def test_cdf(self):
        ax = plots.cdf(self.run_)
        x, share = ax.lines[0].get_data()
        self.assertEqual(1, share[-1])
        self.assertAlmostEqual(self.run_.summary["all"]["fct_us_max"], x[-1], places=3)
        self.assertIsNone(ax.get_legend())

    def test_time_series(self):
        ax = plots.time_series(self.run_)
        stairs = ax.patches[0].get_data()
        # goodput times time equals the delivered bytes: Gb/s x ms = 125 000 bytes
        delivered = (stairs.values * np.diff(stairs.edges)).sum() * 125_000
        self.assertAlmostEqual(1, delivered / self.run_.table("intervals")["payload_bytes"].sum(), places=5)

    def test_changes(self):
        result = anole.compare(WEB, {"a": {}, "b": {"kmin": "5KB"}}, seeds=2)
        ax = plots.changes(result, "slowdown_mean")
        self.assertEqual(["b"], [text.get_text() for text in ax.get_yticklabels()])
        self.assertAlmostEqual(100 * result["slowdown_mean"]["b"].change, ax.lines[0].get_xdata()[0])

    def test_files_can_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("pdf", "png", "svg"):
                plots.cdf(self.run_, "slowdown").figure.savefig(f"{folder}/x.{kind}")
                self.assertGreater(os.path.getsize(f"{folder}/x.{kind}"), 1000)


class LazyTest(unittest.TestCase):
    def test_matplotlib_and_pandas_are_not_loaded_unasked(self):
        code = "import anole, sys; anole.plots; print([m for m in ('matplotlib', 'pandas') if m in sys.modules])"
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual("[]\n", printed.stdout)

    def test_without_matplotlib_it_says_what_to_install(self):
        code = "import sys; sys.modules['matplotlib'] = None; import anole\ntry: anole.plots.cdf({})\nexcept ImportError as e: print(e)"
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertIn("plots need matplotlib (Debian: python3-matplotlib", printed.stdout)


if __name__ == "__main__":
    unittest.main()
