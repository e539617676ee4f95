"""How the documentation site is made: `make docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]

from seetopic.version import __version__  # noqa: E402

project, author, release = "seetopic", "the seetopic authors", __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_click", "mathml", "plain_docstrings", "http_reference"]
exclude_patterns = ["_build", "_ext", "_static"]
highlight_language = "none"  # a block says what it is written in

html_theme = "furo"
html_title = f"seetopic {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_math_renderer = "mathml"  # browsers draw it themselves; nothing is fetched

myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]  # ```math, as repositories show it, too
myst_heading_anchors = 3

add_module_names = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
default_role = "code"  # a word between backticks is code, as everywhere in this repository

# Types of other packages have no pages here, and their own are not asked for over the network.
nitpick_ignore_regex = [("py:.*", r"(?!seetopic\.).*")]
nitpick_ignore = [  # named in signatures, and of no use by themselves
    ("py:class", "seetopic.output.charts.scene.Scene"),
    ("py:class", "seetopic.discovery.names.EncodedNames"),
    ("py:class", "seetopic.index.themes.Uncovered"),
    ("py:class", "seetopic.discovery.evidence.general.GeneralEvidence"),
    ("py:class", "seetopic.discovery.algorithm.Discovered"),
    ("py:class", "seetopic.discovery.sampled.Reading"),
    ("py:class", "seetopic.discovery.teaching.Lessons"),
    ("py:class", "seetopic.discovery.tree.Tree"),
    ("py:class", "seetopic.corpus.partition.PieceRange"),
    ("py:class", "seetopic.runtime.progress.Progress"),
    ("py:class", "seetopic.evaluation.significance.TopicDifference"),
]
smartquotes = False  # what is typed between quotes is copied from here
python_maximum_signature_line_length = 90
