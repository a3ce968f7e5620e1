"""Sums of disjoint cells add up, and so does their noise; the rest is refused."""

import datetime as dt
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.release.combine import merge, roll_up
from dpratio.release.files import read_release, write_release
from dpratio.release.release import NoiseLayer, Release, ReleasedPart
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Key, Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit
from dpratio.version import __version__
from release.releases_for_tests import BOUNDS, GROUPS, RELEASES, plan_of, release_of

CROSSED = RELEASES["groups: crossed"]
TEXT = [release_of(plan_of(GROUPS["text"]), seed) for seed in range(1, 5)]
TOTALS = {"score": Bounds(0, 1), "label": Bounds(0, 1)}


def survives(release: Release, folder: Path) -> bool:
    for name in ("derived.json", "derived.parquet"):
        write_release(release, folder / name)
        if read_release(folder / name) != release:
            return False
    return True


# Rolling up.


def test_cells_are_added_up_over_the_columns_that_are_not_kept(tmp_path: Path) -> None:
    cube = CROSSED.values.reshape(2, 3, 5)
    by_first = roll_up(CROSSED, ["g"])
    assert by_first.parts[0].keys == ("b", "a")
    assert np.array_equal(by_first.values, cube.sum(axis=1))
    by_second = roll_up(CROSSED, "h")
    assert by_second.parts[0].keys == (1, None, 3)
    assert np.array_equal(by_second.values, cube.sum(axis=0))
    whole = roll_up(CROSSED)
    assert whole.parts[0].groups is None
    assert np.array_equal(whole.values, cube.sum(axis=(0, 1))[None])
    turned = roll_up(CROSSED, ["h", "g"])
    assert set(turned.parts[0].keys) == set(itertools.product([1, None, 3], ["b", "a"]))
    for release in (by_first, by_second, whole, turned):
        assert survives(release, tmp_path)


def test_rolled_up_in_two_steps_is_rolled_up_at_once() -> None:
    twice, once = roll_up(roll_up(CROSSED, ["g"])), roll_up(CROSSED)
    assert twice.parts == once.parts
    assert twice.sources == once.sources == (CROSSED.id,)


def test_the_noise_of_a_rolled_up_cell_is_that_of_its_cells() -> None:
    (layer,) = roll_up(CROSSED, ["g"]).parts[0].noise
    assert layer.counts.tolist() == [3, 3]
    assert layer.scales == CROSSED.parts[0].noise[0].scales
    listed = RELEASES["groups: listed"]
    assert roll_up(listed, ["g"]).parts[0].noise[0].counts.tolist() == [1, 2]
    assert roll_up(listed).parts[0].noise[0].counts.tolist() == [3]


def test_keys_are_mapped_to_coarser_ones(tmp_path: Path) -> None:
    text = TEXT[0]
    mapping: dict[Key, Key] = {"b": "x", "é\u2028": "y", "": "x", "a": "y"}
    rolled = roll_up(text, ["g"], into={"g": mapping})
    assert rolled.parts[0].keys == ("x", "y")
    assert np.array_equal(rolled.values, text.values[[0, 1]] + text.values[[2, 3]])
    by_function = roll_up(text, ["g"], into={"g": lambda key: mapping[key]})
    assert by_function == rolled
    assert survives(rolled, tmp_path)
    to_years = roll_up(
        RELEASES["groups: periods"],
        ["d"],
        into={"d": lambda day: day.year},  # type: ignore[union-attr]
    )
    assert to_years.parts[0].keys == (2025, 2026)
    assert survives(to_years, tmp_path)


def test_a_derived_release_names_itself_by_what_it_was_made_from() -> None:
    rolled = roll_up(CROSSED, ["g"])
    assert re.fullmatch("[0-9a-f]{32}", rolled.id)
    assert rolled == roll_up(CROSSED, ["g"])
    others = [roll_up(CROSSED), roll_up(CROSSED, ["h"]), CROSSED]
    assert len({each.id for each in (rolled, *others)}) == 4
    assert rolled.made_by == f"dpratio {__version__}"
    assert rolled.sources == (CROSSED.id,)


def test_one_part_of_several_is_rolled_up(tmp_path: Path) -> None:
    several = RELEASES["several parts"]
    rolled = roll_up(several, ["h"], part=1)
    assert len(rolled.parts) == 1
    assert rolled.is_simulated
    cube = several.parts[1].values.reshape(2, 3, 5)
    assert np.array_equal(rolled.values, cube.sum(axis=0))
    assert survives(rolled, tmp_path)


def test_one_ratio_of_two_is_rolled_up(tmp_path: Path) -> None:
    two = RELEASES["two ratios of unequal width"]
    for part in (2, 3):
        assert survives(roll_up(two, part=part), tmp_path)


@pytest.mark.parametrize("to", [["d"], ["score"], []])
def test_bins_are_rolled_up_and_kept(to: list[str], tmp_path: Path) -> None:
    rolled = roll_up(RELEASES["groups: months and bins"], to)
    assert len(rolled.values) == {"d": 3, "score": 2}.get("".join(to), 1)
    assert survives(rolled, tmp_path)


def test_bins_of_a_column_beside_the_ratio_are_rolled_up(tmp_path: Path) -> None:
    groups = Groups.cross(Keys("g", ["a", "b"]), ScoreBins("age", [0, 18, 99]))
    plan = plan_of(groups, bounds={**BOUNDS, "age": Bounds(0, 120)})
    for to in (["g"], ["age"], []):
        assert survives(roll_up(release_of(plan), to), tmp_path)


def test_found_keys_are_rolled_up_and_what_finding_cost_is_kept(
    tmp_path: Path,
) -> None:
    found = RELEASES["found: text"]
    rolled = roll_up(found)
    assert np.array_equal(rolled.values, found.values.sum(axis=0)[None])
    assert survives(rolled, tmp_path)
    assert (rolled.plan.epsilon, rolled.plan.delta) == (
        found.plan.epsilon,
        found.plan.delta,
    )


def test_rolling_up_no_keys_gives_zero_or_a_refusal() -> None:
    none = RELEASES["found none: text"]
    for to in ((), ("g",)):
        try:
            rolled = roll_up(none, to)
        except InvalidInput:
            continue
        assert not rolled.values.any()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"to": ["z"]}, "an unknown level to roll up to, got ['z']. Groups are by: g"),
        ({"to": ["g"], "into": {"h": {}}}, "a mapped column is not kept, got ['h']"),
        ({"to": ["g"], "into": {"g": {"b": "x"}}}, "a key of 'g' is not mapped, got"),
        ({"part": 1}, "part must be from 0 to 0, got 1"),
        ({"part": -1}, "part must be from 0 to 0, got -1"),
        ({"part": True}, "part must be from 0 to 0, got True"),
    ],
)
def test_what_cannot_be_rolled_up_is_refused(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        roll_up(CROSSED, **given)
    assert str(refused.value).startswith(message)


def test_the_whole_is_not_rolled_up_and_nothing_but_a_release() -> None:
    with pytest.raises(InvalidInput, match="there are no groups to roll up"):
        roll_up(RELEASES["groups: whole"])
    with pytest.raises(InvalidInput, match="release must be a Release"):
        roll_up(CROSSED.plan)  # type: ignore[arg-type]


def test_cells_that_share_people_are_not_added_up() -> None:
    unit = PrivacyUnit("id", totals=TOTALS, most_groups=2)
    shared = release_of(plan_of(GROUPS["text"], unit=unit))
    with pytest.raises(InvalidInput) as refused:
        roll_up(shared)
    assert str(refused.value).startswith("cells that share units cannot be rolled up")
    alone = PrivacyUnit("id", totals=TOTALS)
    assert roll_up(release_of(plan_of(GROUPS["text"], unit=alone))).sources


def test_sums_beyond_64_bits_are_refused() -> None:
    part = TEXT[0].parts[0]
    huge = ReleasedPart(part.groups, np.full((4, 5), 2**61), part.noise)
    release = Release("0" * 32, TEXT[0].plan, (huge,), "dpratio")
    with pytest.raises(InvalidInput, match="cannot be added in 64 bits"):
        roll_up(release)
    with pytest.raises(InvalidInput, match="cannot be added in 64 bits"):
        merge([release, Release("1" * 32, TEXT[0].plan, (huge,), "dpratio")])


# Merging.


def test_merged_values_and_noise_add_up(tmp_path: Path) -> None:
    merged = merge(TEXT[:3])
    assert np.array_equal(merged.values, sum(each.values for each in TEXT[:3]))
    (layer,) = merged.parts[0].noise
    assert layer.counts.tolist() == [3]
    assert merged.sources == tuple(sorted(each.id for each in TEXT[:3]))
    assert survives(merged, tmp_path)
    assert not merged.is_simulated
    invented = release_of(plan_of(GROUPS["text"]), 9, is_simulated=True)
    assert merge([TEXT[0], invented]).is_simulated


def test_the_order_and_the_steps_of_merging_do_not_matter() -> None:
    small = release_of(plan_of(GROUPS["text"], budget=Budget("0.5", "1e-6")), 7)
    given = [*TEXT[:2], small]
    whole = merge(given)
    for order in itertools.permutations(given):
        assert merge(order) == whole
        first, second, third = order
        assert merge([merge([first, second]), third]) == whole
        assert merge([first, merge([second, third])]) == whole


def test_releases_of_two_budgets_keep_two_layers_of_noise(tmp_path: Path) -> None:
    merged = RELEASES["merged at two budgets"]
    layers = merged.parts[0].noise
    assert len(layers) == 2
    assert all(layer.counts.tolist() == [1] for layer in layers)
    rolled = roll_up(merged)
    assert [layer.counts.tolist() for layer in rolled.parts[0].noise] == [[4], [4]]
    assert survives(rolled, tmp_path)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_a_merged_plan_states_what_the_dearest_of_them_costs(
    mechanism: str, tmp_path: Path
) -> None:
    budgets = [Budget(1, "1e-6"), Budget(2, "1e-7"), Budget("0.5", "1e-6")]
    given = [
        release_of(plan_of(GROUPS["text"], budget=each, mechanism=mechanism), seed)
        for seed, each in enumerate(budgets)
    ]
    whole = merge(given)
    assert whole.plan.epsilon == 2
    assert whole.plan.delta == max(each.plan.delta for each in given)
    assert survives(whole, tmp_path)
    for first, second, third in itertools.permutations(given):
        assert merge([merge([first, second]), third]) == whole


def test_rolling_up_and_merging_may_change_places() -> None:
    given = [release_of(plan_of(GROUPS["crossed"]), seed) for seed in (1, 2)]
    first = roll_up(merge(given), ["g"])
    second = merge([roll_up(each, ["g"]) for each in given])
    assert first.parts[0].groups == second.parts[0].groups
    assert np.array_equal(first.values, second.values)
    assert [np.unique(each.counts).tolist() for each in first.parts[0].noise] == [[6]]
    assert [np.unique(each.counts).tolist() for each in second.parts[0].noise] == [[6]]


def test_different_releases_have_different_ids() -> None:
    given = [release_of(plan_of(GROUPS["crossed"]), seed) for seed in (1, 2)]
    fine = merge(given)
    coarse = merge([roll_up(each, ["g"]) for each in given])
    other = merge([roll_up(each, ["h"]) for each in given])
    assert len({fine.id, coarse.id, other.id}) == 3


def changed(**terms: Any) -> Release:  # noqa: ANN401
    return release_of(plan_of(terms.pop("groups", GROUPS["text"]), **terms), 11)


OTHERS: dict[str, tuple[Release, str]] = {
    "bounds": (
        changed(bounds={**BOUNDS, "score": Bounds(0, 0.5)}, strategy="even"),
        "got 'another bounds'",
    ),
    "unit": (changed(unit=PrivacyUnit(neighbours="change-one")), "'another unit'"),
    "strategy": (changed(strategy="joint"), "got 'another strategy'"),
    "answers": (changed(answers=("ratio", "means")), "got 'another answers'"),
    "ratio": (
        changed(ratio=Ratio("score", per="label", guess=0.5)),
        "releases must ask the same, got 'another ratio'",
    ),
    "groups": (changed(groups=Groups("g", ["b", "a"])), "must have the same cells"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_releases_that_measured_something_else_are_refused(what: str) -> None:
    other, message = OTHERS[what]
    for pair in ([TEXT[0], other], [other, TEXT[0]]):
        with pytest.raises(InvalidInput, match=re.escape(message)):
            merge(pair)


def test_releases_that_share_a_source_are_refused() -> None:
    first, second, third, _ = TEXT
    for given in (
        [first, first],
        [merge([first, second]), second],
        [merge([first, second]), merge([third, first])],
    ):
        with pytest.raises(InvalidInput) as refused:
            merge(given)
        said = str(refused.value)
        assert said.startswith("releases that are merged must not share a source, got")
        assert said.endswith("The same people would count twice.")
    with pytest.raises(InvalidInput, match="must not share a source"):
        merge([roll_up(CROSSED, ["g"]), roll_up(CROSSED, ["g"])])


def test_people_with_ids_are_merged_only_where_nobody_is_in_two_releases() -> None:
    unit = PrivacyUnit("id", totals=TOTALS)
    given = [release_of(plan_of(GROUPS["text"], unit=unit), seed) for seed in (1, 2)]
    for word in (False, 1, "yes"):
        with pytest.raises(InvalidInput) as refused:
            merge(given, units_are_disjoint=word)  # type: ignore[arg-type]
        assert "Say units_are_disjoint=True if no unit is in two" in str(refused.value)
    merged = merge(given, units_are_disjoint=True)
    assert np.array_equal(merged.values, given[0].values + given[1].values)


@pytest.mark.parametrize("given", [[], TEXT[:1], TEXT[0], "ab", [TEXT[0], 5], None])
def test_fewer_than_two_releases_are_refused(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="two releases or more are merged"):
        merge(given)


def test_parts_of_several_are_merged_each_for_itself(tmp_path: Path) -> None:
    plan = plan_of([None, GROUPS["text"], PrivateKeys("p", Budget("0.25", "1e-7"))])
    found = {2: Groups("p", ["x", "y"])}
    given = [release_of(plan, seed, found) for seed in (1, 2)]
    merged = merge(given)
    for at in range(3):
        added = given[0].parts[at].values + given[1].parts[at].values
        assert np.array_equal(merged.parts[at].values, added)
    assert survives(merged, tmp_path)


# The whole and its parts, without noise.


def test_the_parts_of_a_table_add_up_to_the_whole() -> None:
    """Exact sums of rows split by region and month: both ways give the whole."""
    from dpratio.curator.choose_engine import open_table
    from dpratio.curator.engine import statement_of

    chance = np.random.default_rng(5)
    days = [dt.date(2026, 1, 1) + dt.timedelta(days=int(d)) for d in range(90)]
    table = {
        "score": chance.random(900).tolist(),
        "label": chance.integers(0, 2, 900).tolist(),
        "g": [("a", "b")[at % 2] for at in range(900)],
        "d": [days[at % 90] for at in range(900)],
    }
    months = Periods("d", "month", days[0], days[-1])
    split = Groups.cross(Keys("g", ["a", "b"]), months)

    def without_noise(
        groups: Groups | None, some: dict[str, Any], name: str
    ) -> Release:
        plan = plan_of(groups)
        (part,) = plan.parts
        ask = open_table(some, statement_of(plan, part, groups), "python")
        cells = 1 if groups is None else groups.count
        values = ask().plus(np.zeros((cells, len(part.sums)), dtype=np.int64))
        law = NoiseLayer("laplace", tuple(part.scales), np.ones(1, dtype=np.int64))
        return Release(name * 32, plan, (ReleasedPart(groups, values, (law,)),), "x")

    fine = without_noise(split, table, "1")
    for to, groups in (
        ([], None),
        (["g"], Groups("g", ["a", "b"])),
        (["d"], Groups.cross(months)),
    ):
        coarse = without_noise(groups, table, "2")
        assert np.array_equal(roll_up(fine, to).values, coarse.values)
    sites = [
        {name: column[start::2] for name, column in table.items()} for start in (0, 1)
    ]
    merged = merge(
        [without_noise(split, sites[0], "3"), without_noise(split, sites[1], "4")]
    )
    assert np.array_equal(merged.values, fine.values)
