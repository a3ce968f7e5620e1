"""Floors, the wall between curator and analyst, and one home per dangerous import.

Standard library only: the house is checked by reading its source.
"""

import ast
import re
from functools import cache
from pathlib import Path

from draw_house import arrows, house_svg

HOUSE = Path(__file__).parent.parent / "src" / "dpratio"

FLOORS = {
    "arrays": 0,
    "drawing": 0,
    "errors": 0,
    "lazy_names": 0,
    "version": 0,
    "checks": 1,
    "codec": 2,
    "strict": 2,
    "tabular": 2,
    "terms": 3,
    "plan": 4,
    "release": 5,
    "curator": 6,
    "analyst": 6,
    "simulation": 7,
    "show": 8,
    "web": 9,
    "cli": 10,
    "__init__": 11,
    "bounds": 11,
    "functions": 11,
    "ledgers": 11,
    "results": 11,
    "__main__": 11,
}

HOMES = {
    "duckdb": {
        "curator/reading/sources.py",
        "curator/reading/csv.py",
        "curator/reading/parquet.py",
        "curator/reading/table.py",
    },
    "ibis": {
        f"curator/warehouse/{file}.py"
        for file in (
            "database/connect",
            "database/on_postgres",
            "database/postgres_statement",
            "conditions",
            "dialect",
            "engine",
            "functions",
            "keys",
            "numbers",
            "on_files",
            "spark/frames",
            "spark/on_spark",
            "units",
        )
    },
    "secrets": {"curator/noise/entropy.py"},
    "random": set[str](),
    "sqlite3": {"curator/ledger/store/sqlite.py"},
    "psycopg": {
        "curator/ledger/store/server.py",
        "curator/warehouse/database/connect.py",
    },
    "pickle": set[str](),
    "multiprocessing": set[str](),
    "subprocess": set[str](),
    "time": {"curator/ledger/store/clock.py"},
    "datetime": {
        "codec.py",
        "curator/sql/conditions.py",
        "curator/sql/keys.py",
        "curator/reading/statement.py",
        "curator/reading/frames.py",
        "curator/reading/keys.py",
        "curator/ledger/account/approval.py",
        "curator/ledger/store/clock.py",
        "curator/warehouse/dialect.py",
        "curator/warehouse/keys.py",
        "curator/warehouse/database/on_postgres.py",
        "curator/warehouse/units.py",
        "curator/warehouse/conditions.py",
        "terms/study_file.py",
        "show/budget_chart.py",
        "show/text.py",
        "terms/groups.py",
        "terms/source.py",
    },
    "typer": {
        "cli/anyone/audit.py",
        "cli/main.py",
        "cli/options.py",
        "cli/output.py",
        "cli/release_holder/combine.py",
        "cli/anyone/coverage.py",
        "cli/data_holder/bounds.py",
        "cli/data_holder/check.py",
        "cli/data_holder/new.py",
        "cli/data_holder/curate.py",
        "cli/release_holder/curve.py",
        "cli/release_holder/function.py",
        "cli/release_holder/analyse.py",
        "cli/release_holder/compare.py",
        "cli/release_holder/report.py",
        "cli/release_holder/watch.py",
        "cli/anyone/demo.py",
        "cli/anyone/forecast.py",
        "cli/data_holder/ledger.py",
        "cli/anyone/page.py",
        "cli/anyone/rehearse.py",
        "cli/data_holder/team.py",
        "cli/help.py",
    },
}

FILES = sorted(HOUSE.rglob("*.py"))
ROOMS = sorted(path.parent for path in HOUSE.rglob("*/__init__.py"))


def room_of(path: Path) -> str:
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return parts[0]


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names.append(str(node.module))
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(names)


def rooms_used(path: Path) -> set[str]:
    used = {
        name.split(".")[1]
        for name in imports_of(path)
        if name.count(".") >= 1 and name.startswith("dpratio.")
    }
    return used & set(FLOORS)


@cache
def attributes_of(path: Path) -> frozenset[str]:
    return frozenset(
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    )


def test_the_map_names_every_room() -> None:
    page = (HOUSE.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([\w/]+)/` \|", page, re.MULTILINE)
    assert sorted(named) == [room.relative_to(HOUSE).as_posix() for room in ROOMS]


def test_the_picture_of_the_house_is_of_this_house() -> None:
    """Draw it again with tools/site/draw_house.py where rooms or imports change."""
    picture = HOUSE.parent.parent / "docs" / "pictures" / "house.svg"
    assert picture.read_text(encoding="utf-8") == house_svg()
    assert {FLOORS.get(end, 0) < FLOORS.get(start, 11) for start, end in arrows()} == {
        True
    }


def test_there_is_a_house_to_check() -> None:
    assert len(FILES) > 30


def test_a_file_imports_only_from_lower_floors_and_its_own_room() -> None:
    upward = [
        f"{path.relative_to(HOUSE)} imports {used}"
        for path in FILES
        for used in rooms_used(path)
        if used != room_of(path)
        and FLOORS[used] >= FLOORS[room_of(path)]
        and path != HOUSE / "__init__.py"
    ]
    assert upward == []


def test_no_imports_run_in_a_circle() -> None:
    """Between files or rooms inside a room; imports in functions count too."""
    files = {
        module_of(path): {
            name for name in imports_of(path) if name.startswith("dpratio.")
        }
        for path in FILES
        if path.name != "__init__.py"
    }
    _require_no_circle(files)
    for room in ROOMS:
        _require_no_circle(_between_rooms(files, module_of(room)))


def _between_rooms(files: dict[str, set[str]], top: str) -> dict[str, set[str]]:
    """Take each room inside a room as one; files at its top stand for themselves."""

    def place(module: str) -> str:
        return ".".join(module.split(".")[: top.count(".") + 2])

    rooms: dict[str, set[str]] = {}
    for module, used in files.items():
        if module.startswith(f"{top}."):
            others = {place(name) for name in used if name in files}
            rooms.setdefault(place(module), set()).update(others - {place(module)})
    return rooms


def _require_no_circle(graph: dict[str, set[str]]) -> None:
    settled: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, f"circle: {' -> '.join([*trail, module])}"
        if module in graph and module not in settled:
            for used in graph[module]:
                visit(used, (*trail, module))
            settled.add(module)

    for module in graph:
        visit(module, ())


def module_of(path: Path) -> str:
    return ".".join(["dpratio", *path.relative_to(HOUSE).with_suffix("").parts])


def test_curator_and_analyst_do_not_see_each_other() -> None:
    for path in FILES:
        forbidden = {"curator": "analyst", "analyst": "curator"}.get(room_of(path))
        assert forbidden not in rooms_used(path), path


def test_no_path_of_imports_leads_from_the_page_to_the_curator() -> None:
    graph = {
        module_of(path): {
            name for name in imports_of(path) if name.startswith("dpratio.")
        }
        for path in FILES
    }
    seen: set[str] = set()
    waiting = [name for name in graph if name.startswith("dpratio.web")]
    assert waiting
    while waiting:
        module = waiting.pop()
        assert not module.startswith("dpratio.curator"), module
        if module in graph and module not in seen:
            seen.add(module)
            waiting += graph[module]


def test_a_dangerous_import_has_one_home() -> None:
    users = {
        dangerous: {
            path.relative_to(HOUSE).as_posix()
            for path in FILES
            if any(name.split(".")[0] == dangerous for name in imports_of(path))
        }
        for dangerous in HOMES
    }
    assert {name: found - HOMES[name] for name, found in users.items()} == {
        name: set() for name in HOMES
    }


def test_entropy_of_the_system_is_read_in_one_place() -> None:
    users = {
        path.relative_to(HOUSE).as_posix()
        for path in FILES
        if {"os.urandom", "os.getrandom"} & attributes_of(path)
    }
    assert users == {"curator/noise/entropy.py"}


def test_the_clock_is_read_for_the_ledger_alone() -> None:
    for path in FILES:
        if path.match("curator/ledger/store/clock.py"):
            continue
        asked = {name.rpartition(".")[2] for name in attributes_of(path)}
        clock = {"now", "utcnow", "today", "localtime", "perf_counter", "monotonic"}
        assert not asked & clock, path


def test_pseudo_random_draws_stay_with_invented_people_and_monte_carlo() -> None:
    makers = {
        path.relative_to(HOUSE).as_posix()
        for path in FILES
        if any("random." in name and "np." in name for name in attributes_of(path))
    }
    allowed = {
        "analyst/ratio/estimate.py",
        "analyst/function/estimate_function.py",
        "analyst/tables/options.py",
        "analyst/ratio/interval.py",
        "analyst/ratio/monte_carlo.py",
        "analyst/ratio/wald.py",
        "cli/anyone/demo.py",
        "cli/anyone/forecast.py",
    }
    assert {name for name in makers if not name.startswith("simulation/")} <= allowed


def test_rooms_stay_small() -> None:
    for room in ROOMS:
        modules = [path for path in room.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= 15, f"{room.name} has {len(modules)} modules: two rooms?"


def test_files_stay_small() -> None:
    for path in [*FILES, *Path(__file__).parent.rglob("*.py")]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 600, f"{path.name} has {lines} lines: more than one idea?"
