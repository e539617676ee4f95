"""Sparse matrices, multiplied by SciPy's compiled routines without importing SciPy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seetopic.runtime.compiled import compiled


@dataclass(frozen=True, eq=False)
class Sparse:
    """A matrix whose zeros are not stored, with the attributes of SciPy's `csr_array` and `csc_array`.

    Row i (with `by_column`: column i) has the values `data[indptr[i] : indptr[i + 1]]`, in the columns (rows) that
    `indices` has at the same places.
    """

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]
    by_column: bool = False

    @staticmethod
    def rows(data: NDArray[Any], columns: NDArray[Any], starts: NDArray[Any], shape: tuple[int, int]) -> Sparse:
        """From the rows' values and columns, one row after the other, and where each row starts."""
        # One type for both: otherwise every product would convert them again.
        kind = np.int32 if max(len(columns), *shape) <= np.iinfo(np.int32).max else np.int64
        return Sparse(data, columns.astype(kind, copy=False), starts.astype(kind, copy=False), shape)

    @property
    def nnz(self) -> int:
        """The number of stored values."""
        return len(self.data)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    @property
    def T(self) -> Sparse:  # noqa: N802 - as in NumPy
        """The transposed matrix, with the same arrays."""
        return replace(self, shape=self.shape[::-1], by_column=not self.by_column)

    def tocsr(self) -> Sparse:
        """The same matrix by rows."""
        return self.T.tocsc().T if self.by_column else self

    def tocsc(self) -> Sparse:
        """The same matrix by columns."""
        if self.by_column:
            return self
        if _routines() is None:
            other = self._as_scipy().tocsc()
            return Sparse(other.data, other.indices, other.indptr, self.shape, by_column=True)
        starts = np.empty(self.shape[1] + 1, self.indptr.dtype)
        indices, data = np.empty_like(self.indices), np.empty_like(self.data)
        _routines().csr_tocsc(*self.shape, self.indptr, self.indices, self.data, starts, indices, data)
        return Sparse(data, indices, starts, self.shape, by_column=True)

    def __getitem__(self, part: slice) -> Sparse:
        """Some consecutive rows of a matrix by rows."""
        if self.by_column:
            raise TypeError("only a matrix by rows has parts")
        first, last, _ = part.indices(self.shape[0])
        starts = self.indptr[first : max(first, last) + 1]
        own = slice(starts[0], starts[-1])
        return Sparse(self.data[own], self.indices[own], starts - starts[0], (len(starts) - 1, self.shape[1]))

    def __matmul__(self, right: NDArray[Any]) -> Any:
        """The product with a dense matrix, (n_columns, n)."""
        if right.ndim != 2 or len(right) != self.shape[1]:
            raise ValueError(f"matrices of the shapes {self.shape} and {right.shape} cannot be multiplied")
        if _routines() is None:
            return self._as_scipy() @ right
        found = np.zeros((self.shape[0], right.shape[1]), np.result_type(self.dtype, right.dtype))
        multiply = _routines().csc_matvecs if self.by_column else _routines().csr_matvecs
        multiply(*self.shape, right.shape[1], self.indptr, self.indices, self.data, right.ravel(), found.ravel())
        return found

    def _as_scipy(self) -> Any:
        from scipy.sparse import csc_array, csr_array

        return (csc_array if self.by_column else csr_array)((self.data, self.indices, self.indptr), shape=self.shape)


def _routines() -> Any:
    return compiled("sparse", "_sparsetools", "csr_matvecs", "csc_matvecs", "csr_tocsc")
