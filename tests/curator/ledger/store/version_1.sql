CREATE SCHEMA dpratio;
SET search_path TO dpratio;
CREATE TABLE ledger (version BIGINT NOT NULL);
CREATE TABLE scope (
    name TEXT PRIMARY KEY, document TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE entry (
    scope TEXT NOT NULL REFERENCES scope (name), seq BIGINT NOT NULL,
    time TEXT NOT NULL, subject TEXT NOT NULL, kind TEXT NOT NULL,
    loss TEXT NOT NULL, delta TEXT NOT NULL, event TEXT NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (scope, seq), UNIQUE (scope, subject, kind));
CREATE TABLE artifact (
    release_id TEXT PRIMARY KEY, content BYTEA NOT NULL,
    sha256 TEXT NOT NULL);
CREATE UNIQUE INDEX one_release ON entry (subject) WHERE kind = 'charge';
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
DO $$
DECLARE t text; w text;
BEGIN
    FOREACH t IN ARRAY ARRAY['ledger', 'scope', 'entry', 'artifact'] LOOP
        FOREACH w IN ARRAY ARRAY['UPDATE', 'DELETE', 'TRUNCATE'] LOOP
            EXECUTE format('CREATE TRIGGER %s_keeps_%s BEFORE %s ON %s FOR EACH '
                'STATEMENT EXECUTE FUNCTION refuse_change()', t, lower(w), w, t);
        END LOOP;
    END LOOP;
END $$;
INSERT INTO ledger VALUES (1);
RESET search_path;
