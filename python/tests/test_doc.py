"""Runs the examples in the docstrings."""
import doctest
import importlib
import os
import unittest

MODULES = ["anole", *(f"anole.{name}" for name in (
    "_client", "_program", "commands", "comparison", "environment", "parallel", "plots", "reading", "run", "sweep", "table", "vector"))]


@unittest.skipUnless(os.environ.get("ANOLE"), "no program to test")
class DocTest(unittest.TestCase):
    def test_examples(self):
        tried = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
        self.assertEqual(0, sum(result.failed for result in tried.values()), tried)
        self.assertGreaterEqual(sum(result.attempted for result in tried.values()), 50)

    def test_all_that_is_public_says_what_it_is(self):
        for name in MODULES:
            module = importlib.import_module(name)
            self.assertTrue(module.__doc__, name)
            for word in getattr(module, "__all__", []):
                thing = getattr(module, word)
                self.assertTrue(not callable(thing) or thing.__doc__, f"{name}.{word}")
