"""Run SciPy's own tests of scipy.fft with earth_fft as its global backend.

usage: run_scipy_tests.py [--all] [pytest arguments]

Without --all, the tests of scipy_short.txt run. The tests that scipy_known.txt lists may fail:
its file says why. The run fails if the backend took no call.
"""

import pathlib
import subprocess
import sys

import scipy.fft

HERE = pathlib.Path(__file__).resolve().parent
MODULES = (
    "tests/test_basic.py",
    "tests/test_real_transforms.py",
    "tests/test_multithreading.py",
    "tests/test_helper.py",
    "tests/test_fftlog.py",
    "tests/test_backend.py",
    "_pocketfft/tests/test_basic.py",
    "_pocketfft/tests/test_real_transforms.py",
)


def lines(name):
    """Return the lines of a list, without comments."""
    text = (HERE / name).read_text()
    return [line.strip() for line in text.splitlines() if line.strip() and line[0] != "#"]


def main(arguments):
    """Run pytest in a process of its own, with the plugin, and return its exit code."""
    installed = pathlib.Path(scipy.fft.__file__).parent
    if "--all" in arguments:
        arguments.remove("--all")
        selected = [str(installed / module) for module in MODULES]
    else:
        selected = [str(installed / test) for test in lines("scipy_short.txt")]
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "scipy_plugin", "-p", "no:cacheprovider",
        "--rootdir", str(installed), "-c", str(HERE / "peers_pytest.ini"), *arguments, *selected,
    ]
    return subprocess.run(command, cwd=HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
