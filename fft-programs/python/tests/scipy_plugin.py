"""A pytest plugin: earth_fft is the global backend of scipy.fft, and its calls are counted.

Some tests call the module of SciPy's own implementation and no backend. So its functions first ask
the backend, too. The module has another name in each range of SciPy's versions.

scipy_known.txt lists tests that may fail, as `test # reason`. If EARTH_FFT_SHORT is set, only the
tests of scipy_short.txt run. Older and later versions of SciPy lack some of them.
"""

import functools
import importlib
import os
import pathlib

import pytest
import scipy.fft

import earth_fft

HERE = pathlib.Path(__file__).parent
FEWEST = 20


def own_module():
    """Return the module of SciPy's own implementation."""
    for name in ("_pocketfft", "_duccfft"):
        try:
            return importlib.import_module(f"scipy.fft.{name}")
        except ImportError:
            pass
    raise ImportError("scipy.fft has no module of its own that this plugin knows")


def listed(name):
    """Return the rows of a list: names of tests, without the folder's version, and reasons."""
    rows = [row for row in (HERE / name).read_text().splitlines() if row.strip() and row[0] != "#"]
    parts = (row.partition("#") for row in rows)
    return {plain(test.strip()): why.strip() for test, _, why in parts}


def plain(name):
    """Return the name of a test whatever the name of SciPy's own module."""
    return name.replace("_duccfft/", "_pocketfft/")


def asking_first(function):
    """Return a function that asks the backend first."""

    @functools.wraps(function, assigned=("__name__",), updated=())
    def asks(*args, **kwargs):
        result = earth_fft.__ua_function__(asks, args, kwargs)
        return function(*args, **kwargs) if result is NotImplemented else result

    return asks


def pytest_configure(config):
    """Set the backend for the whole process."""
    own = own_module()
    for name in list(vars(own)):
        if name in earth_fft.__all__ and hasattr(scipy.fft, name) and "workers" not in name:
            setattr(own, name, asking_first(getattr(own, name)))
    scipy.fft.set_global_backend(earth_fft, only=False, try_last=False)
    # SciPy itself does the rest, such as longdouble.
    scipy.fft.register_backend("scipy")
    config.addinivalue_line("markers", "known: a test of scipy_known.txt")


def pytest_collection_modifyitems(config, items):
    """Select the tests, and expect the failures of the list."""
    if os.environ.get("EARTH_FFT_SHORT"):
        short = listed("scipy_short.txt")
        chosen = [item for item in items if plain(item.nodeid).partition("[")[0] in short]
        names = {plain(item.nodeid).partition("[")[0] for item in chosen}
        if len(names) < FEWEST:
            raise pytest.UsageError(f"SciPy has only {len(names)} of {len(short)} tests")
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
    reasons = listed("scipy_known.txt")
    for item in items:
        name = plain(item.nodeid)
        why = reasons.get(name) or reasons.get(name.partition("[")[0])
        if why:
            item.add_marker(pytest.mark.xfail(reason=why, strict=False))


def pytest_sessionfinish(session):
    """Fail if the backend took no call."""
    if earth_fft.backend_calls() == 0 and not hasattr(session.config, "workerinput"):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    """Print the number of calls."""
    terminalreporter.write_line(f"earth_fft took {earth_fft.backend_calls()} calls of scipy.fft")
