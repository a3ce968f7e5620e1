"""The guide on Spark runs, as it stands there, on a real cluster."""

from pathlib import Path
from typing import Any

from docs.page_blocks import ROOT, blocks_of
from docs.page_runner import run_blocks
from spark_cluster import Cluster


def test_the_guide_on_spark_runs(
    spark_cluster: Cluster,
    session: Any,  # noqa: ANN401
    files: Path,
    tmp_path: Path,
) -> None:
    shown = {
        "spark://spark.example:7077": spark_cluster.url,
        "s3a://lake": files.as_uri(),
    }
    page = blocks_of(ROOT / "docs/guides/spark.md")
    run = run_blocks(page, tmp_path, replaced=shown)
    assert run.names["spark"] is session
    first, again = (run.names[name].questions[0] for name in ("release", "again"))
    assert first.keys == again.keys
    assert (tmp_path / "release.json").is_file()
