"""Whatever is typed: a refusal in words, or a study that says just what was typed."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import DpratioError
from dpratio.plan.make_plan import make_plan
from dpratio.terms.groups import Groups
from dpratio.terms.study_file import parse_study
from dpratio.web.form import DEFAULTS, read_form
from dpratio.web.study.study_text import write_study


@given(name=st.text(max_size=40))
@example(name='"')
@example(name="\x7f\x1f\u2028")
@example(name="a = 1\n[privacy]\nepsilon = 9")
@example(name="\\u0041")
def test_a_column_keeps_its_name(name: str) -> None:
    typed = {"numerator": name, "groups": "keys", "groups_column": name}
    form = read_form({**typed, "groups_keys": "a, b"})
    try:
        study = parse_study(write_study(form))
    except DpratioError:
        assert name in {"", "label"} or "\x00" in name or max(name) >= "\ud800"
        return
    assert study.questions[0].ratio.numerator == name
    assert name in study.bounds
    assert study.budget.epsilon == 1


@given(number=st.decimals("1e-12", "1e6", places=20))
@example(number="1e-6")
@example(number="0.30000000000000001")
def test_a_budget_is_the_decimal_that_was_typed(number: object) -> None:
    form = read_form({"epsilon": str(number), "delta": "0"})
    assert parse_study(write_study(form)).budget.epsilon == Fraction(str(number))


@given(
    name=st.sampled_from(sorted(DEFAULTS)),
    typed=st.text(max_size=20)
    | st.floats().map(str)
    | st.sampled_from(["1_0", "١", "+1", " 2 ", "1e999", "0x1", "1e-6", ""]),
    groups=st.sampled_from(["none", "keys", "bins"]),
    ids=st.sampled_from(["", "user"]),
)
def test_nothing_typed_ends_in_anything_but_a_study_or_our_words(
    name: str, typed: str, groups: str, ids: str
) -> None:
    terms = {"weights": "range", "per_kind": "range", "groups": groups}
    terms |= {"unit_column": ids, "numerator_total_upper": "9", "per_total_upper": "9"}
    terms[name] = typed
    said = ""
    try:
        parse_study(write_study(read_form(terms)))
    except DpratioError as error:
        said = str(error)
    assert name == "kept" or "TOML" not in said


def test_a_weighted_ratio_of_people_with_many_rows_guesses_no_weight() -> None:
    typed = {
        "weights": "range",
        "unit_column": "user id",
        "numerator_total_upper": "40",
        "per_total_upper": "15",
        "guess": "2",
        "numerator_mean": "10",
        "numerator_sd": "8",
        "per_mean": "5",
        "per_sd": "3",
        "weight_mean": "1",
        "weight_sd": "0.5",
        "most_groups": "7",
    }
    study = parse_study(write_study(read_form(typed)))
    assert study.unit.column == "user id"
    assert study.unit.most_groups == 1  # There are no groups.
    assert {name: each.upper for name, each in study.unit.totals.items()} == {
        "score": 40,
        "label": 15,
    }
    assert study.guess is not None
    assert study.guess.weight is None
    assert make_plan(study).unit == study.unit


def test_what_is_hidden_can_be_said_of_rows_too() -> None:
    study = parse_study(write_study(read_form({"neighbours": "change-one"})))
    assert (study.unit.column, study.unit.neighbours) == (None, "change-one")


@given(
    keys=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters='\r\n"')), unique=True
    )
)
@example(keys=["1", "2"])
@example(keys=["a, b", "]", "\x7f#", "\u2028"])
@example(keys=[])
def test_keys_in_quotes_are_those_of_the_study(keys: list[str]) -> None:
    given = [key for key in keys if key and "\x00" not in key]
    typed = ", ".join(f'"{key}"' for key in given)
    form = read_form({"groups": "keys", "groups_keys": typed})
    if not given:
        with pytest.raises(DpratioError, match="groups need at least one key"):
            parse_study(write_study(form))
        return
    (groups,) = parse_study(write_study(form)).partitions
    assert isinstance(groups, Groups)
    assert groups.keys == tuple(given)


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("north,south", ("north", "south")),
        (" a b ,\r\n\r\n c,", ("a b", "c")),
        ("1\n-2\n30", (1, -2, 30)),
        ("01, 2", ("01", "2")),
        ('"1", 2', ("1", "2")),
        ("1" * 19, ("1" * 19,)),
        ('"a"b, "c', ('"a"b', '"c')),
    ],
)
def test_keys_are_numbers_where_all_are_and_text_otherwise(
    typed: str, keys: tuple[object, ...]
) -> None:
    form = read_form({"groups": "keys", "groups_keys": typed})
    (groups,) = parse_study(write_study(form)).partitions
    assert isinstance(groups, Groups)
    assert groups.keys == keys


def test_unknown_fields_are_passed_over_and_the_rest_has_defaults() -> None:
    form = read_form({"other": "1", "n": "7"})
    assert form.query() == "n=7"
    assert set(form.given) == set(DEFAULTS)


@pytest.mark.parametrize(
    ("typed", "written"),
    [("1e-6", "1e-6"), ("0.000001", "1e-6"), ("0.95", "0.95"), ("1E3", "1e+3")],
)
def test_numbers_are_written_the_short_way(typed: str, written: str) -> None:
    assert read_form({"epsilon": typed}).number("epsilon") == written


def test_a_guess_is_written_whole() -> None:
    typed = {
        "weights": "range",
        "per_kind": "range",
        "guess": "1",
        "guess_is": "unknown",
        "numerator_mean": "0.5",
        "numerator_sd": "0.2",
        "per_mean": "0.4",
        "per_sd": "0.1",
        "weight_mean": "1",
        "weight_sd": "0.5",
        "correlation": "0.3",
        "weight_with_numerator": "-0.1",
        "weight_with_per": "0.2",
    }
    study = parse_study(write_study(read_form(typed)))
    assert study.guess is not None
    assert study.guess.correlation == 0.3
    assert study.guess.weight_with_numerator == -0.1
    assert study.guess.weight_with_per == 0.2
    assert study.guess.weight is not None
    assert study.guess.weight.sd == 0.5
    assert study.questions[0].ratio.guess_is == "unknown"
