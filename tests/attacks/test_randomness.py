"""Fresh entropy for every draw, once: never kept, shared, drawn again or averaged."""

import ast
import base64
import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import dpratio.curator
from curator.ledger.attacks.books import DATA, in_child, name_of, open_book, plan_of
from dpratio.cli.main import run
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.noise.entropy import system_bits
from dpratio.curator.noise.rounded import draw_noise
from dpratio.curator.release_sums import release_sums
from dpratio.plan.make_plan import make_plan
from dpratio.release.files import read_release, release_to_bytes, write_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from tiers import quick_first

SEEDS = {"seed", "rng", "generator", "random_state", "random", "entropy", "clock"}
FORKS = 64


def parameters() -> Iterator[tuple[str, str]]:
    """List every parameter of every function in the curator's room, nested ones too."""
    found = pkgutil.walk_packages(dpratio.curator.__path__, "dpratio.curator.")
    for name in sorted(each.name for each in found):
        file = str(importlib.import_module(name).__file__)
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.arguments):
                given = [*node.posonlyargs, *node.args, *node.kwonlyargs]
                given += [each for each in (node.vararg, node.kwarg) if each]
                yield from ((name, each.arg) for each in given)


def test_25_nothing_in_the_curator_takes_a_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No function of the curator has an argument that noise could be repeated with.

    Source: Garfinkel & Leclerc (2020), Randomness Concerns When Deploying Differential
    Privacy. More: tests/curator/noise/test_entropy.py.
    """
    listed = list(parameters())
    assert {
        "dpratio.curator.ledger.admission.watch",
    } <= {module for module, _ in listed}
    assert [each for each in listed if each[1].strip("_") in SEEDS] == []
    monkeypatch.setattr(sys, "argv", ["dpratio", "release", "--help"])
    with pytest.raises(SystemExit):
        run()
    assert "--no-ledger" in (said := capsys.readouterr().out)
    assert "seed" not in said.lower()


def forms_of(bits: bytes) -> list[bytes]:
    """Write bits as a file might hold them: raw, in hexadecimal, base 64, digits."""
    whole = [int.from_bytes(bits, order) for order in ("little", "big")]
    return [
        bits,
        bits.hex().encode(),
        base64.b64encode(bits).rstrip(b"=")[:-1],
        *(str(each).encode() for each in whole),
    ]


def test_25_the_bits_behind_the_noise_are_fresh_and_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every draw takes eight bytes of the system; no file of a release holds them.

    Source: Garfinkel & Leclerc (2020), Randomness Concerns When Deploying Differential
    Privacy.
    """
    drawn: list[bytes] = []

    def noted(count: int, urandom: object = os.urandom) -> bytes:
        assert callable(urandom)
        drawn.append(urandom(count))
        return drawn[-1]

    monkeypatch.setattr(os, "urandom", noted)
    ledger = open_book(str(tmp_path / "budget.db"), anchor=tmp_path / "heads")
    out = tmp_path / "release.json"
    plan = make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget("0.1"),
        groups=Groups("k", range(30)),
    )
    release = release_sums({**DATA, "k": [0, 1, 2]}, plan, ledger=ledger, out=out)
    monkeypatch.undo()
    salt = ledger.account().releases[release.id].said("charge")["salt"]
    names = [each for each in drawn if each.hex() in {release.id, salt}]
    bits = b"".join(each for each in drawn if each not in names)
    assert len(names) == 2
    assert len(bits) >= 8 * release.questions[0].values.size
    content = b"".join(each.read_bytes() for each in sorted(tmp_path.iterdir()))
    assert release.id.encode() in content
    for start in range(0, len(bits) - 7, 8):
        for form in forms_of(bits[start : start + 8]):
            assert form not in content


def draw_in_forks(draws: int) -> NDArray[np.int64]:
    """Draw the noise of a release in child processes; the parent has drawn before."""
    plan = plan_of("0.01")  # Large noise: draws are seldom alike.
    scales = plan.measurements[0].scales
    cells = -(-draws // len(scales))

    def drawn() -> NDArray[np.int64]:
        return draw_noise(plan.law, scales, cells, system_bits).T.ravel()[:draws]

    drawn()  # Whatever is kept is there before the forks.
    return np.stack([in_child(drawn) for _ in range(FORKS)])


@pytest.mark.parametrize("draws", quick_first([20_000, 100_000]))
def test_26_forks_draw_streams_of_their_own(draws: int) -> None:
    """Of 64 forks with 100,000 draws each, no two share three draws in a row.

    Source: PyTorch, issue 5059 (forked workers drew the same numbers of NumPy);
    Garfinkel & Leclerc (2020), Randomness Concerns When Deploying Differential Privacy.
    """
    streams = draw_in_forks(draws)
    assert streams.shape == (FORKS, draws)
    unsigned = streams.astype(np.uint64)
    first, second, third = (unsigned[:, at : draws - 2 + at] for at in range(3))
    # One number for three draws; those that are alike are then looked at in full.
    mixed = (first * np.uint64(0x9E3779B97F4A7C15)) ^ (second << np.uint64(21))
    mixed ^= third * np.uint64(0xC2B2AE3D27D4EB4F)
    flat = mixed.ravel()
    ordered = np.sort(flat)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    places = np.flatnonzero(np.isin(flat, twice)) if twice.size else np.array([], int)
    rows = np.stack([each.ravel()[places] for each in (first, second, third)], axis=1)
    assert len(np.unique(rows, axis=0)) == len(rows)


def test_27_reading_a_result_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """Noise is drawn before a result exists, and nothing that reads it draws again.

    Source: SmartNoise Core, issue 268 (a randomised part of a lazy graph was computed
    anew, with another value, whenever it was asked for).
    """
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    out = tmp_path / "release.json"
    release = release_sums(DATA, plan_of("0.1"), ledger=ledger, out=out)
    first = release.questions[0].values.tolist()
    for number in range(3):
        assert release.questions[0].values.tolist() == first
        assert release_to_bytes(release) == out.read_bytes()
        again = tmp_path / f"again-{number}.json"
        write_release(release, again)
        assert again.read_bytes() == out.read_bytes()
        assert read_release(out) == read_release(again) == release
    with Ledger(path).watch.reading() as watched:
        [(sealed,)] = watched.tables.run("SELECT content FROM artifact", ())
    assert sealed == out.read_bytes()
    with pytest.raises(ValueError, match="read-only"):
        release.questions[0].values[0, 0] += 1


@pytest.mark.parametrize("times", quick_first([100, 1_000]))
def test_28_the_same_id_many_times_gives_one_charge_and_the_same_bytes(
    times: int, tmp_path: Path
) -> None:
    """Who asks again gets what was sealed, so there is nothing to average.

    Source: Asghar & Kaafar (2020), Averaging Attacks on Bounded Noise-based Disclosure
    Control Algorithms; Uber's sql-differential-privacy, issue 5.
    More: tests/curator/ledger/test_charged_releases_again.py.
    """
    path, out = tmp_path / "budget.db", tmp_path / "release.json"
    ledger, plan = open_book(str(path)), plan_of("0.1")
    rows: dict[str, list[float]] = {name: list(held) for name, held in DATA.items()}
    contents = set()
    for number in range(times):
        rows["s"][0] = number / times  # Rows may have changed since.
        if number % 50 == 0:  # Another process might ask, for a file.
            ledger = Ledger(path)
            release_sums(rows, plan, ledger=ledger, release_id=name_of(1), out=out)
            contents.add(out.read_bytes())
        else:
            again = release_sums(rows, plan, ledger=ledger, release_id=name_of(1))
            contents.add(release_to_bytes(again))
    assert len(contents) == 1
    account = Ledger(path).account()
    assert account.spent.loss == plan.epsilon
    kinds = [each.kind for each in account.releases[name_of(1)].entries]
    assert kinds == ["charge", "opened", "sealed", "published"]
    assert account.seq == len(kinds)
