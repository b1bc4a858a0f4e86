"""Run NumPy's own tests of numpy.fft with the functions of earth_fft.

usage: run_numpy_tests.py [pytest arguments]

The tests that numpy_known.txt lists may fail: its file says why.
"""

import pathlib
import subprocess
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent


def main(arguments):
    """Run pytest in a process of its own, with the plugin, and return its exit code."""
    installed = pathlib.Path(numpy.__file__).parent / "fft"
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "numpy_plugin", "-p", "no:cacheprovider",
        "--rootdir", str(installed), "-c", str(HERE / "peers_pytest.ini"), *arguments,
        str(installed / "tests" / "test_pocketfft.py"),
    ]
    return subprocess.run(command, cwd=HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
