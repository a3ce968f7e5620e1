"""What a database knows about a table that was opened.

Rows are not touched: the connection and the expression over the table know it.
"""

from typing import Any
from urllib.parse import urlsplit

from dpratio.curator.reading.tables import kind_of
from dpratio.curator.sql.table import Origin, Table


def origin_of(opened: Any) -> Origin | None:  # noqa: ANN401 (Ibis is not typed)
    """Give the origin of an opened table; None where no database can be asked."""
    if kind_of(opened) != "opened":
        return None
    if isinstance(opened, Table):
        return opened.origin
    if opened.backend.name == "pyspark":
        # A session that is there belongs to a cluster, whatever a study calls it.
        master = opened.backend._session.sparkContext.master  # noqa: SLF001
        return Origin((_cluster(master), "", ""), ())
    server = ("", "", "")
    if opened.backend.name == "postgres":
        info = opened.backend.con.info
        server = (info.host, str(info.port), info.dbname)
    found = opened.rows.op().find(lambda each: type(each).__name__ == "DatabaseTable")
    (table,) = found
    return Origin(server, (table.namespace.database, table.name))


def _cluster(master: str) -> str:
    """Name a cluster as addresses do: its host, or its kind."""
    if "://" not in master:
        return master.partition("[")[0]
    return urlsplit(master.removeprefix("k8s://")).netloc.lower()
