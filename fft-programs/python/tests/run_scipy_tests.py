"""Run SciPy's own tests of scipy.fft with earth_fft as its global backend.

usage: run_scipy_tests.py [--all] [pytest arguments]

Without --all, the tests of scipy_short.txt run. The tests that scipy_known.txt lists may fail:
its file says why. The run fails if the backend took no call.
"""

import os
import pathlib
import subprocess
import sys

import scipy.fft

HERE = pathlib.Path(__file__).resolve().parent


def main(arguments):
    """Run pytest in a process of its own, with the plugin, and return its exit code."""
    installed = pathlib.Path(scipy.fft.__file__).parent
    is_whole = "--all" in arguments
    if is_whole:
        arguments.remove("--all")
    # Both the tests of scipy.fft and those of its own implementation.
    tests = sorted(str(file) for file in installed.glob("**/tests/test_*.py"))
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "scipy_plugin", "-p", "no:cacheprovider",
        "--rootdir", str(installed), "-c", str(HERE / "peers_pytest.ini"), *arguments, *tests,
    ]
    environment = {**os.environ, "EARTH_FFT_SHORT": "" if is_whole else "1"}
    return subprocess.run(command, cwd=HERE, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
