"""Threads, processes that fork, the import, and the backend of scipy.fft."""

import multiprocessing
import subprocess
import sys
import threading

import numpy as np
import pytest

import earth_fft


def test_eight_threads_share_one_plan():
    x = np.random.default_rng(4).standard_normal((8, 256, 128)) + 0j
    plan = earth_fft.plan((256, 128), workers=2)
    expected = np.fft.fft2(x)
    wrong = []

    def work(at):
        out = np.empty((256, 128), complex)
        for _ in range(40):
            if not np.allclose(plan(x[at], out=out), expected[at]):
                wrong.append(at)
            if not np.allclose(earth_fft.fft2(x[at], workers=2), expected[at]):
                wrong.append(at)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_have_their_own_default_of_workers():
    seen = []
    with earth_fft.set_workers(2):
        thread = threading.Thread(target=lambda: seen.append(earth_fft.get_workers()))
        thread.start()
        thread.join()
    assert seen == [1]


def transform(at, workers):
    """Return the largest difference from NumPy, in a process that was forked."""
    x = np.random.default_rng(at).standard_normal((1024, 1024)) + 0j
    return np.abs(earth_fft.fft2(x, workers=workers) - np.fft.fft2(x)).max()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.parametrize("workers", [1, 2])
def test_forked_processes(workers):
    assert transform(0, workers) < 1e-9
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.starmap_async(transform, [(at, workers) for at in range(4)])
        assert max(results.get(timeout=120)) < 1e-9
    assert transform(5, workers) < 1e-9


def test_the_import_loads_no_scipy():
    code = "import sys, earth_fft; print('scipy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_the_backend():
    scipy_fft = pytest.importorskip("scipy.fft")
    x = np.random.default_rng(6).standard_normal((4, 12))
    before = earth_fft.backend_calls()
    with scipy_fft.set_backend(earth_fft, only=True):
        assert np.allclose(scipy_fft.fft(x), np.fft.fft(x))
        assert np.allclose(scipy_fft.rfftn(x, axes=(0,), workers=2), np.fft.rfft(x, axis=0))
        assert np.allclose(scipy_fft.idct(scipy_fft.dct(x)), x)
        with scipy_fft.set_workers(2):
            assert np.allclose(scipy_fft.fft2(x), np.fft.fft2(x))
        assert np.allclose(scipy_fft.fft(x=x), np.fft.fft(x))
    assert earth_fft.backend_calls() == before + 6
    assert earth_fft.get_workers() == 1


def test_the_backend_leaves_the_rest_to_scipy():
    scipy_fft = pytest.importorskip("scipy.fft")
    before = earth_fft.backend_calls()
    with scipy_fft.set_backend(earth_fft):
        assert scipy_fft.fft(np.ones(4, np.longdouble)).dtype == np.clongdouble
        assert earth_fft.backend_calls() == before
        scipy_fft.fht(np.ones(8), 0.1, 0.0)
    assert earth_fft.__ua_function__(scipy_fft.fht, (np.ones(8), 0.1, 0.0), {}) is NotImplemented


class Foreign:
    """An array of another library."""

    def __array_namespace__(self):
        return None


def test_the_backend_takes_no_arrays_of_other_libraries():
    scipy_fft = pytest.importorskip("scipy.fft")
    assert earth_fft.__ua_function__(scipy_fft.fft, (Foreign(),), {}) is NotImplemented
    assert earth_fft.__ua_function__(scipy_fft.fft, (), {"x": Foreign()}) is NotImplemented
