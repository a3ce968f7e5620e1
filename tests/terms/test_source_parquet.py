"""Parquet files in folders that name columns, as a study writes them."""

import pytest

from dpratio.curator.ledger.account.source_description import (
    description_from_text,
    description_of,
)
from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.terms.source import DatabaseTable, ParquetFiles
from dpratio.terms.study_file import parse_study

STUDY = """
ratio = {{ numerator = "score", per = "label" }}
bounds = {{ score = [0, 1], label = "binary" }}
privacy = {{ epsilon = 1 }}
[data]
{data}
"""

BAD: list[object] = [
    *("year", 3, ["year", "Year"], ["a=b"], ["a/b"], [""], None),
    *([1], {"year": "int"}, {"year": 3}, {1: "text"}),
]


@pytest.mark.parametrize("given", BAD)
def test_partitions_are_columns_by_name_with_a_kind(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"partition|column name"):
        ParquetFiles("a/", partitions=given)  # type: ignore[arg-type]


def test_a_study_declares_what_its_folders_name() -> None:
    told = 'path = "lake/"\npartitions = { year = "integer", region = "text" }'
    study = parse_study(STUDY.format(data=told))
    kinds = {"year": "integer", "region": "text"}
    assert study.data == ParquetFiles("lake/", partitions=kinds)
    listed = 'path = "lake/"\npartitions = ["region"]'
    files = parse_study(STUDY.format(data=listed)).data
    assert files == ParquetFiles("lake/", partitions={"region": "text"})


def test_a_study_declares_folders_of_a_cluster() -> None:
    told = 'url = "spark://c:7077"\npath = "lake/"\npartitions = ["region"]'
    table = parse_study(STUDY.format(data=told)).data
    assert isinstance(table, DatabaseTable)
    assert table.partitions == (("region", "text"),)
    assert table.at("spark://d:7077", "x/").partitions == table.partitions
    for wrong in ('table = "a"', 'delimiter = ";"'):
        data = f'url = "spark://c:7077"\npartitions = ["region"]\n{wrong}'
        with pytest.raises(
            DocumentRefused, match=r"partitions are of a path|delimiter"
        ):
            parse_study(STUDY.format(data=data))


def test_an_approval_is_of_the_folders_too() -> None:
    files = ParquetFiles("lake/", partitions={"year": "integer"})
    described = description_of(files)
    assert str(described) == "files 'lake/', folders of year=integer"
    assert description_from_text(described.text) == described
    plain = description_of(ParquetFiles("lake/"))
    assert plain.differences(described) == ["partitions"]
    assert "partitions" not in plain.text
    table = DatabaseTable("spark://c:7077", path="lake/", partitions=["year"])
    said = "path 'lake/' at 'spark://c:7077', folders of year=text"
    assert str(description_of(table)) == said
