"""A study that is opened: the same terms in fields, and the rest kept."""

import re
from pathlib import Path

import pytest

from dpratio.errors import DocumentRefused, FileRefused
from dpratio.terms.study_file import parse_study
from dpratio.web.form import LONGEST_KEPT
from dpratio.web.study.kept import names_of, read_kept
from dpratio.web.study.open_study import open_study
from dpratio.web.study.study_text import study_of, write_study
from planned import question_text

DOCS = Path(__file__).parents[3] / "docs"
FENCE = re.compile(r'```toml title="([^"]+)"\n(.*?)```', re.DOTALL)


def told() -> list[tuple[str, str]]:
    """Every study that the documentation shows."""
    found = [
        (f"{page.stem}/{name}", text)
        for page in sorted(DOCS.rglob("*.md"))
        for name, text in FENCE.findall(page.read_text(encoding="utf-8"))
        if "[privacy]" in text and "…" not in text
    ]
    assert len(found) > 10
    return found


SHORT = f"""{question_text()}[privacy]
epsilon = 1
"""


@pytest.mark.parametrize("text", [text for _, text in told()], ids=dict(told()))
def test_every_study_of_the_documentation_is_the_same_when_written_again(
    text: str,
) -> None:
    form = open_study(text)
    assert parse_study(write_study(form)) == parse_study(text)
    again = open_study(write_study(form))
    assert again.given == form.given


def test_what_fields_can_show_is_not_kept() -> None:
    assert open_study(SHORT).given["kept"] == ""
    people = """
[unit]
column = "user"
totals = { score = [0, 9], label = [1, 9.5] }
most_groups = 2
neighbours = "change-one"
[groups]
column = "day"
every = "quarter"
first = 2026-01-01
last = "open"
[population]
n = 700
numerator = { mean = 2, sd = 1 }
per = { mean = 3, sd = 0.5 }
correlation = 0.25
"""
    form = open_study(SHORT + people)
    assert form.given["kept"] == ""
    assert form.given["per_total_upper"] == "9.5"
    assert form.given["groups_last"] == "open"
    assert form.given["groups_every"] == "quarter"
    assert form.given["correlation"] == "0.25"


@pytest.mark.parametrize(
    "keys",
    ['["a, b", " c"]', "[1, -2]", '["1", "2"]', '["ä\\u2028"]'],
)
def test_keys_that_can_be_typed_come_into_their_field(keys: str) -> None:
    form = open_study(f'{SHORT}\n[groups]\ncolumn = "k"\nkeys = {keys}')
    assert (form.given["groups"], form.given["kept"]) == ("keys", "")


@pytest.mark.parametrize(
    "keys",
    ['["say \\"a\\""]', "[true]", "[2026-01-01]", '["a", { missing = true }]'],
)
def test_other_keys_are_kept(keys: str) -> None:
    text = f'{SHORT}\n[groups]\ncolumn = "k"\nkeys = {keys}'
    form = open_study(text)
    assert (form.given["groups"], "keys" in form.given["kept"]) == ("none", True)


def test_what_is_kept_is_named_and_so_is_what_takes_the_place_of_a_field() -> None:
    text = SHORT.replace("score = [0, 1]", "score = { natural = [0, 1] }")
    more = 'scope = "loans"\n[data]\npath = "a.csv"\n[[groups]]\nwhole = true\n'
    form = open_study(f"{text}{more}[[groups]]\ncolumn = 'k'\nkeys = [1]")
    assert names_of(read_kept(form.given["kept"]), study_of(form)) == (
        ["data", "groups", "privacy.scope"],
        ["bounds.score"],
    )


def test_several_ratios_are_kept_behind_the_one_that_has_fields() -> None:
    ratios = """
[[ratio]]
numerator = "score"
per = "label"
name = "first"
[[ratio]]
numerator = "spend"
per = "rows"
"""
    rest = SHORT.partition("[bounds]")[2]
    text = f"{ratios}[bounds]\nspend = [0, 9]{rest}"
    form = open_study(text)
    assert form.given["numerator"] == "score"
    beside, instead = names_of(read_kept(form.given["kept"]), study_of(form))
    assert beside == ["ratio.name", "1 more [[ratio]]", "bounds.spend"]
    assert instead == []
    assert [each.name for each in parse_study(write_study(form)).questions] == [
        "first",
        "spend per rows",
    ]


def test_bins_without_means_stay_without() -> None:
    form = open_study(f'{SHORT}\n[groups]\ncolumn = "score"\nbins = 4')
    assert form.given["groups"] == "bins"
    assert "answers" in form.given["kept"]
    (question,) = parse_study(write_study(form)).questions
    assert question.answers == ("ratio",)


@pytest.mark.parametrize(
    "epsilon", ["0.30000000000000001", "1e-3", "2.0", '"1/3"', "5"]
)
def test_a_budget_stays_the_number_that_was_written(epsilon: str) -> None:
    text = SHORT.replace("epsilon = 1", f"epsilon = {epsilon}")
    assert parse_study(write_study(open_study(text))) == parse_study(text)


def test_counted_rows_and_people_need_no_bounds() -> None:
    text = SHORT.replace('per = "label"', 'per = "rows"').replace(
        'label = "binary"', ""
    )
    form = open_study(text)
    assert (form.given["per_kind"], form.given["kept"]) == ("counted", "")
    people = text.replace('"rows"', '"people"')
    unit = '[unit]\ncolumn = "user"\ntotals = { score = [0, 9] }'
    form = open_study(f"{people}\n{unit}")
    assert (form.given["per"], form.given["kept"]) == ("people", "")


def test_no_password_comes_into_the_address_of_the_page() -> None:
    data = '[data]\nurl = "postgres://me:secret@host/db"\ntable = "t"'
    with pytest.raises(FileRefused, match="holds a password") as said:
        open_study(f"{SHORT}\n{data}")
    assert "secret" not in str(said.value)
    variable = data.replace("postgres://me:secret@host/db", "${ADDRESS}")
    assert "${ADDRESS}" in open_study(f"{SHORT}\n{variable}").given["kept"]


def test_a_study_that_is_too_long_to_keep_is_refused() -> None:
    keys = ", ".join(f'{{ missing = true }}, "{"x" * 900}{at}"' for at in range(12))
    keys = keys.replace("{ missing = true }, ", "", 11)
    text = f'{SHORT}\n[groups]\ncolumn = "k"\nkeys = [{keys}]'
    with pytest.raises(FileRefused, match=f"up to {LONGEST_KEPT:,} characters"):
        open_study(text)


def test_what_is_no_study_is_refused_as_everywhere() -> None:
    with pytest.raises(DocumentRefused, match="not valid TOML"):
        open_study("a = ")
    with pytest.raises(DocumentRefused, match="'bounds' is missing"):
        open_study("ratio = {}")
