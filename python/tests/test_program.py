"""What is left when Python ends, errors and their places, values of numpy, time-outs, and many runs at once."""
import concurrent.futures
import glob
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy as np

import anole

STAR = {"topology": {"kind": "star", "hosts": 5}, "traffic": [{"kind": "incast", "senders": 4, "size": "100KB"}]}
# Runs for hours; nothing here waits for it.
ENDLESS = {"topology": {"kind": "star", "hosts": 9}, "run": "2000s", "traffic": [{"kind": "poisson", "load": 0.5, "sizes": "WebSearch"}]}


def run_of(seed):
    """Of the module, so that other processes find it."""
    return anole.run(STAR, seed=seed)


def seed_of(seed):
    return run_of(seed).summary["seed"]


def wait_until(what, seconds=20.0):
    """Waits until what() is true; returns the seconds it took, or fails."""
    began = time.monotonic()
    while not what():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds} s")
        time.sleep(0.02)
    return time.monotonic() - began


def is_running(pid):
    """Whether there is such a process, and it has not ended: nobody may have asked for its status."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


class Python(unittest.TestCase):
    """A Python of its own, whose programs and folders are told apart by its folder for temporary files."""

    def begin(self, code):
        where = tempfile.TemporaryDirectory()
        self.addCleanup(where.cleanup)
        self.where = where.name
        code = f"import anole, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n{code}"
        process = subprocess.Popen([sys.executable, "-c", code],
                                   env={**os.environ, "TMPDIR": where.name}, stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def programs(self):
        """Command lines of processes that mention the folder, without Python itself."""
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                words = pathlib.Path(path).read_bytes()
            except OSError:
                continue
            if self.where.encode() in words:
                found.append(words)
        return found

    def left(self):
        return self.programs() + os.listdir(self.where)


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class EndTest(Python):
    ONE = f"anole.run({ENDLESS})"
    # with workers of the program, which are processes of processes
    WORKERS = f"anole.compare({ENDLESS}, {{'a': {{}}, 'b': {{'kmin': '40KB'}}}}, jobs=2)"
    MANY = f"anole.map(lambda seed: anole.run({ENDLESS}, seed=seed), [1, 2, 3, 4], jobs=2)"

    def test_nothing_is_left_after_any_signal(self):
        for code in (self.ONE, self.WORKERS, self.MANY):
            for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
                with self.subTest(code=code[:20], signal=number.name):
                    process = self.begin(code)
                    wait_until(lambda: any(b"--out" in words for words in self.programs()))
                    process.send_signal(number)
                    self.assertLess(wait_until(lambda: not self.left()), 2.0)
                    self.assertNotEqual(process.wait(), 0)

    def test_nothing_is_left_beside_a_folder_that_is_kept(self):
        process = self.begin(f"import os; anole.run({ENDLESS}, out=os.environ['TMPDIR'] + '/kept')")
        wait_until(lambda: glob.glob(f"{self.where}/.anole-*"))
        process.kill()
        self.assertLess(wait_until(lambda: not self.left()), 2.0)

    def test_linux_without_pidfd(self):
        from anole import _guard_main

        child = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        with unittest.mock.patch("os.pidfd_open", side_effect=OSError):
            wait = _guard_main.watch(child.pid)
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.5)
        self.assertTrue(thread.is_alive())
        child.kill()                                             # and nobody has asked for its status
        thread.join(2)
        self.assertFalse(thread.is_alive())

    def test_an_interruption_at_any_moment(self):
        """... of the first half second, in which threads and the guard begin."""
        for at in range(8):
            process = self.begin(f"open(__import__('os').environ['TMPDIR'] + '/go', 'w').close()\n{self.MANY}")
            wait_until(lambda: os.path.exists(f"{self.where}/go"))
            time.sleep(0.06 * at)
            process.send_signal(signal.SIGINT)
            self.assertNotEqual(process.wait(20), 0)
            os.unlink(f"{self.where}/go")
            self.assertLess(wait_until(lambda: not self.left()), 2.0)

    def test_a_result_that_is_held_goes_with_its_process(self):
        process = self.begin(f"import time; r = anole.run({STAR}); open(r.folder / 'here', 'w').close(); time.sleep(600)")
        wait_until(lambda: glob.glob(f"{self.where}/*/*/out/here"))
        process.kill()
        self.assertLess(wait_until(lambda: not self.left()), 2.0)

    def test_a_killed_environment(self):
        process = self.begin("import time; env = anole.VectorEnv('many_to_one:2_1'); import os; "
                             "open(os.environ['TMPDIR'] + '/ready', 'w').close(); time.sleep(600)")
        wait_until(lambda: os.path.exists(f"{self.where}/ready"))
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        process.kill()
        self.assertLess(wait_until(lambda: not is_running(children[0])), 2.0)

    def test_a_forked_process_deletes_nothing_of_its_parent(self):
        result = anole.run(STAR)
        pid = os.fork()
        if pid == 0:
            del result
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual(len(result.table("flows")), 4)


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class HeldTest(unittest.TestCase):
    def test_a_table_keeps_its_run(self):
        self.assertEqual(anole.run(STAR).table("flows")["bytes"].tolist(), [100000] * 4)
        self.assertEqual([row["bytes"] for row in anole.run(STAR).rows("flows")], [100000] * 4)
        self.assertEqual(len(anole.compare(STAR, {"a": {}, "b": {"kmin": "40KB"}}, seeds=1).runs), 2)

    def test_the_folder_goes_with_the_last_of_them(self):
        table = anole.run(STAR).table("flows")
        folder = table.path.parent
        self.assertTrue(folder.is_dir())
        del table
        self.assertFalse(folder.exists())

    def test_temporary_results_are_not_sent(self):
        with self.assertRaisesRegex(TypeError, "give out=FOLDER"):
            pickle.dumps(anole.run(STAR))
        with tempfile.TemporaryDirectory() as where:
            kept = pickle.loads(pickle.dumps(anole.run(STAR, out=f"{where}/r")))
            self.assertEqual(len(kept.table("flows")), 4)


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class ErrorTest(unittest.TestCase):
    def refused(self, *arguments, **named):
        with self.assertRaises(anole.RunError) as caught:
            anole.run(*arguments, **named)
        return caught.exception

    def test_the_path_in_the_dictionary(self):
        for key, value, words in (("senders", 9, "senders must be 1 .. 4, not 9"), ("kind", "inkast", "'inkast' is not a kind of traffic"),
                                  ("sendrs", 4, "'sendrs' is not a key of traffic incast"), ("size", "-3", "size: '-3' is negative")):
            error = self.refused({**STAR, "traffic": [*STAR["traffic"], {**STAR["traffic"][0], key: value}]})
            self.assertEqual((error.exit_code, error.path, error.key, error.file, error.line), (1, f"traffic[1].{key}", key, None, None))
            self.assertTrue(str(error).startswith(f"traffic[1].{key}: {words}"), error)
            self.assertNotIn("anole-", str(error))

    def test_the_place_in_a_file(self):
        with tempfile.TemporaryDirectory() as where:
            path = f"{where}/s.yaml"
            pathlib.Path(path).write_text("topology: {kind: star, hosts: 5}\ntraffic: [{kind: incast, senders: 9, size: 1KB}]\n")
            error = self.refused(path)
        self.assertEqual((error.exit_code, error.file, error.line, error.column, error.key, error.path), (1, path, 2, 35, "senders", None))

    def test_what_is_set(self):
        error = self.refused("incast", set={"kmim": "1KB"})
        self.assertEqual((error.exit_code, error.key), (1, "kmim"))
        for command in (lambda: anole.compare(STAR, {"a": {"kmim": "1KB"}}), lambda: anole.sweep(STAR, {"kmim": "1KB..2KB"}),
                        lambda: anole.sweep(STAR, vary={"kmim": ["1KB"]}), lambda: anole.calibrate("x", STAR, {"kmim": "1..2"})):
            with self.assertRaises(anole.RunError) as caught:
                command()
            self.assertEqual(caught.exception.key, "kmim")
        self.assertEqual(str(self.refused("incast", no_such=3)), "anole run: unrecognized option '--no-such=3'")
        self.assertEqual(self.refused("incast", seed=-1).exit_code, 2)
        self.assertIn("No such file", str(self.refused("/nowhere.yaml")))
        self.assertIsNone(self.refused("incast", program="/nowhere").exit_code)

    def test_a_program_that_is_killed(self):
        with tempfile.TemporaryDirectory() as where:
            path = pathlib.Path(where, "anole")
            path.write_text("#!/bin/sh\nkill -9 $$\n")
            path.chmod(0o755)
            error = self.refused("incast", program=path)
        self.assertEqual((str(error), error.exit_code), ("ended by SIGKILL", -9))

    def test_errors_can_be_sent(self):
        error = self.refused({**STAR, "cc": "dcqn"})
        sent = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(sent), sent.path, sent.exit_code), (str(error), "cc", 1))

    def test_no_flow_that_finished(self):
        with self.assertWarnsRegex(anole.RunWarning, "the scenario: no flow finished; 4 started"):
            result = anole.run(STAR, until="1us")
        self.assertFalse(result.is_finished)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            anole.run(STAR, until="1us")
        self.assertEqual([warning.filename for warning in caught], [__file__])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertTrue(anole.run(STAR).is_finished)

    def test_warnings_of_the_program(self):
        with self.assertWarnsRegex(anole.RunWarning, "hpcc_eta"):
            anole.run(STAR, set={"hpcc_eta": 0.9})               # which DCQCN does not read
        with tempfile.TemporaryDirectory() as where:
            path = pathlib.Path(where, "anole")
            path.write_text(f"#!/bin/sh\necho 'anole: warning: mind the gap' >&2\nexec {os.environ['ANOLE']} \"$@\"\n")
            path.chmod(0o755)
            for command in (lambda: anole.run(STAR, program=path), lambda: anole.collective({"kind": "star", "hosts": 2}, program=path)):
                with self.assertWarnsRegex(anole.RunWarning, "^mind the gap$") as caught:
                    command()
                self.assertEqual(caught.filename, __file__)

    def test_a_time_out(self):
        began = time.monotonic()
        with self.assertRaisesRegex(anole.RunTimeout, "ended after 0.5 s") as caught:
            anole.run(ENDLESS, timeout=0.5)
        self.assertLess(time.monotonic() - began, 5)
        self.assertIsInstance(caught.exception, TimeoutError)


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class ValueTest(unittest.TestCase):
    def test_values_of_numpy(self):
        made = {"topology": {"kind": "star", "hosts": np.int64(5)}, "interval": np.str_("10us"),
                "traffic": [{"kind": "incast", "for": "100us", "influx": np.bool_(True), "senders": np.uint8(4), "size": np.array(100000)}]}
        plain = {"topology": {"kind": "star", "hosts": 5}, "interval": "10us",
                 "traffic": [{"kind": "incast", "for": "100us", "influx": True, "senders": 4, "size": 100000}]}
        a = anole.run(made, set={"pmax": np.float32(0.1), "traffic.0.influx": np.bool_(True)}, seed=np.int64(3))
        b = anole.run(plain, set={"pmax": 0.1, "traffic.0.influx": True}, seed=3)
        self.assertEqual(a.table("flows").path.read_bytes(), b.table("flows").path.read_bytes())
        self.assertEqual(a.summary["set"], b.summary["set"])

    def test_values_that_are_none(self):
        for value in (float("nan"), np.float64("inf")):
            with self.assertRaisesRegex(ValueError, r"traffic\[0\].load: (nan|inf) is not a value"):
                anole.run({**STAR, "traffic": [{"kind": "poisson", "load": value}]})
        with self.assertRaisesRegex(TypeError, r"topology.hosts: object is not a value"):
            anole.run({"topology": {"kind": "star", "hosts": object()}})
        with self.assertRaisesRegex(ValueError, "pmax: nan"):
            anole.run(STAR, set={"pmax": np.nan})

    def test_the_home_folder(self):
        with tempfile.TemporaryDirectory() as home:
            old = os.environ["HOME"], os.getcwd()
            os.environ["HOME"] = home
            try:
                os.chdir(home)
                pathlib.Path(home, "flows.txt").write_text("1\n0 1 3 100 5000 0.0\n")
                pathlib.Path(home, "s.yaml").write_text(json.dumps(STAR))
                made = anole.run("~/s.yaml", out="~/r")
                self.assertEqual(made.folder, pathlib.Path(home, "r"))
                self.assertEqual(len(anole.read("~/r").table("flows")), 4)
                self.assertFalse(os.path.exists("~"))
                # a file that a dictionary names
                for name in ("~/flows.txt", pathlib.Path("flows.txt")):
                    trace = anole.run({"topology": {"kind": "star", "hosts": 2}, "traffic": [{"kind": "flows", "file": name}]})
                    self.assertEqual(trace.table("flows")["bytes"].tolist(), [5000])
            finally:
                os.environ["HOME"] = old[0]
                os.chdir(old[1])


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class MapTest(unittest.TestCase):
    def test_values_in_order_and_progress(self):
        seen = []
        values = anole.map(lambda seed: anole.run(STAR, seed=seed).summary["seed"], range(1, 9), jobs=3,
                           progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(values, list(range(1, 9)))
        self.assertEqual((seen[0], seen[-1]), ((0, 8), (8, 8)))
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(anole.map(lambda x: x, []), [])

    def test_the_first_error_ends_all(self):
        began = time.monotonic()
        with self.assertRaisesRegex(anole.RunError, "kmim"):
            anole.map(lambda i: anole.run(ENDLESS, set={"kmim": 1} if i else {}), [0, 0, 1], jobs=3)
        self.assertLess(time.monotonic() - began, 10)

    def test_errors_as_values(self):
        good, bad = anole.map(lambda set: anole.run(STAR, set=set), [{}, {"kmim": 1}], return_errors=True)
        self.assertIsInstance(good, anole.Run)
        self.assertIsInstance(bad, anole.RunError)

    def test_other_executors(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.assertEqual(anole.map(seed_of, [3, 4, 5], executor=pool), [3, 4, 5])
            with self.assertRaisesRegex(anole.RunError, "'-1' is negative"):
                anole.map(seed_of, [-1], executor=pool)
            with self.assertRaisesRegex(TypeError, "give out=FOLDER"):
                anole.map(run_of, [3], executor=pool)

    def test_a_program_that_does_not_want_to_end(self):
        with tempfile.TemporaryDirectory() as where:
            path = pathlib.Path(where, "anole")
            path.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n")
            path.chmod(0o755)
            began = time.monotonic()
            with self.assertRaises(anole.RunTimeout):
                anole.map(lambda seed: anole.run(STAR, seed=seed, program=path), range(2), jobs=2, timeout=0.2)
            with self.assertRaises(anole.RunTimeout):
                anole.run(STAR, program=path, timeout=0.2)
            self.assertLess(time.monotonic() - began, 10)

    def test_a_time_out_for_all(self):
        began = time.monotonic()
        with self.assertRaisesRegex(anole.RunTimeout, "4 of 4 had not ended after 0.5 s"):
            anole.map(lambda seed: anole.run(ENDLESS, seed=seed), range(4), jobs=2, timeout=0.5)
        self.assertLess(time.monotonic() - began, 10)


if __name__ == "__main__":
    unittest.main()
