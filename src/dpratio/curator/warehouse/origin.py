"""What a database knows about a table that was opened.

Rows are not touched: the connection and the expression over the table know it.
"""

import json
from typing import Any
from urllib.parse import urlsplit

from dpratio.curator.ledger.account.place import Origin
from dpratio.curator.reading.tables import kind_of

__all__ = ["origin_of"]


def origin_of(opened: Any) -> Origin | None:  # noqa: ANN401 (Ibis is not typed)
    """Give the origin of an opened table; None where no database can be asked."""
    if kind_of(opened) != "opened":
        return None
    if opened.backend.name == "pyspark":
        # A session that is there belongs to a cluster, whatever a study calls it.
        master = opened.backend._session.sparkContext.master  # noqa: SLF001
        return Origin((_cluster(master), "", ""), (), "")
    server = ("", "", "")
    if opened.backend.name == "postgres":
        info = opened.backend.con.info
        server = (info.host, str(info.port), info.dbname)
    rows = opened.rows.op()
    (table,) = _found(rows, "DatabaseTable")
    return Origin(server, (table.namespace.database, table.name), _renamed(rows))


def _cluster(master: str) -> str:
    """Name a cluster as addresses do: its host, or its kind."""
    if "://" not in master:
        return master.partition("[")[0]
    return urlsplit(master.removeprefix("k8s://")).netloc.lower()


def _renamed(rows: Any) -> str:  # noqa: ANN401
    """Say which columns a view gives other names than its table."""
    if type(rows).__name__ != "Project":
        return ""
    columns = {
        name: _found(each, "Field")[0].name for name, each in rows.values.items()
    }
    changed = {name: column for name, column in columns.items() if name != column}
    return json.dumps(changed, sort_keys=True) if changed else ""


def _found(node: Any, kind: str) -> list[Any]:  # noqa: ANN401
    return list(node.find(lambda each: type(each).__name__ == kind))
