"""A pytest plugin: the functions of numpy.fft are those of earth_fft, and their calls are counted.

NumPy itself takes longdouble numbers. numpy_known.txt lists tests that may fail, as
`test # reason`.
"""

import functools
import pathlib

import numpy as np
import pytest

import earth_fft

KNOWN = pathlib.Path(__file__).with_name("numpy_known.txt")
NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn",
         "fft2", "ifft2", "rfft2", "irfft2")
calls = 0


def replaced(name):
    """Return the function of earth_fft with the arguments of NumPy's."""
    numpys, ours = getattr(np.fft, name), getattr(earth_fft, name)

    @functools.wraps(numpys)
    def function(a, *args, out=None, **kwargs):
        global calls
        try:
            result = ours(a, *args, out=out, **kwargs)
        except earth_fft.Unsupported:
            return numpys(a, *args, out=out, **kwargs)
        calls += 1
        return result

    return function


def pytest_configure():
    """Replace the functions before the tests import them."""
    for name in NAMES:
        setattr(np.fft, name, replaced(name))


def pytest_collection_modifyitems(items):
    """Expect the failures of the list."""
    rows = [row for row in KNOWN.read_text().splitlines() if row.strip() and row[0] != "#"]
    for name, _, why in (row.partition("#") for row in rows):
        for item in items:
            if item.nodeid.partition("[")[0] == name.strip() or item.nodeid == name.strip():
                item.add_marker(pytest.mark.xfail(reason=why.strip(), strict=False))


def pytest_sessionfinish(session):
    """Fail if earth_fft took no call."""
    if calls == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    """Print the number of calls."""
    terminalreporter.write_line(f"earth_fft took {calls} calls of numpy.fft")
