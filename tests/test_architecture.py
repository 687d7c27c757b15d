"""The code keeps to DESIGN.md: imports run one way, Streamlit stays at the top, files stay small."""

import ast
import subprocess
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAYERS = [
    {"text"},
    {"positions", "efficiency", "sandbox"},
    {"jobs"},
    {"capture"},
    {"zoo"},
    {"models"},
    {"heads", "alignment", "effects", "training", "uploads"},
    {"mechanics", "compare"},
    {"saliency"},
    {"agreement"},
    {"views"},
    {"ui"},
    {"app", "pages"},
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
OPEN_TO_ALL = "core.errors"

LONGEST = {"core": 400, "pages": 150, "app.py": 80}
VISIBLE = {"README.md", "requirements.txt", "app.py", "LICENSE", "pages", "core", "tests"}


def sources() -> list[Path]:
    """All Python files of the app, relative to the root."""
    files = [*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), *ROOT.glob("app.py")]
    return sorted(file.relative_to(ROOT) for file in files)


def parse(source: Path) -> ast.Module:
    return ast.parse((ROOT / source).read_text(encoding="utf-8"), str(source))


def part_of(module: str) -> str:
    """The name that LAYERS knows a module by: "heads" for "core.heads.roles", "pages" for "pages.models"."""
    names = module.split(".")
    return names[1] if names[0] == "core" and len(names) > 1 else names[0]


def imported_modules(tree: ast.AST, source: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of each module that a file imports, wherever in the file it does."""
    package = ".".join(source.parent.parts)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                origin = resolve_name("." * level + (module or ""), package)
                yield from ((node.lineno, name) for name in _from(origin, [alias.name for alias in names]))
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, resolve_name(name, package)


def _from(origin: str, names: list[str]) -> list[str]:
    """What `from origin import names` imports: from core its packages, from elsewhere the module itself."""
    if origin != "core":
        return [origin]
    return [f"core.{name}" if _is_module(name) else "core" for name in names]


def _is_module(name: str) -> bool:
    return name in LEVEL or f"core.{name}" == OPEN_TO_ALL


def upward_imports(tree: ast.AST, source: Path) -> list[str]:
    """What a file imports although the layers forbid it, one sentence each."""
    if source == Path("core/__init__.py"):
        return []
    own = part_of(".".join(source.with_suffix("").parts))
    return [
        f"{source}:{line} imports {module}: {reason}"
        for line, module in imported_modules(tree, source)
        if (reason := why_forbidden(own, module))
    ]


def why_forbidden(own: str, module: str) -> str | None:
    """Why a file of the part `own` must not import a module, or None if it may."""
    if module.split(".")[0] not in {"core", "pages", "app"}:
        return None
    if module == OPEN_TO_ALL:
        return None
    if f"core.{own}" == OPEN_TO_ALL:
        return "core.errors is imported by all and imports none of them."
    other = part_of(module)
    if own not in LEVEL:
        return f"core/{own} is in no layer; put it into a package of DESIGN.md."
    if other == "core":
        return None if own in {"app", "pages"} else "core itself reaches every layer; name the package you need."
    if other not in LEVEL:
        return f"{module} is in no layer of DESIGN.md."
    if other == own and own not in {"app", "pages"}:
        return None
    if LEVEL[other] < LEVEL[own]:
        return None
    where = "on the same line as" if LEVEL[other] == LEVEL[own] else "above"
    return f"{other} is {where} {own} in DESIGN.md; import only from below."


def length_allowed(source: Path) -> int:
    return LONGEST[source.parts[0]]


def report(problems: list[str]) -> str:
    return "\n" + "\n".join(problems)


def test_every_core_module_lies_in_a_layer() -> None:
    allowed = {"__init__", "errors"} | set(LEVEL)
    strays = [
        f"{source} is in no layer; move it into a package of DESIGN.md."
        for source in sources()
        if source.parts[0] == "core" and Path(source.parts[1]).stem not in allowed
    ]
    assert not strays, report(strays)


def test_imports_run_one_way() -> None:
    upward = [problem for source in sources() for problem in upward_imports(parse(source), source)]
    assert not upward, report(upward)


def test_streamlit_is_known_only_at_the_top() -> None:
    leaks = [
        f"{source}:{line} imports {module}; only app.py, pages/ and core/ui may know Streamlit."
        for source in sources()
        if source.parts[0] == "core" and source.parts[1] != "ui"
        for line, module in imported_modules(parse(source), source)
        if module.split(".")[0] == "streamlit"
    ]
    assert not leaks, report(leaks)


def test_files_are_short() -> None:
    lengths = {source: len((ROOT / source).read_text(encoding="utf-8").splitlines()) for source in sources()}
    long = [
        f"{source} has {length} lines, more than {length_allowed(source)}; split it by idea."
        for source, length in lengths.items()
        if length > length_allowed(source)
    ]
    assert not long, report(long)


def test_every_module_says_its_purpose() -> None:
    silent = [
        f"{source} has no docstring; begin it with what it is for."
        for source in sources()
        if not (ast.get_docstring(parse(source)) or "").strip()
    ]
    assert not silent, report(silent)


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {source.parent for source in sources() if source.parts[0] == "core"}
    bare = [
        f"{folder} has no __init__.py; add one that says in a few lines what the package offers."
        for folder in sorted(folders)
        if not (ROOT / folder / "__init__.py").exists()
    ]
    assert not bare, report(bare)


def test_the_top_level_holds_what_design_says() -> None:
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not in a git checkout")
    top = {path.split("/")[0] for path in listing.split("\0") if path}
    strays = [
        f"{name} lies at the top level; move it into core/, pages/, tests/ or a hidden folder."
        for name in sorted(top - VISIBLE)
        if not name.startswith(".")
    ]
    assert not strays, report(strays)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("core/text/spans.py", "import core.capture"),
        ("core/text/spans.py", "from core import capture"),
        ("core/text/spans.py", "from core import load"),
        ("core/text/spans.py", "import core"),
        ("core/text/spans.py", "def late():\n    from core.views.grid import payload"),
        ("core/text/spans.py", "from ..models import catalogue"),
        ("core/text/spans.py", "from .. import ui"),
        ("core/text/spans.py", "import importlib\nimportlib.import_module('core.models')"),
        ("core/text/spans.py", "from core.helpers import join"),
        ("core/positions/rotary.py", "from core.jobs import Job"),
        ("core/heads/roles.py", "from core.training.data import pairs"),
        ("core/ui/card.py", "from pages.attention import draw"),
        ("core/errors.py", "from core.text import Tokens"),
        ("pages/models.py", "import pages.attention"),
        ("core/helpers.py", "from core.text import Tokens"),
    ],
)
def test_upward_imports_are_found(source: str, code: str) -> None:
    assert len(upward_imports(ast.parse(code), Path(source))) == 1


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("core/heads/roles.py", "from core.models import catalogue"),
        ("core/heads/roles.py", "from core import text, errors"),
        ("core/heads/roles.py", "from . import measures\nfrom .measures import entropy"),
        ("core/text/spans.py", "from core.errors import HeadlightError\nimport unicodedata"),
        ("core/text/spans.py", "from core.text.labels import label"),
        ("core/__init__.py", "def load():\n    from core.models import load"),
        ("pages/models.py", "from core import load\nfrom core.ui import card\nimport streamlit"),
        ("app.py", "from core.ui import sidebar"),
    ],
)
def test_downward_imports_pass(source: str, code: str) -> None:
    assert upward_imports(ast.parse(code), Path(source)) == []
