"""Array types used throughout the package."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Shorts: TypeAlias = NDArray[np.int16]
Ids: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
