#!/usr/bin/env bats
# tests/python/python.bats - the tests of python/ with any Python that has numpy, and its installation.
# shellcheck disable=SC2030,SC2031  # each test looks for its Python

setup() {
    : "${ANOLE:?is the program to test}"
    # Prefers a program without sanitizers: gym.bats and env_test.c use them, and a wheel with them is large.
    ANOLE=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")
    export ANOLE
    python=
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c 'import numpy' 2>/dev/null; then
            python=$candidate
            return
        fi
    done
}

@test "python: the client and the vector environment" {
    [ -n "$python" ] || skip 'no Python with numpy; tools/deps python installs it'
    run env PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=error::ResourceWarning "$python" -m unittest discover -v -s python/tests
    echo "$output"
    [ "$status" -eq 0 ]
    # no files are left in the tree
    [ -z "$(find python -name __pycache__ -o -name '*.pyc' -o -name '*.egg-info' -o -name build)" ]
    # all tests, including those of the simulator
    [[ "$output" =~ Ran\ ([89][0-9]|1[0-9][0-9])\ tests ]]
}

@test "python: pip installs it" {
    [ -n "$python" ] || skip 'no Python with numpy; tools/deps python installs it'
    "$python" -c 'import setuptools, wheel, pip' 2>/dev/null || skip 'no pip, setuptools or wheel; tools/deps python installs them'
    cp -r python "$BATS_TEST_TMPDIR/source"
    "$python" -m pip install --quiet --no-deps --no-build-isolation --no-index --target "$BATS_TEST_TMPDIR/lib" \
        "$BATS_TEST_TMPDIR/source" 2>&1
    cd "$BATS_TEST_TMPDIR"
    [ "$(PYTHONPATH=lib "$python" -c 'import anole; print(anole.__version__, anole.__file__)')" = \
        "0.2.0 $BATS_TEST_TMPDIR/lib/anole/__init__.py" ]
    [ -e lib/anole/py.typed ]
}

@test "python: its version is the program's" {
    version=$("$ANOLE" --version)
    grep -qx "version = \"${version#anole }\"" python/pyproject.toml
    grep -qx "__version__ = \"${version#anole }\"" python/anole/__init__.py
}

@test "python: types are checked, strictly" {
    python3 -c 'import mypy, numpy' 2>/dev/null || /usr/bin/python3 -c 'import mypy, numpy' 2>/dev/null || skip 'no mypy; tools/deps python installs it'
    python3 -c 'import mypy, numpy' 2>/dev/null && python=python3 || python=/usr/bin/python3
    cd python
    run "$python" -m mypy --cache-dir "$BATS_TEST_TMPDIR/cache"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "python: a wheel contains the program and its examples, and leaves no files in the tree" {
    [ -n "$python" ] || skip 'no Python with numpy; tools/deps python installs it'
    "$python" -c 'import setuptools, wheel, pip' 2>/dev/null || skip 'no pip, setuptools or wheel; tools/deps python installs them'
    find python | sort >"$BATS_TEST_TMPDIR/before"
    tools/make-wheel "$ANOLE" "$BATS_TEST_TMPDIR/wheel"
    find python | sort | diff "$BATS_TEST_TMPDIR/before" -
    cd "$BATS_TEST_TMPDIR"
    case $(ls wheel) in anole-*-py3-none-linux_*.whl) ;; *) false ;; esac
    "$python" -m pip install --quiet --no-deps --no-index --target lib wheel/*.whl 2>&1
    run env -u ANOLE PATH=/nowhere PYTHONPATH=lib "$(command -v "$python")" -c 'import anole; print(anole.run("incast").summary["all"]["flows"])'
    [ "$output" = 16 ]
    # pip also installs the command, which finds its examples and needs no numpy
    "$(command -v python3)" -m venv --without-pip venv
    "$python" -m pip --python venv/bin/python install --quiet --no-deps --no-index wheel/*.whl 2>&1 ||
        "$python" -m pip install --quiet --no-deps --no-index --prefix venv wheel/*.whl 2>&1
    [ "$(venv/bin/anole --version)" = "$("$ANOLE" --version)" ]
    venv/bin/anole list scenario | grep -q '^incast'
}
