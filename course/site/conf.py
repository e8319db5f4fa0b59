"""Settings of the documentation site; `build.py` lays out what Sphinx reads and starts it."""

import sys
from importlib.util import find_spec
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS

import synthlab

sys.path.insert(0, str(Path(__file__).resolve().parent))

import stage

project = "synthlab"
author = "The synthlab developers"
copyright = author
version = release = synthlab.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_design",
    "numpydoc",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
default_role = "py:obj"

# What a notebook shows is what it holds.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
# Formulas within the HTML of a text cell, such as a hint.
myst_mathjax_classes = "mathjax_process|tex2jax_process|math|output_area"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
# Our classes, where a type of a parameter, a result or an error names one, lead to their pages; of two of one name the first does.
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # other words stay words, those too that lead to the pages of Python and NumPy
numpydoc_xref_aliases = {word: word for word in DEFAULT_LINKS} | {
    name.rpartition(".")[2]: name
    for things in reversed(stage.reference_names().values())
    for name, thing in reversed(things.items())
    if isinstance(thing, type)
}

html_theme = "pydata_sphinx_theme"
html_title = "synthlab"
html_favicon = "static/favicon.svg"
# MathJax 3 and its fonts, shipped by a package: its folder has them under mathjax/.
html_static_path = ["static", str(Path(find_spec("sphinx-mathjax-offline").origin).with_name("static"))]
mathjax_path = "mathjax/tex-chtml.js"
html_context = {"default_mode": "auto"}
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app):
    """Connect what a notebook needs."""
    app.connect("doctree-read", colour_r)


def colour_r(app, doctree):
    """Let the cells that R runs be coloured as R."""
    for block in doctree.findall(lambda node: node.tagname == "literal_block"):
        if block.astext().startswith("%%R"):
            block["language"] = "r"
