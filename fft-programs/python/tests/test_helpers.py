"""Frequencies, shifts, fast lengths and help texts."""

import ast
import inspect
import pathlib

import numpy as np
import pytest

import earth_fft


@pytest.mark.parametrize("n", [1, 2, 7, 10])
def test_frequencies(n):
    assert np.allclose(earth_fft.fftfreq(n, 0.25), np.fft.fftfreq(n, 0.25), 1e-15, 0)
    assert np.allclose(earth_fft.rfftfreq(n, 0.25), np.fft.rfftfreq(n, 0.25), 1e-15, 0)
    with pytest.raises(ValueError, match="at least 1"):
        earth_fft.fftfreq(0)
    with pytest.raises(TypeError):
        earth_fft.rfftfreq(2.5)


@pytest.mark.parametrize("axes", [None, 0, (1,), (0, -1)])
def test_shifts(axes):
    x = np.arange(30).reshape(5, 6)
    assert np.array_equal(earth_fft.fftshift(x, axes), np.fft.fftshift(x, axes))
    assert np.array_equal(earth_fft.ifftshift(x, axes), np.fft.ifftshift(x, axes))


def test_fast_lengths():
    fast = [earth_fft.next_fast_len(n) for n in range(31)]
    assert fast == [1, *range(1, 17), 18, 18, 20, 20, 21, 22, 24, 24, 25, 26, 27, 28, 30, 30]
    assert [earth_fft.next_fast_len(n, real=True) for n in (1, 3, 17, 27)] == [1, 4, 18, 28]
    with pytest.raises(ValueError, match="negative"):
        earth_fft.next_fast_len(-1)
    with pytest.raises(TypeError):
        earth_fft.next_fast_len(2.5)


@pytest.mark.parametrize("name", earth_fft.__all__)
def test_help(name):
    object_ = getattr(earth_fft, name)
    lines = inspect.getdoc(object_).splitlines()
    assert lines[0].endswith((".", ":")) or "Return" in lines[0]
    assert max(map(len, lines)) <= 100
    if callable(object_) and not inspect.isclass(object_):
        assert inspect.signature(object_) is not None


def test_signatures():
    scipy_fft = pytest.importorskip("scipy.fft")
    for name in earth_fft.__all__:
        if name[-3:] in ("fft", "ft2", "ftn", "dct", "dst", "ctn", "stn"):
            ours = list(inspect.signature(getattr(earth_fft, name)).parameters.values())
            theirs = list(inspect.signature(getattr(scipy_fft, name)).parameters.values())
            assert [(p.name, p.default) for p in ours if p.name != "out"] == [
                (p.name, p.default) for p in theirs
            ]


def test_stubs():
    stub = pathlib.Path(earth_fft.__file__).with_name("__init__.pyi")
    tree = ast.parse(stub.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for name in earth_fft.__all__:
        if name in classes:
            continue
        arguments = functions[name].args
        names = [each.arg for each in (*arguments.args, *arguments.kwonlyargs)]
        assert names == list(inspect.signature(getattr(earth_fft, name)).parameters)
