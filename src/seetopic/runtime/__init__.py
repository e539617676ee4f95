"""How work is run: engines, files, progress, bounded memory."""

from __future__ import annotations

from seetopic.runtime.arrays import Doubles, Flags, Floats, Ids, Longs, Shorts, distinct, median, normalized
from seetopic.runtime.compiled import compiled
from seetopic.runtime.dataframes import Library, dataframe
from seetopic.runtime.disk_counts import Band, Scratch, Tally, summed, table_of, tally
from seetopic.runtime.engine import Engine, LocalEngine, available_cores, engine_for, sum_of
from seetopic.runtime.files import (
    FileSet,
    cache_folder,
    clear_leftovers,
    exchanged,
    held,
    is_intact_file,
    linked,
    place_of_file,
    read_json,
    refuse_others,
    refuse_to_replace,
    remove_unless_held,
    sha256_of,
    write_array,
    write_arrays_in_parts,
    write_json,
    write_text,
    writing,
    written_whole,
)
from seetopic.runtime.hardware import (
    in_blocks,
    in_parallel,
    in_parts,
    laid_out,
    one_thread,
    one_torch_thread,
    product,
    resolve_device,
    sparse_product,
)
from seetopic.runtime.lru import LRU
from seetopic.runtime.notices import Warn, ignore, warn
from seetopic.runtime.npy import Header, LongArray, arrays_in, blocks, load_array, map_array, read_header
from seetopic.runtime.progress import Progress, Renamed, counted, shown_progress, silent
from seetopic.runtime.quantities import listed, quantity
from seetopic.runtime.ragged import Lists
from seetopic.runtime.sizes import give_back_memory, held_bytes
from seetopic.runtime.sparse import Sparse
from seetopic.runtime.spreadsheets import SafeRows, cell, guarded, unguarded
from seetopic.runtime.temporary import remove_temporary, temporary_folder
from seetopic.runtime.word_keys import spread, word_keys
from seetopic.runtime.workbooks import SHEET_COLUMNS, SHEET_ROWS, workbook, write_sheet, xlsxwriter

__all__ = [
    "LRU",
    "SHEET_COLUMNS",
    "SHEET_ROWS",
    "Band",
    "Doubles",
    "Engine",
    "FileSet",
    "Flags",
    "Floats",
    "Header",
    "Ids",
    "Library",
    "Lists",
    "LocalEngine",
    "LongArray",
    "Longs",
    "Progress",
    "Renamed",
    "SafeRows",
    "Scratch",
    "Shorts",
    "Sparse",
    "Tally",
    "Warn",
    "arrays_in",
    "available_cores",
    "blocks",
    "cache_folder",
    "cell",
    "clear_leftovers",
    "compiled",
    "counted",
    "dataframe",
    "distinct",
    "engine_for",
    "exchanged",
    "give_back_memory",
    "guarded",
    "held",
    "held_bytes",
    "ignore",
    "in_blocks",
    "in_parallel",
    "in_parts",
    "is_intact_file",
    "laid_out",
    "linked",
    "listed",
    "load_array",
    "map_array",
    "median",
    "normalized",
    "one_thread",
    "one_torch_thread",
    "place_of_file",
    "product",
    "quantity",
    "read_header",
    "read_json",
    "refuse_others",
    "refuse_to_replace",
    "remove_temporary",
    "remove_unless_held",
    "resolve_device",
    "sha256_of",
    "shown_progress",
    "silent",
    "sparse_product",
    "spread",
    "sum_of",
    "summed",
    "table_of",
    "tally",
    "temporary_folder",
    "unguarded",
    "warn",
    "word_keys",
    "workbook",
    "write_array",
    "write_arrays_in_parts",
    "write_json",
    "write_sheet",
    "write_text",
    "writing",
    "written_whole",
    "xlsxwriter",
]
