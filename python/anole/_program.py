"""Finds the program to start."""
from __future__ import annotations

import os
import pathlib
from typing import Optional


def find_program(program: Optional[str] = None) -> str:
    """Returns `program`, or $ANOLE, or the one in this package (tools/make-wheel), or `anole` in $PATH."""
    own = pathlib.Path(__file__).parent / "bin" / "anole"
    return program or os.environ.get("ANOLE") or (str(own) if own.is_file() else "anole")
