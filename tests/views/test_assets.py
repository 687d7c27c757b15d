"""Each component's files are there, and come together as one module."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.views.assets import SCRIPTS, SHARED_SCRIPTS, markup_of, script_of, style_of


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_component_is_one_module_with_one_entry(name: str):
    script = script_of(name)
    assert script.count("export default function (component)") == 1
    assert "import " not in {line[:7] for line in script.splitlines()}
    assert "</script" not in script
    assert f'querySelector(".{name}")' in script or name == "selection"
    assert style_of(name)
    assert markup_of(name) == f'<div class="headlight {name}"></div>'


def test_shared_files_come_first():
    assert SHARED_SCRIPTS[0] == "colour.js"
    assert script_of("overview").startswith("const MASKED = 255;")


def test_a_component_travels_without_comments():
    for name in SCRIPTS:
        assert not any(line.startswith(("//", " ")) for line in script_of(name).splitlines())
    assert len(script_of("selection")) < 4_000


def test_plotly_is_not_imported_before_it_is_needed():
    code = "import core.views, sys; sys.exit('plotly' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
