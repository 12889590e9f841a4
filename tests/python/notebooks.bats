#!/usr/bin/env bats
# tests/python/notebooks.bats - the notebooks of python/notebooks run from the first cell to the last.

setup() {
    : "${ANOLE:?is the program to test}"
    # Prefers a program without sanitizers, because notebooks simulate for a while.
    ANOLE=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")
    python=
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c 'import numpy, matplotlib, nbformat, nbclient, ipykernel' 2>/dev/null; then
            python=$candidate
            return
        fi
    done
    skip 'no Python with matplotlib, nbclient and ipykernel; tools/deps notebooks installs them'
}

# execute NAME - runs a notebook in its own folder and prints the number of cells that ran. The kernel uses
# the same Python, whatever others are installed, and leaves no files in the home folder.
execute() {
    export ANOLE PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1 HOME=$BATS_TEST_TMPDIR MPLBACKEND=
    mkdir -p "$BATS_TEST_TMPDIR/share/kernels/python3"
    printf '{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"}\n' \
        "$(command -v "$python")" >"$BATS_TEST_TMPDIR/share/kernels/python3/kernel.json"
    JUPYTER_PATH=$BATS_TEST_TMPDIR/share "$python" - "$PWD/python/notebooks/$1" "$BATS_TEST_TMPDIR" 3>&- <<'PYTHON'
import sys
import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in the repository"
nbclient.NotebookClient(notebook, timeout=600, startup_timeout=300, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
code = [cell for cell in notebook.cells if cell.cell_type == "code"]
pictures = sum("image/png" in output.get("data", {}) for cell in code for output in cell.outputs)
assert all(cell.execution_count for cell in code)
print(len(code), "cells,", pictures, "pictures")
PYTHON
}

@test "notebook: first steps" {
    run execute first_steps.ipynb
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = '7 cells, 3 pictures' ]
}

@test "notebook: compare two settings" {
    run execute compare_two_settings.ipynb
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = '5 cells, 2 pictures' ]
}

@test "notebook: train a small policy" {
    run execute train_a_small_policy.ipynb
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = '5 cells, 1 pictures' ]
}
