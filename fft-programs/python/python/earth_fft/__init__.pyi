"""Types of earth_fft. The help of each function has its shapes and dtypes."""

import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Literal, SupportsIndex, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_Norm = Literal["backward", "ortho", "forward"] | None
_Effort = Literal["estimate", "measure", "patient"]
_Integers = SupportsIndex | Sequence[SupportsIndex]
_Complex = NDArray[np.complexfloating[Any, Any]]
_Real = NDArray[np.floating[Any]]
_Number = NDArray[np.inexact[Any]]

__version__: str
__ua_domain__: str

def __ua_function__(
    method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any: ...
def backend_calls() -> int: ...

class Unsupported(TypeError): ...

@final
class Plan:
    def __call__(
        self, x: _Number, out: _Number | None = None, overwrite_x: bool = False
    ) -> _Number: ...
    def seconds(self, x: _Number, out: _Number, calls: int) -> float: ...
    @property
    def input_shape(self) -> list[int]: ...
    @property
    def output_shape(self) -> list[int]: ...
    @property
    def input_dtype(self) -> str: ...
    @property
    def output_dtype(self) -> str: ...
    @property
    def workers(self) -> int: ...

@final
class _Workers:
    def __enter__(self) -> None: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

def plan(
    shape: _Integers,
    dtype: DTypeLike | None = None,
    axes: _Integers | None = None,
    kind: Literal["c2c", "r2c", "c2r"] = "c2c",
    inverse: bool = False,
    norm: _Norm = None,
    workers: int | None = None,
    effort: _Effort | None = None,
) -> Plan: ...
def set_effort(effort: _Effort) -> None: ...
def get_effort() -> _Effort: ...
def load_wisdom(path: str | os.PathLike[str]) -> int: ...
def save_wisdom(path: str | os.PathLike[str]) -> int: ...
def forget_wisdom() -> None: ...
def cache_info() -> tuple[int, int, int, int]: ...
def clear_cache() -> None: ...
def set_cache_size(plans: int) -> None: ...
def set_workers(workers: int) -> _Workers: ...
def get_workers() -> int: ...
def fftfreq(n: SupportsIndex, d: float = 1.0) -> NDArray[np.float64]: ...
def rfftfreq(n: SupportsIndex, d: float = 1.0) -> NDArray[np.float64]: ...
def fftshift(x: ArrayLike, axes: _Integers | None = None) -> NDArray[Any]: ...
def ifftshift(x: ArrayLike, axes: _Integers | None = None) -> NDArray[Any]: ...
def next_fast_len(target: SupportsIndex, real: bool = False) -> int: ...
def fft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def ifft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def rfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def irfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Real | None = None,
) -> _Real: ...
def hfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Real | None = None,
) -> _Real: ...
def ihfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def fft2(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def ifft2(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def rfft2(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def irfft2(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Real | None = None,
) -> _Real: ...
def hfft2(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Real | None = None,
) -> _Real: ...
def ihfft2(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def fftn(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def ifftn(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def rfftn(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def irfftn(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Real | None = None,
) -> _Real: ...
def hfftn(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Real | None = None,
) -> _Real: ...
def ihfftn(
    x: ArrayLike,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Complex | None = None,
) -> _Complex: ...
def dct(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Number | None = None,
) -> _Number: ...
def idct(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Number | None = None,
) -> _Number: ...
def dst(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Number | None = None,
) -> _Number: ...
def idst(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Number | None = None,
) -> _Number: ...
def dctn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
    out: _Number | None = None,
) -> _Number: ...
def idctn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
    out: _Number | None = None,
) -> _Number: ...
def dstn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
    out: _Number | None = None,
) -> _Number: ...
def idstn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: _Integers | None = None,
    axes: _Integers | None = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
    out: _Number | None = None,
) -> _Number: ...
