"""Plan objects, the cache, wisdom."""

import json

import numpy as np
import pytest

import earth_fft

RNG = np.random.default_rng(3)


def numbers(shape, dtype="complex128"):
    """Return random numbers of a dtype."""
    values = RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)
    return (values if dtype[0] == "c" else values.real).astype(dtype)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("axes", [None, 0, (1,), (0, 2), (2, 1, 0)])
def test_every_kind(axes, norm, dtype):
    shape = (3, 4, 10)
    used = (0, 1, 2) if axes is None else np.atleast_1d(axes).tolist()
    bound = 1e-4 if dtype == "complex64" else 1e-12
    x = numbers(shape, dtype)
    for inverse in (False, True):
        plan = earth_fft.plan(shape, dtype, axes=axes, inverse=inverse, norm=norm)
        expected = (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=used, norm=norm)
        assert np.abs(plan(x) - expected).max() < bound
        assert plan(x).dtype == dtype
    real = x.real.copy()
    spectrum = np.fft.rfftn(real, axes=used, norm=norm).astype(dtype)
    plan = earth_fft.plan(shape, real.dtype, axes=axes, kind="r2c", norm=norm)
    assert np.abs(plan(real) - spectrum).max() < bound
    assert plan.output_shape == list(spectrum.shape)
    plan = earth_fft.plan(shape, dtype, axes=axes, kind="c2r", norm=norm)
    kept = spectrum.copy()
    assert np.abs(plan(spectrum) - real).max() < bound
    assert np.array_equal(spectrum, kept)
    assert np.abs(plan(spectrum, overwrite_x=True) - real).max() < bound


def test_outputs():
    x = numbers((8, 9))
    plan = earth_fft.plan((8, 9))
    expected = np.fft.fftn(x)
    for out in (np.empty_like(x), np.empty((9, 8), complex).T, np.empty((16, 9), complex)[::-2]):
        assert plan(x, out=out) is out
        assert np.allclose(out, expected)
    assert np.allclose(plan(np.asfortranarray(x)), expected)
    assert np.allclose(plan(x[::-1]), np.fft.fftn(x[::-1]))
    overlapping = x.copy()
    plan(overlapping, out=overlapping[::-1])
    assert np.allclose(overlapping[::-1], expected)
    assert plan(x, out=x) is x
    assert np.allclose(x, expected)


def test_errors_of_calls():
    plan = earth_fft.plan((4, 5), "complex64")
    with pytest.raises(TypeError, match="dtype complex64"):
        plan(np.zeros((4, 5), complex))
    with pytest.raises(TypeError, match="dtype complex64"):
        plan([[1.0] * 5] * 4)
    with pytest.raises(ValueError, match=r"shape \(5, 4\) where \(4, 5\)"):
        plan(np.zeros((5, 4), "c8"))
    with pytest.raises(ValueError, match="out has the shape"):
        plan(np.zeros((4, 5), "c8"), out=np.zeros((4, 4), "c8"))
    with pytest.raises(ValueError, match="two C-contiguous arrays"):
        plan.seconds(np.zeros((4, 5), "c8"), np.zeros((5, 4), "c8").T, 1)


def test_texts():
    plan = earth_fft.plan((4, 5), "float32", axes=1, kind="r2c", workers=2)
    assert repr(plan) == "<earth_fft.Plan float32 (4, 5) to complex64 (4, 3), axes (1,)>"
    assert "real numbers to complex points" in str(plan)
    assert (plan.input_dtype, plan.output_dtype) == ("float32", "complex64")
    assert (plan.input_shape, plan.output_shape, plan.workers) == ([4, 5], [4, 3], 2)


def test_cache():
    earth_fft.clear_cache()
    hits, misses, plans, most = earth_fft.cache_info()
    assert (plans, most) == (0, 256)
    for _ in range(3):
        earth_fft.fft(np.zeros(48, complex))
    # Other strides, lengths, dtypes and numbers of threads are other plans.
    earth_fft.fft(np.zeros(96, complex)[::2])
    earth_fft.fft(np.zeros(48, "c8"))
    earth_fft.fft(np.zeros(48, complex), workers=2)
    assert earth_fft.cache_info() == (hits + 2, misses + 4, 4, 256)
    try:
        earth_fft.set_cache_size(2)
        assert earth_fft.cache_info()[2:] == (2, 2)
        # The plan used last stays.
        earth_fft.fft(np.zeros(48, "c8"))
        earth_fft.fft(np.zeros(49, complex))
        earth_fft.fft(np.zeros(48, "c8"))
        assert earth_fft.cache_info()[0] == hits + 4
        earth_fft.set_cache_size(0)
        assert np.allclose(earth_fft.fft(np.ones(50)), 50 * np.eye(50)[0])
        assert earth_fft.cache_info()[2:] == (0, 0)
    finally:
        earth_fft.set_cache_size(256)


def test_wisdom(tmp_path):
    file = tmp_path / "wisdom.json"
    x = numbers((256, 256))
    expected = np.fft.fft2(x)
    try:
        earth_fft.set_effort("measure")
        assert earth_fft.get_effort() == "measure"
        assert np.allclose(earth_fft.fft2(x, workers=2), expected)
        assert earth_fft.save_wisdom(file) == 1
        earth_fft.set_effort("estimate")
        earth_fft.forget_wisdom()
        assert earth_fft.save_wisdom(tmp_path / "empty.json") == 0
        assert earth_fft.load_wisdom(str(file)) == 1
        assert np.allclose(earth_fft.fft2(x, workers=2), expected)
        # Another program has saved meanwhile, and its plans stay.
        earth_fft.forget_wisdom()
        assert earth_fft.save_wisdom(file) == 1
        assert len(json.loads(file.read_text())["plans"]) == 1
        file.write_text("no wisdom")
        with pytest.raises(ValueError, match="wisdom"):
            earth_fft.load_wisdom(file)
    finally:
        earth_fft.set_effort("estimate")
        earth_fft.forget_wisdom()


def test_effort_of_a_plan():
    plan = earth_fft.plan((32, 32), workers=2, effort="measure")
    x = numbers((32, 32))
    assert np.allclose(plan(x), np.fft.fft2(x))
    earth_fft.forget_wisdom()
