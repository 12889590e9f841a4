"""Compares runs of scenarios from dictionaries with the program's own output."""
import json
import os
import subprocess
import tempfile
import unittest

import anole

SCENARIO = {"topology": {"kind": "star", "hosts": 3}, "traffic": [{"kind": "incast", "senders": 2, "size": "100KB"}]}


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class RunTest(unittest.TestCase):
    def test_is_what_the_program_prints(self):
        result = anole.run(SCENARIO, set={"kmin": "100KB"}, seed=7)
        path = result.folder.parent / "again.yaml"
        path.write_text(json.dumps(SCENARIO))
        printed = subprocess.run([os.environ["ANOLE"], "run", str(path), "--set", "kmin=100KB", "--seed", "7", "--format", "json"],
                                 capture_output=True, text=True, check=True)
        self.assertEqual(result.summary["all"], json.loads(printed.stdout)["all"])

    def test_tables(self):
        result = anole.run(SCENARIO)
        rows = list(result.rows("flows"))
        self.assertEqual(len(rows), 2)
        self.assertEqual({row["bytes"] for row in rows}, {100000})
        self.assertEqual(result.columns("flows")["bytes"].sum(), 200000)

    def test_rdma_reads(self):
        result = anole.run({"topology": {"kind": "star", "hosts": 4}, "run": "100us",
                            "traffic": [{"kind": "storage", "verb": "read", "reads": 1, "depth": 2, "replicas": 1,
                                         "read_limit": 1}]})
        rows = list(result.rows("flows"))
        self.assertGreater(len(rows), 20)
        self.assertEqual({row["src"] for row in rows}, {"h3"})      # the only storage node
        self.assertGreaterEqual(min(row["slowdown"] for row in rows), 1)

    def test_a_folder_is_kept_and_read_again(self):
        with tempfile.TemporaryDirectory() as where:
            made = anole.run(SCENARIO, out=f"{where}/r")
            self.assertEqual(anole.read(f"{where}/r").summary, made.summary)
            with self.assertRaises(anole.RunError):
                anole.read(where)

    def test_what_is_wrong_is_told(self):
        with self.assertRaisesRegex(anole.RunError, "is not a kind of topology"):
            anole.run({"topology": {"kind": "sta"}, "traffic": []})


if __name__ == "__main__":
    unittest.main()
