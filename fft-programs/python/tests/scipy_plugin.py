"""A pytest plugin: earth_fft is the global backend of scipy.fft, and its calls are counted.

The tests of scipy.fft._pocketfft call that module and no backend. So its functions first ask the
backend, too. scipy_known.txt lists tests that may fail, as `test # reason`.
"""

import functools
import pathlib

import pytest
import scipy.fft
from scipy.fft import _pocketfft

import earth_fft

KNOWN = pathlib.Path(__file__).with_name("scipy_known.txt")


def known():
    """Return the reasons by the end of the tests' names."""
    rows = [row for row in KNOWN.read_text().splitlines() if row.strip() and row[0] != "#"]
    return {name.strip(): why.strip() for name, _, why in (row.partition("#") for row in rows)}


def asking_first(function):
    """Return a function that asks the backend first."""

    @functools.wraps(function, assigned=("__name__",), updated=())
    def asks(*args, **kwargs):
        result = earth_fft.__ua_function__(asks, args, kwargs)
        return function(*args, **kwargs) if result is NotImplemented else result

    return asks


def pytest_configure(config):
    """Set the backend for the whole process."""
    for name in list(vars(_pocketfft)):
        if name in earth_fft.__all__ and hasattr(scipy.fft, name) and "workers" not in name:
            setattr(_pocketfft, name, asking_first(getattr(_pocketfft, name)))
    scipy.fft.set_global_backend(earth_fft, only=False, try_last=False)
    # SciPy itself does the rest, such as longdouble.
    scipy.fft.register_backend("scipy")
    config.addinivalue_line("markers", "known: a test of scipy_known.txt")


def pytest_collection_modifyitems(items):
    """Expect the failures of the list."""
    reasons = known()
    for item in items:
        for name, why in reasons.items():
            if item.nodeid == name or item.nodeid.startswith(name + "["):
                item.add_marker(pytest.mark.xfail(reason=why, strict=False))


def pytest_sessionfinish(session):
    """Fail if the backend took no call."""
    if earth_fft.backend_calls() == 0 and not hasattr(session.config, "workerinput"):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    """Print the number of calls."""
    terminalreporter.write_line(f"earth_fft took {earth_fft.backend_calls()} calls of scipy.fft")
