"""One Spark cluster, and one application on it, for all tests of this folder.

One worker of the test session runs them all (see `tests/conftest.py`), so that one
cluster is started.
"""

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_cluster import SETTINGS, Cluster, cluster

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PySpark leaves sockets that it has read to the garbage collector."""
    left = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(left)


@pytest.fixture(scope="module", autouse=True)
def _no_sockets_left() -> Iterator[None]:
    """Collect them before tests of other folders run, which do not allow for that."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers; their logs are in a temporary folder."""
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="session")
def session(spark_cluster: Cluster) -> Iterator[Any]:
    """A user's session: in a time zone of its own, in ANSI mode as by default."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(spark_cluster.url).config(map=SETTINGS)
        warehouse = str(spark_cluster.folder / "warehouse")
        builder = builder.config("spark.sql.warehouse.dir", warehouse)
        builder = builder.config("spark.log.level", "ERROR")
        made = builder.getOrCreate()
    made.conf.set("spark.sql.session.timeZone", "America/New_York")
    gateway: Any = made.sparkContext._gateway
    yield made
    made.stop()
    gateway.shutdown()
    gateway.proc.kill()
    gateway.proc.wait()
    gateway.proc.stdin.close()
    gc.collect()


@pytest.fixture
def whole_cluster(spark_cluster: Cluster) -> Iterator[Cluster]:
    """The cluster with two workers, before a test and after it."""
    spark_cluster.have_workers(2)
    yield spark_cluster
    spark_cluster.have_workers(2)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that driver and workers both see."""
    return tmp_path_factory.mktemp("files")
