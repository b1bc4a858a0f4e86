"""Compare earth_fft with numpy.fft, scipy.fft, pyfftw and mkl_fft, as far as they are installed.

usage: benchmarks.py [--rounds N] [--seconds S] [--first] [--overhead] [--import] [--sizes]

Without a choice, all four parts run.

--import    time of the import beside the import of NumPy, in fresh processes
--first     plan and first call after the imports, in fresh processes
--overhead  calls of a plan object, of functions and of the backend beside the Rust plan
--sizes     repeated calls of 24 sizes, two threads each

Each of the 11 rounds runs all contestants one after the other. Numbers are medians, with the
least and the largest. A ratio is the time of the better of scipy.fft and pyfftw, divided by
that of an earth_fft.Plan: above 1, earth_fft is faster. The plans of earth_fft and of pyfftw,
which are measured, write to an array of the caller. The functions of all make a new array in
each call. numpy.fft and mkl_fft choose their threads.
"""

import argparse
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import time

# The threads of MKL would otherwise spin during the calls of the others.
os.environ.setdefault("KMP_BLOCKTIME", "0")

import numpy as np  # noqa: E402

THREADS = 2

# Kind, shape, transformed axes, dtype of x.
SIZES = [
    ("c2c", (256,), (0,), "complex128"),
    ("c2c", (1024,), (0,), "complex64"),
    ("c2c", (4096,), (0,), "complex128"),
    ("c2c", (10000,), (0,), "complex128"),
    ("c2c", (65536,), (0,), "complex128"),
    ("c2c", (1048576,), (0,), "complex128"),
    ("c2c", (1000000,), (0,), "complex64"),
    ("r2c", (1000,), (0,), "float64"),
    ("r2c", (65536,), (0,), "float64"),
    ("r2c", (1048576,), (0,), "float32"),
    ("c2c", (4096, 64), (1,), "complex128"),
    ("c2c", (1024, 1000), (1,), "complex64"),
    ("c2c", (1024, 512), (0,), "complex128"),
    ("r2c", (2048, 512), (1,), "float64"),
    ("r2c", (500, 1500), (1,), "float32"),
    ("c2c", (64, 64), (0, 1), "complex128"),
    ("c2c", (512, 512), (0, 1), "complex128"),
    ("c2c", (1024, 1024), (0, 1), "complex64"),
    ("c2c", (1000, 1000), (0, 1), "complex128"),
    ("r2c", (720, 1280), (0, 1), "float32"),
    ("r2c", (2048, 2048), (0, 1), "float64"),
    ("c2c", (64, 64, 64), (0, 1, 2), "complex128"),
    ("r2c", (100, 100, 100), (0, 1, 2), "float64"),
    ("r2c", (128, 128, 128), (0, 1, 2), "float32"),
]


def installed(name):
    """Return whether a module can be imported."""
    return importlib.util.find_spec(name) is not None


def contestants(kind, x, axes):
    """Return the names of the contestants and functions without arguments."""
    import scipy.fft

    import earth_fft

    name = "rfftn" if kind == "r2c" else "fftn"
    ours, theirs = getattr(earth_fft, name), getattr(scipy.fft, name)
    numpys = getattr(np.fft, name)
    planned = earth_fft.plan(x.shape, x.dtype, axes=axes, kind=kind, workers=THREADS)
    result = planned(x)
    made = {
        "plan": lambda: planned(x, result),
        "earth_fft": lambda: ours(x, axes=axes, workers=THREADS),
        "scipy": lambda: theirs(x, axes=axes, workers=THREADS),
        "numpy": lambda: numpys(x, axes=axes),
    }
    if installed("pyfftw"):
        import pyfftw

        shape = list(x.shape)
        if kind == "r2c":
            shape[axes[-1]] = shape[axes[-1]] // 2 + 1
        single = x.dtype in (np.float32, np.complex64)
        aligned = pyfftw.empty_aligned(x.shape, x.dtype)
        out = pyfftw.empty_aligned(shape, "complex64" if single else "complex128")
        plan = pyfftw.FFTW(
            aligned, out, axes=axes, flags=("FFTW_MEASURE",), threads=THREADS
        )
        aligned[...] = x
        made["pyfftw"] = plan.execute
    if installed("mkl_fft"):
        import mkl_fft

        mkls = getattr(mkl_fft, name)
        made["mkl_fft"] = lambda: mkls(x, axes=axes)
    return made


def numbers(kind, shape, dtype):
    """Return random numbers."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(shape)
    if kind == "c2c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def three(seconds, unit=1e6):
    """Return the median, the least and the largest as text."""
    median, least, most = statistics.median(seconds), min(seconds), max(seconds)
    return f"{median * unit:.4g} [{least * unit:.4g}, {most * unit:.4g}]"


def timed(function, calls):
    """Return the seconds of one of several calls."""
    begun = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - begun) / calls


def repetitions(function, seconds):
    """Return the number of calls that take about so many seconds."""
    return max(1, round(seconds / max(min(timed(function, 2) for _ in range(5)), 1e-7)))


def sizes(rounds, seconds):
    """Print a row for each size, and the geometric mean of the ratios."""
    print("\n| transform | plan, us | function | scipy | pyfftw | mkl_fft | numpy | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = []
    for kind, shape, axes, dtype in SIZES:
        made = contestants(kind, numbers(kind, shape, dtype), axes)
        calls = {name: repetitions(function, seconds) for name, function in made.items()}
        times = {name: [] for name in made}
        for _ in range(rounds):
            for name, function in made.items():
                times[name].append(timed(function, calls[name]))
        medians = {name: statistics.median(each) for name, each in times.items()}
        best = min(medians[name] for name in ("scipy", "pyfftw") if name in medians)
        ratio = best / medians["plan"]
        ratios.append(ratio)
        columns = ("plan", "earth_fft", "scipy", "pyfftw", "mkl_fft", "numpy")
        cells = [three(times[name]) if name in times else "" for name in columns]
        along = "x".join(str(shape[axis]) for axis in axes)
        rest = "" if len(axes) == len(shape) else f" of {'x'.join(map(str, shape))}"
        print(f"| {kind} {along}{rest} {dtype} | {' | '.join(cells)} | {ratio:.2f} |", flush=True)
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"\nRatio: geometric mean {mean:.2f}, least {min(ratios):.2f}, most {max(ratios):.2f}")


def overhead(rounds):
    """Print the time of calls from Python that the Rust plan does not take."""
    import scipy.fft

    import earth_fft

    print("\n| points | Rust plan, us | plan(x, out) | plan(x) | fft(x) | scipy.fft with backend |")
    print("|---|---|---|---|---|---|")
    for n in (16, 256, 1024, 4096, 65536):
        x = numbers("c2c", (n,), "complex128")
        y = np.empty_like(x)
        plan = earth_fft.plan(n)
        calls = max(20, 200_000 // n)
        rows = {
            "rust": lambda: plan.seconds(x, y, calls) / calls,
            "plan": lambda: timed(lambda: plan(x, y), calls),
            "new": lambda: timed(lambda: plan(x), calls),
            "fft": lambda: timed(lambda: earth_fft.fft(x), calls),
            "backend": lambda: timed(lambda: scipy.fft.fft(x), calls),
        }
        times = {name: [] for name in rows}
        with scipy.fft.set_backend(earth_fft):
            for _ in range(rounds):
                for name, function in rows.items():
                    times[name].append(function())
        print(f"| {n} | {' | '.join(map(three, times.values()))} |", flush=True)


FRESH = """
import sys, time
import numpy as np
begun = time.perf_counter()
{imports}
imported = time.perf_counter() - begun
x = {x}
begun = time.perf_counter()
{call}
print(imported, time.perf_counter() - begun)
"""


def fresh(imports, x="None", call="pass"):
    """Return the seconds of the imports and of a call in a new process."""
    code = FRESH.format(imports=imports, x=x, call=call)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return map(float, run.stdout.split())


def imports(rounds):
    """Print the time of each import after that of NumPy."""
    print("\n| import after NumPy | ms |\n|---|---|")
    names = [name for name in ("earth_fft", "scipy.fft", "pyfftw", "mkl_fft")
             if installed(name.partition(".")[0])]
    times = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            times[name].append(next(iter(fresh(f"import {name}"))))
    for name, each in times.items():
        print(f"| {name} | {three(each, 1e3)} |")


def first(rounds):
    """Print the time of the first call in a process."""
    print("\n| first call | earth_fft, us | scipy | ratio |\n|---|---|---|---|")
    ratios = []
    for kind, shape, axes, dtype in SIZES:
        imaginary = "+ 1j" if kind == "c2c" else ""
        x = f"(np.ones({shape}) {imaginary}).astype({dtype!r})"
        name = "rfftn" if kind == "r2c" else "fftn"
        times = {"earth_fft": [], "scipy.fft": []}
        for _ in range(rounds):
            for module, each in times.items():
                call = f"{module}.{name}(x, axes={axes}, workers={THREADS})"
                each.append(list(fresh(f"import {module}", x, call))[1])
        ours, theirs = times.values()
        ratio = statistics.median(theirs) / statistics.median(ours)
        ratios.append(ratio)
        row = f"{kind} {axes} of {'x'.join(map(str, shape))} {dtype}"
        print(f"| {row} | {three(ours)} | {three(theirs)} | {ratio:.2f} |", flush=True)
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"\nRatio: geometric mean {mean:.2f}, least {min(ratios):.2f}, most {max(ratios):.2f}")


def main():
    """Run the parts that are chosen."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.05, help="of a contestant in a round")
    parts = ("import", "first", "overhead", "sizes")
    for part in parts:
        parser.add_argument(f"--{part}", action="store_true")
    arguments = parser.parse_args()
    chosen = [part for part in parts if getattr(arguments, part)] or parts
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, {os.cpu_count()} processors")
    if "import" in chosen:
        imports(arguments.rounds)
    if "first" in chosen:
        first(arguments.rounds)
    if "overhead" in chosen:
        overhead(arguments.rounds)
    if "sizes" in chosen:
        sizes(arguments.rounds, arguments.seconds)


if __name__ == "__main__":
    main()
