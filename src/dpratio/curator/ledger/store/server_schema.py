"""The tables of a ledger on a server, what keeps them, and how a catalogue shows them.

In addition to what a file keeps, a scope holds its caps as losses that are added up,
and a line holds what was spent after it. The server checks both without this library.
"""

from dpratio.curator.ledger.store.server_functions import FUNCTIONS
from dpratio.curator.ledger.store.tables import TABLES

SERVER_VERSION = 4
_COLUMNS = {
    "ledger": ("version bigint",),
    "scope": ("name text", "document text", "hash text", "loss text", "delta text"),
    "entry": (
        "scope text",
        "seq bigint",
        *(f"{name} text" for name in ("time", "subject", "kind", "loss", "delta")),
        *(f"{name} text" for name in ("event", "previous", "hash")),
        *(f"{name} text" for name in ("spent_loss", "spent_delta")),
    ),
    "artifact": ("release_id text", "content bytea", "sha256 text"),
}
_CONSTRAINTS = {
    "scope_pkey": ("scope", "PRIMARY KEY (name)"),
    "entry_pkey": ("entry", "PRIMARY KEY (scope, seq)"),
    "entry_takes_each_step_once": ("entry", "UNIQUE (scope, subject, kind)"),
    "entry_has_a_scope": (
        "entry",
        "FOREIGN KEY (scope) REFERENCES dpratio.scope(name)",
    ),
    "artifact_pkey": ("artifact", "PRIMARY KEY (release_id)"),
}
_INDEXES = {
    "scope_pkey": "scope USING btree (name)",
    "entry_pkey": "entry USING btree (scope, seq)",
    "entry_takes_each_step_once": "entry USING btree (scope, subject, kind)",
    "artifact_pkey": "artifact USING btree (release_id)",
    # A release id names one release, whatever its scope.
    "one_release": "entry USING btree (subject) WHERE (kind = 'charge'::text)",
    # Each step asks whether its release was set aside.
    "set_aside": "entry USING btree (scope, seq) WHERE (kind = 'quarantined'::text)",
}
_SEALED = "artifact_is_sealed"
_TRIGGERS = {
    f"{table}_keeps_{what.lower()}": (
        f"TRIGGER {table}_keeps_{what.lower()} BEFORE {what} ON dpratio.{table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change()"
    )
    for table in TABLES
    for what in ("UPDATE", "DELETE", "TRUNCATE")
} | {
    _SEALED: (
        f"CONSTRAINT TRIGGER {_SEALED} AFTER INSERT ON dpratio.artifact DEFERRABLE "
        "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dpratio.require_seal()"
    )
}


def _statements() -> tuple[str, ...]:
    """Give what makes the schema; PUBLIC may do nothing in it."""
    tables = [
        f"CREATE TABLE dpratio.{table} ("
        + ", ".join(f"{column} NOT NULL" for column in columns)
        + ")"
        for table, columns in _COLUMNS.items()
    ]
    constraints = [
        f"ALTER TABLE dpratio.{table} ADD CONSTRAINT {name} {said}"
        for name, (table, said) in _CONSTRAINTS.items()
    ]
    return (
        *tables,
        *constraints,
        *(
            f"CREATE UNIQUE INDEX {name} ON dpratio.{_INDEXES[name]}"
            for name in ("one_release", "set_aside")
        ),
        *(each.statement for each in FUNCTIONS),
        *(f"CREATE {said}" for said in _TRIGGERS.values()),
        "REVOKE ALL ON ALL TABLES IN SCHEMA dpratio FROM PUBLIC",
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpratio FROM PUBLIC",
        "REVOKE ALL ON SCHEMA dpratio FROM PUBLIC",
    )


def _shape() -> frozenset[str]:
    """Give the lines that a catalogue must show, and no other."""
    reference = ("RI_FKey_check_ins", "RI_FKey_check_upd")
    referenced = ("RI_FKey_noaction_del", "RI_FKey_noaction_upd")
    return frozenset(
        [
            *(f"table {table} r p f f heap" for table in TABLES),
            *(
                f"column {table} {at} {column} t f f - pg_catalog."
                f"{'default' if column.endswith(' text') else '-'}"
                for table, columns in _COLUMNS.items()
                for at, column in enumerate(columns, start=1)
            ),
            *(
                f"constraint {table} {name} {said}"
                for name, (table, said) in _CONSTRAINTS.items()
            ),
            f"constraint artifact {_SEALED} TRIGGER DEFERRABLE INITIALLY DEFERRED",
            *(
                f"index {name} t t t CREATE UNIQUE INDEX {name} ON dpratio.{said}"
                for name, said in _INDEXES.items()
            ),
            *(f"trigger O CREATE {said}" for said in _TRIGGERS.values()),
            *(f"trigger O of entry calls {name}" for name in reference),
            *(f"trigger O of scope calls {name}" for name in referenced),
            *(
                f"function {each.name}({each.arguments}) {each.returns} plpgsql "
                f"{'t' if each.is_definer else 'f'} v f f "
                f'{{"search_path=pg_catalog, pg_temp"}} {each.body}'
                for each in FUNCTIONS
            ),
        ]
    )


STATEMENTS = _statements()
SHAPE = _shape()
