"""The cosine and sine transforms against their definitions."""

import numpy as np
import pytest

import earth_fft

RNG = np.random.default_rng(2)


def matrix(is_sine, number, n):
    """Return the matrix of a transform without factors, as its definition has it."""
    j, k = np.arange(n)[None, :], np.arange(n)[:, None]
    if not is_sine:
        if number == 1:
            matrix = 2 * np.cos(np.pi * j * k / (n - 1))
            matrix[:, [0, -1]] /= 2
        elif number == 2:
            matrix = 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n))
        elif number == 3:
            matrix = 2 * np.cos(np.pi * j * (2 * k + 1) / (2 * n))
            matrix[:, 0] /= 2
        else:
            matrix = 2 * np.cos(np.pi * (2 * j + 1) * (2 * k + 1) / (4 * n))
        return matrix
    if number == 1:
        return 2 * np.sin(np.pi * (j + 1) * (k + 1) / (n + 1))
    if number == 2:
        return 2 * np.sin(np.pi * (k + 1) * (2 * j + 1) / (2 * n))
    if number == 3:
        matrix = 2 * np.sin(np.pi * (j + 1) * (2 * k + 1) / (2 * n))
        matrix[:, -1] /= 2
        return matrix
    return 2 * np.sin(np.pi * (2 * j + 1) * (2 * k + 1) / (4 * n))


def period(is_sine, number, n):
    """Return the N of the norms."""
    return 2 * (n if number > 1 else n + 1 if is_sine else n - 1)


CASES = [(is_sine, number) for is_sine in (False, True) for number in (1, 2, 3, 4)]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "f2"])
@pytest.mark.parametrize(("is_sine", "number"), CASES)
def test_definitions(is_sine, number, dtype):
    for n in (2, 3, 8, 15, 31):
        x = (8 * RNG.standard_normal((3, n))).astype(dtype)
        if dtype[0] == "c":
            x = x + 1j * x[::-1]
        function = earth_fft.dst if is_sine else earth_fft.dct
        result = function(x, number)
        expected = x @ matrix(is_sine, number, n).T
        single = result.dtype in (np.float32, np.complex64)
        assert single == (dtype in ("f2", "f4", "c8"))
        assert np.iscomplexobj(result) == (dtype[0] == "c")
        assert np.abs(result - expected).max() <= (1e-5 if single else 1e-13) * 8 * n
        back = (earth_fft.idst if is_sine else earth_fft.idct)(result, number)
        assert np.abs(back - x).max() <= (1e-4 if single else 1e-12)


@pytest.mark.parametrize(("is_sine", "number"), CASES)
def test_norms(is_sine, number):
    n = 9
    x = RNG.standard_normal(n)
    name = "dst" if is_sine else "dct"
    there, back = getattr(earth_fft, name), getattr(earth_fft, "i" + name)
    plain, whole = there(x, number), period(is_sine, number, n)
    assert np.allclose(there(x, number, norm="forward"), plain / whole)
    scaled = there(x, number, norm="ortho", orthogonalize=False)
    assert np.allclose(scaled, plain / np.sqrt(whole))
    for norm in (None, "backward", "ortho", "forward"):
        for orthogonalize in (None, True, False):
            options = {"norm": norm, "orthogonalize": orthogonalize}
            assert np.allclose(back(there(x, number, **options), number, **options), x)


@pytest.mark.parametrize(("is_sine", "number"), CASES)
def test_the_orthogonal_matrix(is_sine, number):
    function = earth_fft.dst if is_sine else earth_fft.dct
    columns = function(np.eye(7), number, axis=0, norm="ortho")
    assert np.allclose(columns @ columns.T, np.eye(7))


@pytest.mark.parametrize("name", ["dct", "dst", "idct", "idst"])
def test_several_axes(name):
    x = RNG.standard_normal((4, 5, 6))
    one, many = getattr(earth_fft, name), getattr(earth_fft, name + "n")
    for number in (1, 2, 3, 4):
        for norm in (None, "ortho"):
            for axes in (None, (0, 2), (1,), (2, 0)):
                expected = x
                for axis in range(3) if axes is None else axes:
                    expected = one(expected, number, axis=axis, norm=norm)
                assert np.allclose(many(x, number, axes=axes, norm=norm), expected)
                complex_ = many(x + 2j * x, number, axes=axes, norm=norm)
                assert np.allclose(complex_, expected + 2j * expected)


def test_views_lengths_and_overwriting():
    x = RNG.standard_normal((6, 10))
    for view in (x[::-1, ::-2], x.T, x[1:, 3:], np.asfortranarray(x)):
        for norm in (None, "ortho"):
            expected = earth_fft.dct(np.ascontiguousarray(view), norm=norm)
            assert np.allclose(earth_fft.dct(view, norm=norm), expected)
            expected = earth_fft.dct(np.ascontiguousarray(view), 3, norm=norm)
            assert np.allclose(earth_fft.dct(view, 3, norm=norm), expected)
            own = view.copy()
            assert np.allclose(earth_fft.dct(own, 3, norm=norm, overwrite_x=True), expected)
    assert np.allclose(earth_fft.dct(x, n=4), earth_fft.dct(x[:, :4]))
    padded = np.concatenate([x, np.zeros((6, 3))], 1)
    assert np.allclose(earth_fft.dct(x, n=13), earth_fft.dct(padded))
    out = np.empty((10, 6)).T
    assert earth_fft.dct(x, norm="ortho", out=out) is out
    assert np.allclose(out, earth_fft.dct(x, norm="ortho"))


def test_errors():
    with pytest.raises(ValueError, match="type must be 1, 2, 3 or 4"):
        earth_fft.dct([1.0, 2.0], 5)
    with pytest.raises(ValueError, match="a cosine transform 1 of 1 numbers"):
        earth_fft.dct([1.0], 1)
    with pytest.raises(ValueError, match="at least 1"):
        earth_fft.dst([1.0], n=0)
    with pytest.raises(TypeError, match="longdouble"):
        earth_fft.dct(np.zeros(3, np.longdouble))
