"""The Fourier transforms against numpy.fft: dtypes, strides, axes, padding, norms, outputs."""

import itertools

import numpy as np
import pytest

import earth_fft

COMPLEX = ("fft", "ifft")
SEVERAL = ("fftn", "ifftn", "fft2", "ifft2")
NAMES = (*COMPLEX, "rfft", "irfft", "hfft", "ihfft")
REAL = ("rfft", "ihfft", "rfftn", "rfft2", "ihfftn", "ihfft2")
RNG = np.random.default_rng(1)


def numbers(shape, dtype="complex128"):
    """Return random numbers."""
    values = RNG.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * RNG.standard_normal(shape)
    return values.astype(dtype)


def close(result, expected, precision="complex128"):
    """Check the shape and the values, to a part of the largest value."""
    assert result.shape == expected.shape
    single = np.dtype(precision) in (np.float32, np.complex64, np.float16)
    bound = (1e-5 if single else 1e-13) * max(1.0, np.abs(expected).max(initial=0.0))
    assert np.abs(result - expected).max(initial=0.0) <= bound


def usual(name):
    """Return the dtype of x that a function takes without conversion."""
    return "float64" if name in REAL else "complex128"


@pytest.mark.parametrize("n", [1, 2, 3, 7, 16, 60, 97, 143, 1024, 1009, 6000])
@pytest.mark.parametrize("name", NAMES)
def test_lengths(name, n):
    x = numbers(n, usual(name))
    if name in ("irfft", "hfft"):
        close(getattr(earth_fft, name)(x, n), getattr(np.fft, name)(x, n))
        close(getattr(earth_fft, name)(x, 2 * n - 1), getattr(np.fft, name)(x, 2 * n - 1))
    else:
        close(getattr(earth_fft, name)(x), getattr(np.fft, name)(x))


def test_the_definition():
    x = numbers(12)
    k = np.arange(12)
    matrix = np.exp(-2j * np.pi * np.outer(k, k) / 12)
    close(earth_fft.fft(x), matrix @ x)
    close(earth_fft.ifft(x), matrix.conj() @ x / 12)


DTYPES = ["f2", "f4", "f8", "c8", "c16", ">f4", ">f8", ">c8", ">c16", "i1", "u2", "i4", "i8", "?"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_dtypes(name, dtype):
    x = (4 * numbers((3, 10), "float64")).astype(dtype)
    if np.iscomplexobj(x) and name in REAL:
        with pytest.raises(TypeError):
            getattr(earth_fft, name)(x)
        return
    result = getattr(earth_fft, name)(x)
    double = np.dtype(dtype).newbyteorder("=") not in (np.float16, np.float32, np.complex64)
    is_real = name in ("irfft", "hfft")
    names = {(0, 0): "c8", (0, 1): "c16", (1, 0): "f4", (1, 1): "f8"}
    assert result.dtype == names[is_real, double]
    close(result, getattr(np.fft, name)(x.astype("c16" if np.iscomplexobj(x) else "f8")),
          result.dtype)


def test_objects_that_are_no_arrays():
    close(earth_fft.fft([1, 2, 3]), np.fft.fft([1, 2, 3]))
    close(earth_fft.rfft(range(5)), np.fft.rfft(range(5)))
    close(earth_fft.fft(np.arange(4, dtype=object)), np.fft.fft(np.arange(4.0)))

    class WithArray:
        def __array__(self, dtype=None, copy=None):
            return np.arange(6.0, dtype=dtype)

    close(earth_fft.fft(WithArray()), np.fft.fft(np.arange(6.0)))


VIEWS = {
    "fortran": np.asfortranarray,
    "negative": lambda x: x[::-1, :, ::-1],
    "sliced": lambda x: x[::2, 1:, ::3],
    "transposed": lambda x: x.transpose(1, 2, 0),
    "broadcast": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
}


def misaligned(x):
    """Return a copy at an odd address."""
    memory = np.zeros(x.nbytes + 1, np.uint8)
    copy = memory[1:].view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


TAKEN = [
    (name, dtype)
    for name in (*NAMES, *SEVERAL, "rfftn", "irfftn", "rfft2", "irfft2")
    for dtype in ("f4", "f8", "c8", "c16")
    if name not in REAL or dtype[0] == "f"
]


@pytest.mark.parametrize("view", [*VIEWS, "misaligned"])
@pytest.mark.parametrize(("name", "dtype"), TAKEN)
def test_strides(name, dtype, view):
    x = VIEWS.get(view, misaligned)(numbers((6, 5, 12), dtype))
    before = x.copy()
    close(getattr(earth_fft, name)(x), getattr(np.fft, name)(x), dtype)
    assert np.array_equal(x, before)
    # The same strides in place.
    if x.flags.writeable and view != "broadcast":
        close(getattr(earth_fft, name)(x, overwrite_x=True), getattr(np.fft, name)(before), dtype)


def test_strides_that_are_no_whole_elements():
    packed = np.zeros(10, [("x", "c16"), ("y", "f8")])
    packed["x"] = numbers(10)
    close(earth_fft.fft(packed["x"]), np.fft.fft(packed["x"]))
    out = packed["x"]
    with pytest.raises(TypeError):
        earth_fft.fft(numbers(10), out=out)


@pytest.mark.parametrize("axis", [-3, -2, -1, 0, 1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_axis(name, axis):
    x = numbers((4, 5, 6), usual(name))
    close(getattr(earth_fft, name)(x, axis=axis), getattr(np.fft, name)(x, axis=axis))


AXES = [axes for count in (1, 2, 3) for axes in itertools.permutations(range(3), count)]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_axes(name, axes):
    for dtype in ("f8", "c16") if name not in REAL else ("f8",):
        x = numbers((4, 5, 6), dtype)
        close(getattr(earth_fft, name)(x, axes=axes), getattr(np.fft, name)(x, axes=axes))


def test_many_axes():
    x = numbers((2, 3, 2, 3, 2, 2, 3))
    close(earth_fft.fftn(x), np.fft.fftn(x))
    close(earth_fft.fftn(x.real), np.fft.fftn(x.real))
    close(earth_fft.rfftn(x.real), np.fft.rfftn(x.real))
    close(earth_fft.irfftn(x), np.fft.irfftn(x))


def hermitian(x, axes):
    """Return hfftn by the definition: the transform of the conjugates in the other direction."""
    return np.fft.irfftn(x.conj(), axes=axes, norm="forward")


def test_hermitian_signals_of_several_axes():
    x = numbers((4, 5, 6))
    for axes in (None, (0, 1), (2,), (-1, 0)):
        used = tuple(range(3)) if axes is None else axes
        close(earth_fft.hfftn(x, axes=axes), hermitian(x, used))
        back = np.fft.rfftn(x.real, axes=used, norm="forward").conj()
        close(earth_fft.ihfftn(x.real, axes=axes), back)
    close(earth_fft.hfft2(x), hermitian(x, (-2, -1)))
    close(earth_fft.ihfft2(x.real), np.fft.rfftn(x.real, axes=(-2, -1), norm="forward").conj())


@pytest.mark.parametrize("n", [1, 5, 8, 9, 20])
@pytest.mark.parametrize("name", NAMES)
def test_cropping_and_padding(name, n):
    x = numbers((3, 8, 2), usual(name))
    for axis in (0, 1, 2):
        expected = getattr(np.fft, name)(x, n, axis)
        close(getattr(earth_fft, name)(x, n, axis), expected)
        close(getattr(earth_fft, name)(x[::-1], n, axis, overwrite_x=False),
              getattr(np.fft, name)(x[::-1], n, axis))
    if name in COMPLEX:
        close(getattr(earth_fft, name)(x.real, n, 1), getattr(np.fft, name)(x.real, n, 1))


@pytest.mark.parametrize("s", [(4, 4), (9, 3), (2, 20), (-1, 5)])
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "irfft2"])
def test_cropping_and_padding_of_several_axes(name, s):
    x = numbers((3, 6, 5), usual(name))
    known = tuple(x.shape[1 + at] if length == -1 else length for at, length in enumerate(s))
    close(getattr(earth_fft, name)(x, s), getattr(np.fft, name)(x, known, axes=(-2, -1)))
    close(getattr(earth_fft, name)(x, s, axes=(1, 2)),
          getattr(np.fft, name)(x, known, axes=(1, 2)))


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", [*NAMES, *SEVERAL, "rfftn", "irfftn"])
def test_norms(name, norm):
    for dtype in (usual(name), "float64"):
        x = numbers((6, 9), dtype)
        close(getattr(earth_fft, name)(x, norm=norm), getattr(np.fft, name)(x, norm=norm))


def test_overwriting():
    x = numbers((4, 8))
    expected = np.fft.fft(x)
    result = earth_fft.fft(x, overwrite_x=True)
    close(result, expected)
    assert result is x
    x = numbers((4, 8))
    kept = x.copy()
    earth_fft.irfft(x)
    assert np.array_equal(x, kept)
    close(earth_fft.irfft(x, overwrite_x=True), np.fft.irfft(kept))


def test_outputs():
    x = numbers((4, 8))
    for out in (np.empty((4, 8), complex), np.empty((8, 4), complex).T,
                np.empty((8, 16), complex)[::2, ::-2]):
        assert earth_fft.fft(x, out=out) is out
        close(out, np.fft.fft(x))
        earth_fft.fft(x.real, out=out)
        close(out, np.fft.fft(x.real))
    half = np.empty((4, 10), complex)[:, ::2]
    assert earth_fft.ihfft(x.real, out=half) is half
    close(half, np.fft.ihfft(x.real))
    gaps = np.full((4, 10), 7.0 + 7.0j)
    earth_fft.ihfft(x.real, out=gaps[:, ::2])
    assert (gaps[:, 1::2] == 7.0 + 7.0j).all()


def test_outputs_that_overlap_the_input():
    x = numbers(64)
    expected = np.fft.fft(x)
    same = x.copy()
    assert earth_fft.fft(same, out=same) is same
    close(same, expected)
    reversed_ = x.copy()
    earth_fft.fft(reversed_, out=reversed_[::-1])
    close(reversed_[::-1], expected)
    memory = np.concatenate([x, np.zeros(1)])
    earth_fft.fft(memory[:64], out=memory[1:])
    close(memory[1:], expected)


def test_order_of_the_result():
    x = np.asfortranarray(numbers((4, 5)))
    assert earth_fft.fftn(x).flags.f_contiguous
    assert earth_fft.fftn(x.T).flags.c_contiguous


def test_arrays_without_elements():
    assert earth_fft.fft(np.zeros((0, 4))).shape == (0, 4)
    assert earth_fft.rfft(np.zeros((0, 4))).shape == (0, 3)
    assert earth_fft.irfft(np.zeros((0, 4))).shape == (0, 6)
    assert earth_fft.dct(np.zeros((0, 4))).shape == (0, 4)


@pytest.mark.parametrize("workers", [1, 2, -1])
def test_workers(workers):
    for shape in ((64, 4096), (1024, 1024), (1 << 19,)):
        x = numbers(shape)
        close(earth_fft.fftn(x, workers=workers), np.fft.fftn(x))
    x = numbers((512, 512))
    close(earth_fft.fft(x, workers=workers), np.fft.fft(x))
    close(earth_fft.irfft(earth_fft.rfft(x.real, workers=workers), workers=workers), x.real)


@pytest.mark.parametrize("shape", [(262147,), (1 << 18,), (509, 521), (64, 65, 66), (1 << 17, 2)])
def test_large_arrays_of_two_workers(shape):
    z = numbers(shape)
    for x in (z, np.asfortranarray(z), z[::-1], z.T):
        for axes in {tuple(range(x.ndim)), (0,), (x.ndim - 1,)}:
            for name in ("fftn", "ifftn", "irfftn"):
                if x.shape[axes[-1]] > 1:
                    result = getattr(earth_fft, name)(x, axes=axes, workers=2)
                    close(result, getattr(np.fft, name)(x, axes=axes))
            result = earth_fft.rfftn(x.real, axes=axes, workers=2)
            close(result, np.fft.rfftn(x.real, axes=axes))


def test_default_of_workers():
    assert earth_fft.get_workers() == 1
    with earth_fft.set_workers(2):
        assert earth_fft.get_workers() == 2
        with earth_fft.set_workers(3):
            assert earth_fft.get_workers() == 3
        assert earth_fft.get_workers() == 2
    assert earth_fft.get_workers() == 1
