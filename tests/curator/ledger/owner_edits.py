"""What the owner of a ledger's tables could do to them, against its rules."""

__all__ = ["OWNER_EDITS"]

_REPLACED = (
    "CREATE OR REPLACE FUNCTION dpratio.refuse_change() RETURNS trigger LANGUAGE"
)
_SWALLOW = (
    "CREATE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF "
    "NEW.kind = 'opened' THEN RETURN NULL; END IF; RETURN NEW; END $$;"
)
_DROP = "DROP TRIGGER entry_keeps_delete ON dpratio.entry; CREATE TRIGGER "
_CALLS = "EXECUTE FUNCTION dpratio.refuse_change()"
_APPEND = "dpratio.append(text,bigint,text,text,text,text,text,text,text,text)"

OWNER_EDITS = {
    # Trigger functions and triggers.
    "function emptied": f"{_REPLACED} plpgsql AS $$ BEGIN RETURN NULL; END $$",
    "function that lets pass": (
        f"{_REPLACED} plpgsql SET search_path = pg_catalog, pg_temp AS "
        "$$ BEGIN RETURN OLD; END $$"
    ),
    "function without its path": "ALTER FUNCTION dpratio.refuse_change RESET ALL",
    "function dropped": "DROP FUNCTION dpratio.refuse_change CASCADE",
    "trigger disabled": "ALTER TABLE dpratio.entry DISABLE TRIGGER entry_keeps_delete",
    "triggers disabled": "ALTER TABLE dpratio.scope DISABLE TRIGGER USER",
    "all triggers disabled": "ALTER TABLE dpratio.entry DISABLE TRIGGER ALL",
    "trigger for replicas": (
        "ALTER TABLE dpratio.entry ENABLE REPLICA TRIGGER entry_keeps_delete"
    ),
    "trigger dropped": "DROP TRIGGER artifact_keeps_update ON dpratio.artifact",
    "trigger moved": (
        "DROP TRIGGER entry_keeps_delete ON dpratio.entry; CREATE TRIGGER "
        f"entry_keeps_delete BEFORE DELETE ON dpratio.scope FOR EACH STATEMENT {_CALLS}"
    ),
    "trigger never": (
        f"{_DROP} entry_keeps_delete BEFORE DELETE ON dpratio.entry FOR EACH STATEMENT "
        f"WHEN (false) {_CALLS}"
    ),
    "trigger named alike": (
        f"{_DROP} entry_keeps_delete BEFORE INSERT ON dpratio.entry FOR EACH STATEMENT "
        "WHEN (false) EXECUTE FUNCTION dpratio.refuse_change()"
    ),
    "trigger of a column": (
        "DROP TRIGGER entry_keeps_update ON dpratio.entry; CREATE TRIGGER "
        "entry_keeps_update BEFORE UPDATE OF time ON dpratio.entry FOR EACH STATEMENT "
        f"{_CALLS}"
    ),
    "trigger for rows": (
        f"{_DROP} entry_keeps_delete BEFORE DELETE ON dpratio.entry FOR EACH ROW "
        f"{_CALLS}"
    ),
    "trigger renamed": (
        "ALTER TRIGGER entry_keeps_delete ON dpratio.entry RENAME TO entry_keeps_it"
    ),
    "opened swallowed": (
        f"{_SWALLOW} CREATE TRIGGER swallow BEFORE INSERT ON dpratio.entry FOR EACH "
        "ROW EXECUTE FUNCTION public.swallow()"
    ),
    "seal not required": "DROP TRIGGER artifact_is_sealed ON dpratio.artifact",
    # Tables.
    "unlogged entries": "ALTER TABLE dpratio.entry SET UNLOGGED",
    "unlogged bytes": "ALTER TABLE dpratio.artifact SET UNLOGGED",
    "unlogged version": "ALTER TABLE dpratio.ledger SET UNLOGGED",
    "key dropped": "ALTER TABLE dpratio.entry DROP CONSTRAINT entry_pkey",
    "steps again": (
        "ALTER TABLE dpratio.entry DROP CONSTRAINT entry_takes_each_step_once"
    ),
    "no scope needed": "ALTER TABLE dpratio.entry DROP CONSTRAINT entry_has_a_scope",
    "scope not checked": (
        "ALTER TABLE dpratio.entry DROP CONSTRAINT entry_has_a_scope, ADD CONSTRAINT "
        "entry_has_a_scope FOREIGN KEY (scope) REFERENCES dpratio.scope(name) NOT VALID"
    ),
    "scope that cascades": (
        "ALTER TABLE dpratio.entry DROP CONSTRAINT entry_has_a_scope, ADD CONSTRAINT "
        "entry_has_a_scope FOREIGN KEY (scope) REFERENCES dpratio.scope(name) ON "
        "DELETE CASCADE"
    ),
    "bytes again": "ALTER TABLE dpratio.artifact DROP CONSTRAINT artifact_pkey",
    "scope key dropped": "ALTER TABLE dpratio.scope DROP CONSTRAINT scope_pkey CASCADE",
    "release twice": "DROP INDEX dpratio.one_release",
    "release twice, by another index": (
        "DROP INDEX dpratio.one_release; CREATE UNIQUE INDEX one_release ON "
        "dpratio.entry (subject) WHERE kind = 'charged'"
    ),
    "release twice, not unique": (
        "DROP INDEX dpratio.one_release; CREATE INDEX one_release ON dpratio.entry "
        "(subject) WHERE kind = 'charge'"
    ),
    "another index": "CREATE INDEX ON dpratio.entry ((lower(kind)))",
    "a check": "ALTER TABLE dpratio.entry ADD CHECK (kind <> 'opened') NOT VALID",
    "null allowed": "ALTER TABLE dpratio.entry ALTER loss DROP NOT NULL",
    "a default": "ALTER TABLE dpratio.entry ALTER loss SET DEFAULT '0/1'",
    "a type": "ALTER TABLE dpratio.entry ALTER seq TYPE numeric",
    "a length": "ALTER TABLE dpratio.entry ALTER event TYPE varchar(100000)",
    "a collation": 'ALTER TABLE dpratio.entry ALTER subject TYPE text COLLATE "C"',
    "a column": "ALTER TABLE dpratio.entry ADD more text",
    "a column gone": "ALTER TABLE dpratio.entry DROP time",
    "a column renamed": (
        "ALTER TABLE dpratio.entry RENAME loss TO gain; "
        "ALTER TABLE dpratio.entry RENAME delta TO loss; "
        "ALTER TABLE dpratio.entry RENAME gain TO delta"
    ),
    "a generated column": (
        "ALTER TABLE dpratio.entry ADD more text GENERATED ALWAYS AS (kind) STORED"
    ),
    "a numbered column": (
        "ALTER TABLE dpratio.entry ALTER seq ADD GENERATED BY DEFAULT AS IDENTITY"
    ),
    # What stands between a name and its rows.
    "insert elsewhere": (
        "CREATE RULE away AS ON INSERT TO dpratio.entry DO INSTEAD NOTHING"
    ),
    "insert also": ("CREATE RULE also AS ON INSERT TO dpratio.entry DO ALSO SELECT 1"),
    "delete unseen": (
        "CREATE RULE away AS ON DELETE TO dpratio.entry DO INSTEAD NOTHING"
    ),
    "a view hides the tail": (
        "ALTER TABLE dpratio.entry RENAME TO entries; CREATE VIEW dpratio.entry AS "
        "SELECT * FROM dpratio.entries WHERE seq < 3"
    ),
    "a view elsewhere": (
        "ALTER TABLE dpratio.entry SET SCHEMA public; CREATE VIEW dpratio.entry AS "
        "SELECT * FROM public.entry WHERE seq < 3"
    ),
    "a view of versions": (
        "ALTER TABLE dpratio.ledger RENAME TO ledgers; CREATE VIEW dpratio.ledger AS "
        "SELECT 2::bigint AS version"
    ),
    "a copy in parts": (
        "ALTER TABLE dpratio.artifact RENAME TO bytes; CREATE TABLE dpratio.artifact "
        "(release_id text NOT NULL, content bytea NOT NULL, sha256 text NOT NULL) "
        "PARTITION BY LIST (sha256)"
    ),
    "a materialized view": (
        "ALTER TABLE dpratio.entry RENAME TO entries; CREATE MATERIALIZED VIEW "
        "dpratio.entry AS SELECT * FROM dpratio.entries"
    ),
    "a child": "CREATE TABLE public.more () INHERITS (dpratio.entry)",
    "a parent": (
        "CREATE TABLE public.parent (scope text NOT NULL); "
        "ALTER TABLE dpratio.entry INHERIT public.parent"
    ),
    "rows hidden": (
        "ALTER TABLE dpratio.entry ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
    ),
    "a policy that sleeps": "CREATE POLICY tail ON dpratio.entry USING (seq < 3)",
    # Functions by which lines enter.
    "append opens wide": f"ALTER FUNCTION {_APPEND} SECURITY INVOKER",
    "append with a path": f"ALTER FUNCTION {_APPEND} SET search_path = public",
    "append with a setting": f"ALTER FUNCTION {_APPEND} SET row_security = off",
    "caps that always fit": (
        "CREATE OR REPLACE FUNCTION dpratio.fits(p_spent text, p_cap text) RETURNS "
        "boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS "
        "$$ BEGIN RETURN true; END $$"
    ),
    "caps by another function": (
        "CREATE FUNCTION dpratio.fits(p_spent name, p_cap text) RETURNS boolean "
        "LANGUAGE sql AS 'SELECT true'"
    ),
    "a function more": (
        "CREATE FUNCTION dpratio.more() RETURNS integer LANGUAGE sql AS 'SELECT 1'"
    ),
    "an operator": (
        "CREATE OPERATOR dpratio.= (LEFTARG = text, RIGHTARG = text, FUNCTION = "
        "pg_catalog.textne)"
    ),
    "a domain": "CREATE DOMAIN dpratio.kind AS text",
    "a function in the catalogue": (
        "CREATE FUNCTION pg_catalog.sha256(text) RETURNS bytea LANGUAGE sql AS "
        "'SELECT NULL::bytea'"
    ),
    "an operator in the catalogue": (
        "CREATE FUNCTION public.same(varchar, text) RETURNS boolean LANGUAGE sql AS "
        "'SELECT true'; CREATE OPERATOR pg_catalog.= (LEFTARG = varchar, RIGHTARG = "
        "text, FUNCTION = public.same)"
    ),
    # Rights and owners.
    "insert granted": "GRANT INSERT ON dpratio.entry TO pg_monitor",
    "insert granted to all": "GRANT INSERT ON dpratio.artifact TO PUBLIC",
    "update granted": "GRANT UPDATE ON dpratio.scope TO pg_monitor",
    "a column granted": "GRANT INSERT (event) ON dpratio.entry TO pg_monitor",
    "triggers granted": "GRANT TRIGGER ON dpratio.entry TO pg_monitor",
    "truncate granted": "GRANT TRUNCATE ON dpratio.entry TO pg_monitor",
    "making granted": "GRANT CREATE ON SCHEMA dpratio TO pg_monitor",
    "append for all": f"GRANT EXECUTE ON FUNCTION {_APPEND} TO PUBLIC",
    "another owner": "ALTER TABLE dpratio.entry OWNER TO pg_monitor",
    "another owner of a function": f"ALTER FUNCTION {_APPEND} OWNER TO pg_monitor",
}
