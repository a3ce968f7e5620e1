"""Whether the schema of a ledger is what was made, to the last trigger and right.

One query lists everything in the schema or attached to its tables: persistence,
columns, keys, indexes, triggers, functions, rules, policies, children, owners, rights.
What it lists is compared with what a new ledger has.
"""

from typing import Any

from dpratio.curator.ledger.store.server import ask
from dpratio.curator.ledger.store.server_schema import SHAPE

_CALLED = (
    "ascii chr clock_timestamp coalesce convert_to count current_setting div encode "
    "gcd json_text left length lpad replace sha256 split_part substr timezone to_char "
    "to_hex to_regclass set_config"
)
_OPERATORS = "= <> < <= > >= || + - * / & >> ~ !~ ->>"
_CATALOGUE = """
WITH home AS (
    SELECT oid, nspowner, nspacl FROM pg_namespace WHERE nspname = 'dpratio'
), things AS (
    SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relrowsecurity,
        c.relforcerowsecurity, c.relam, c.relowner, c.relacl
    FROM pg_class c WHERE c.relnamespace = (SELECT oid FROM home)
)
SELECT concat_ws(' ', CASE WHEN relkind = 'r' THEN 'table' ELSE 'relation' END,
    relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity,
    (SELECT amname FROM pg_am WHERE oid = relam))
FROM things WHERE relkind <> 'i'
UNION ALL
SELECT concat_ws(' ', 'column', relname, attnum, attname,
    format_type(atttypid, atttypmod), attnotnull, atthasdef, attisdropped,
    '-' || attidentity::text || attgenerated::text,
    coalesce((SELECT n.nspname || '.' || o.collname FROM pg_collation o
        JOIN pg_namespace n ON n.oid = o.collnamespace WHERE o.oid = attcollation),
        'pg_catalog.-'))
FROM things JOIN pg_attribute ON attrelid = things.oid
WHERE relkind <> 'i' AND attnum > 0
UNION ALL
SELECT concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(c.oid))
FROM things JOIN pg_constraint c ON c.conrelid = things.oid WHERE contype <> 'n'
UNION ALL
SELECT concat_ws(' ', 'index', relname, indisvalid, indisready, indimmediate,
    pg_get_indexdef(things.oid))
FROM things LEFT JOIN pg_index ON indexrelid = things.oid WHERE relkind = 'i'
UNION ALL
SELECT concat_ws(' ', 'trigger', tgenabled, CASE WHEN tgisinternal
    THEN 'of ' || relname || ' calls ' || proname ELSE pg_get_triggerdef(t.oid) END)
FROM things JOIN pg_trigger t ON tgrelid = things.oid JOIN pg_proc p ON p.oid = tgfoid
UNION ALL
SELECT concat_ws(' ', 'function', proname || '(' || pg_get_function_arguments(p.oid)
    || ')', pg_get_function_result(p.oid), lanname, prosecdef, provolatile, proisstrict,
    proleakproof, proconfig, prosrc)
FROM pg_proc p JOIN pg_language l ON l.oid = prolang
WHERE pronamespace = (SELECT oid FROM home)
UNION ALL
SELECT 'rule ' || rulename FROM things JOIN pg_rewrite ON ev_class = things.oid
UNION ALL
SELECT 'policy ' || polname FROM things JOIN pg_policy ON polrelid = things.oid
UNION ALL
SELECT 'child ' || relname FROM things JOIN pg_inherits
    ON things.oid IN (inhparent, inhrelid)
UNION ALL
SELECT 'type ' || typname FROM pg_type WHERE typnamespace = (SELECT oid FROM home)
    AND typrelid = 0 AND typelem = 0
UNION ALL
SELECT 'operator ' || oprname FROM pg_operator WHERE oprnamespace =
    (SELECT oid FROM home)
UNION ALL
SELECT 'another owner of ' || relname FROM things, home WHERE relowner <> nspowner
UNION ALL
SELECT 'another owner of ' || proname FROM pg_proc, home
WHERE pronamespace = home.oid AND proowner <> nspowner
UNION ALL
SELECT concat_ws(' ', 'right', g.privilege_type, 'on', relname)
FROM things, aclexplode(relacl) g
WHERE g.grantee <> relowner AND g.privilege_type NOT IN ('SELECT', 'MAINTAIN')
UNION ALL
SELECT concat_ws(' ', 'right', g.privilege_type, 'on', relname, attname)
FROM things JOIN pg_attribute ON attrelid = things.oid, aclexplode(attacl) g
WHERE g.grantee <> relowner AND g.privilege_type <> 'SELECT'
    AND (g.privilege_type, relname, attname) <> ('UPDATE', 'scope', 'name')
UNION ALL
SELECT concat_ws(' ', 'right of PUBLIC on', proname)
FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) g
WHERE pronamespace = (SELECT oid FROM home) AND g.grantee = 0
UNION ALL
SELECT 'right CREATE on dpratio' FROM home, aclexplode(nspacl) g
WHERE g.grantee <> nspowner AND g.privilege_type = 'CREATE'
UNION ALL
SELECT 'function in front of ' || proname FROM pg_proc
WHERE oid >= 16384 AND pronamespace = 'pg_catalog'::regnamespace
    AND proname = ANY (string_to_array(?, ' '))
UNION ALL
SELECT 'operator in front of ' || oprname FROM pg_operator
WHERE oid >= 16384 AND oprnamespace = 'pg_catalog'::regnamespace
    AND oprname = ANY (string_to_array(?, ' '))
"""


def changed_objects(connection: Any) -> list[str] | None:  # noqa: ANN401 (psycopg)
    """Compare the schema with what was made.

    Returns:
        What is missing, changed or too much, in words of the schema alone; None where
        there is no ledger at all.
    """
    rows = ask(connection, _CATALOGUE, (_CALLED, _OPERATORS))
    found = {str(line) for (line,) in rows}
    if not any(line.startswith("table ledger ") for line in found):
        return None
    missing = sorted(_name(line) for line in SHAPE - found)
    more = sorted(_name(line) for line in found - SHAPE)
    return [f"{name} is missing or changed" for name in missing] + [
        f"{name} does not belong" for name in more if name not in missing
    ]


def _name(line: str) -> str:
    """Shorten a line to what a reader needs to find the thing."""
    words = line.split("\n", maxsplit=1)[0].split()
    return " ".join(words[:6]).partition(" EXECUTE")[0]
