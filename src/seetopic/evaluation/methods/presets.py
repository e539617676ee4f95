"""Our own methods, the presets of `seetopic discover`, with the interface of the baselines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from seetopic.discovery import Query, Topics, find, index_with_names
from seetopic.evaluation.methods.contract import Method, Task
from seetopic.settings import preset_named


def _run(task: Task, size: int, random_state: int, *, preset: str) -> Topics:
    settings = replace(preset_named(preset).discovery, top=size)
    if settings.training is not None:
        dimensions = task.dimensions or settings.training.dimensions
        epochs = task.epochs or settings.training.epochs
        warm_up = min(settings.training.warm_up, epochs - 1)  # at least one epoch learns from the categories
        shorter = replace(settings.training, dimensions=dimensions, epochs=epochs, warm_up=warm_up)
        settings = replace(settings, training=shorter)
    index = index_with_names(task.index, task.seeds, settings)
    return find(Query(index, task.seeds, settings, preset, task.device, task.progress, random_state)).topics


default: Method = partial(_run, preset="default")
paper: Method = partial(_run, preset="paper")
released_code: Method = partial(_run, preset="released-code")
no_iter: Method = partial(_run, preset="no-iter")
