"""Array types used throughout the package."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Shorts: TypeAlias = NDArray[np.int16]
Ids: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Real = TypeVar("Real", np.float32, np.float64)


def normalized(rows: NDArray[Real]) -> NDArray[Real]:
    """Rows scaled to length 1; a row of zeros stays as it is."""
    unit: NDArray[Real] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit
