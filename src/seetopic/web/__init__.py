"""The workbench: the library over HTTP, and its web page."""

from __future__ import annotations

from seetopic.web.data_folder import entry_page
from seetopic.web.limits import UploadLimits, WorkbenchSettings
from seetopic.web.serve import Address, serve

__all__ = ["Address", "UploadLimits", "WorkbenchSettings", "entry_page", "serve"]
