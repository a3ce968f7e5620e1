CREATE SCHEMA dpratio;
CREATE TABLE dpratio.ledger (version bigint NOT NULL);
CREATE TABLE dpratio.scope (name text NOT NULL, document text NOT NULL, hash text NOT NULL, loss text NOT NULL, delta text NOT NULL);
CREATE TABLE dpratio.entry (scope text NOT NULL, seq bigint NOT NULL, time text NOT NULL, subject text NOT NULL, kind text NOT NULL, loss text NOT NULL, delta text NOT NULL, event text NOT NULL, previous text NOT NULL, hash text NOT NULL, spent_loss text NOT NULL, spent_delta text NOT NULL);
CREATE TABLE dpratio.artifact (release_id text NOT NULL, content bytea NOT NULL, sha256 text NOT NULL);
ALTER TABLE dpratio.scope ADD CONSTRAINT scope_pkey PRIMARY KEY (name);
ALTER TABLE dpratio.entry ADD CONSTRAINT entry_pkey PRIMARY KEY (scope, seq);
ALTER TABLE dpratio.entry ADD CONSTRAINT entry_takes_each_step_once UNIQUE (scope, subject, kind);
ALTER TABLE dpratio.entry ADD CONSTRAINT entry_has_a_scope FOREIGN KEY (scope) REFERENCES dpratio.scope(name);
ALTER TABLE dpratio.artifact ADD CONSTRAINT artifact_pkey PRIMARY KEY (release_id);
CREATE UNIQUE INDEX one_release ON dpratio.entry USING btree (subject) WHERE (kind = 'charge'::text);
CREATE UNIQUE INDEX set_aside ON dpratio.entry USING btree (scope, seq) WHERE (kind = 'quarantined'::text);
CREATE FUNCTION dpratio.refuse_change() RETURNS trigger LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only';
END
$dpratio$;
CREATE FUNCTION dpratio.refuse(p_rule text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'DP001', MESSAGE = p_rule;
END
$dpratio$;
CREATE FUNCTION dpratio.json_text(p_text text) RETURNS text LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
DECLARE
    v_text text := replace(replace(p_text, chr(92), chr(92) || chr(92)),
                           '"', chr(92) || '"');
    v_done text := '';
    v_code integer;
    v_at integer;
BEGIN
    IF v_text ~ '^[ -~]*$' THEN
        RETURN '"' || v_text || '"';
    END IF;
    FOR v_at IN 1 .. length(v_text) LOOP
        v_code := ascii(substr(v_text, v_at, 1));
        v_done := v_done || CASE
            WHEN v_code BETWEEN 32 AND 126 THEN chr(v_code)
            WHEN v_code = 8 THEN chr(92) || 'b'
            WHEN v_code = 9 THEN chr(92) || 't'
            WHEN v_code = 10 THEN chr(92) || 'n'
            WHEN v_code = 12 THEN chr(92) || 'f'
            WHEN v_code = 13 THEN chr(92) || 'r'
            WHEN v_code < 65536 THEN chr(92) || 'u' || lpad(to_hex(v_code), 4, '0')
            ELSE chr(92) || 'u' || to_hex(55296 + ((v_code - 65536) >> 10))
                || chr(92) || 'u' || to_hex(56320 + ((v_code - 65536) & 1023))
        END;
    END LOOP;
    RETURN '"' || v_done || '"';
END
$dpratio$;
CREATE FUNCTION dpratio.plus(p_first text, p_other text, p_sign integer) RETURNS text LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
DECLARE
    v_first numeric := split_part(p_first, '/', 1)::numeric;
    v_whole numeric := split_part(p_first, '/', 2)::numeric;
    v_other numeric := split_part(p_other, '/', 1)::numeric;
    v_parts numeric := split_part(p_other, '/', 2)::numeric;
    v_sum numeric := v_first * v_parts + p_sign * v_other * v_whole;
    v_shared numeric := gcd(v_sum, v_whole * v_parts);
BEGIN
    RETURN div(v_sum, v_shared)::text || '/' || div(v_whole * v_parts, v_shared)::text;
END
$dpratio$;
CREATE FUNCTION dpratio.fits(p_spent text, p_cap text) RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    RETURN split_part(p_spent, '/', 1)::numeric * split_part(p_cap, '/', 2)::numeric
        <= split_part(p_cap, '/', 1)::numeric * split_part(p_spent, '/', 2)::numeric;
END
$dpratio$;
CREATE FUNCTION dpratio.line_hash(p_scope text, p_seq bigint, p_time text, p_subject text, p_kind text, p_loss text, p_delta text, p_event text, p_previous text, p_hash text) RETURNS text LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    RETURN encode(sha256(convert_to('[' || dpratio.json_text(p_scope)
        || ',' || p_seq::text
        || ',' || dpratio.json_text(p_time) || ',' || dpratio.json_text(p_subject)
        || ',' || dpratio.json_text(p_kind) || ',' || dpratio.json_text(p_loss)
        || ',' || dpratio.json_text(p_delta) || ',' || dpratio.json_text(p_event)
        || ',' || dpratio.json_text(p_previous)
        || CASE WHEN p_hash IS NULL THEN '' ELSE ',' || dpratio.json_text(p_hash) END
        || ']', 'UTF8')), 'hex');
END
$dpratio$;
CREATE FUNCTION dpratio.is_passed(p_scope text, p_seq bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    RETURN EXISTS (SELECT FROM dpratio.entry q WHERE q.scope = p_scope
        AND q.kind = 'quarantined' AND q.event::jsonb ->> 'line' = p_seq::text
        AND NOT dpratio.is_passed(p_scope, q.seq));
END
$dpratio$;
CREATE FUNCTION dpratio.is_aside(p_scope text, p_subject text) RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    RETURN EXISTS (SELECT FROM dpratio.entry e WHERE e.scope = p_scope
        AND e.subject = p_subject AND dpratio.is_passed(p_scope, e.seq));
END
$dpratio$;
CREATE FUNCTION dpratio.is_lost(p_scope text, p_seq bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    RETURN EXISTS (SELECT FROM dpratio.entry r WHERE r.scope = p_scope
            AND r.kind = 'recovered' AND r.seq > p_seq)
        OR EXISTS (SELECT FROM dpratio.entry q JOIN dpratio.entry e
            ON e.scope = q.scope AND e.seq::text = q.event::jsonb ->> 'line'
            WHERE q.scope = p_scope AND q.kind = 'quarantined' AND e.seq > p_seq
                AND dpratio.is_passed(p_scope, e.seq)
                AND (e.kind NOT IN ('charge', 'opened', 'sealed', 'published', 'void', 'approved', 'withdrawn', 'allowed', 'recovered', 'closed', 'reopened', 'quarantined')
                    OR e.hash IS DISTINCT FROM dpratio.line_hash(e.scope, e.seq,
                        e.time, e.subject, e.kind, e.loss, e.delta, e.event,
                        e.previous, NULL)
                    OR e.previous IS DISTINCT FROM coalesce(
                        (SELECT b.hash FROM dpratio.entry b
                            WHERE b.scope = e.scope AND b.seq = e.seq - 1),
                        (SELECT s.hash FROM dpratio.scope s WHERE s.name = e.scope))));
END
$dpratio$;
CREATE FUNCTION dpratio.require_approved(p_scope text, p_terms jsonb, p_event text, p_time text, p_own integer) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
DECLARE
    v_said jsonb := p_event::jsonb;
    v_name text := v_said ->> 'approval';
    v_start text := '{"approval": "' || v_name || '"';
    v_day text := to_char(timezone('UTC', clock_timestamp()), 'YYYY-MM-DD');
    v_used bigint;
    v_given jsonb;
BEGIN
    SELECT e.event::jsonb INTO v_given FROM dpratio.entry e
        WHERE e.scope = p_scope AND e.subject = v_name AND e.kind = 'approved'
            AND NOT dpratio.is_lost(p_scope, e.seq);
    IF NOT FOUND OR dpratio.is_aside(p_scope, v_name)
            OR v_given ->> 'plan' IS DISTINCT FROM v_said ->> 'plan'
            OR v_given ->> 'source' IS DISTINCT FROM v_said ->> 'source' THEN
        PERFORM dpratio.refuse('the charge names no approval of its plan and source');
    END IF;
    -- Uses are counted by how lines begin, so each must begin in this way.
    IF left(p_event, length(v_start)) IS DISTINCT FROM v_start THEN
        PERFORM dpratio.refuse('the charge must name its approval first');
    END IF;
    PERFORM FROM dpratio.entry e WHERE e.scope = p_scope AND e.subject = v_name
        AND e.kind = 'withdrawn';
    IF FOUND THEN
        PERFORM dpratio.refuse('the approval was withdrawn');
    END IF;
    IF v_given ->> 'most' IS NOT NULL THEN
        SELECT count(*) INTO v_used FROM dpratio.entry e
            WHERE e.scope = p_scope AND e.kind = 'charge'
                AND left(e.event, length(v_start)) = v_start
                AND NOT EXISTS (SELECT FROM dpratio.entry v
                    WHERE v.scope = p_scope AND v.subject = e.subject
                        AND v.kind = 'void');
        IF (v_used - p_own < (v_given ->> 'most')::numeric) IS NOT TRUE THEN
            PERFORM dpratio.refuse('the approval was used up');
        END IF;
    END IF;
    IF v_given ->> 'until' IS NOT NULL AND (v_day COLLATE "C" <= v_given ->> 'until'
            AND left(p_time, 10) COLLATE "C" <= v_given ->> 'until') IS NOT TRUE THEN
        PERFORM dpratio.refuse('the approval has ended');
    END IF;
    IF p_terms ->> 'approvals_by_others' = 'true'
            AND (v_given ->> 'session' <> session_user::text) IS NOT TRUE THEN
        PERFORM dpratio.refuse('the approval must be by somebody else');
    END IF;
END
$dpratio$;
CREATE FUNCTION dpratio.enter(p_scope text, p_seq bigint, p_time text, p_subject text, p_kind text, p_loss text, p_delta text, p_event text, p_previous text, p_hash text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $dpratio$
DECLARE
    v_scope record;
    v_seq bigint;
    v_head text;
    v_loss text;
    v_delta text;
    v_last text;
    v_state text;
    v_charge record;
    v_said jsonb := p_event::jsonb;
    v_time constant text :=
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$';
    v_number constant text := '^(0|[1-9][0-9]*)/[1-9][0-9]*$';
BEGIN
    SELECT s.hash, s.loss, s.delta, s.document::jsonb AS terms
        INTO v_scope FROM dpratio.scope s
        WHERE s.name = p_scope FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM dpratio.refuse('there is no such scope');
    END IF;
    SELECT e.seq, e.hash, e.spent_loss, e.spent_delta, e.kind
        INTO v_seq, v_head, v_loss, v_delta, v_last
        FROM dpratio.entry e WHERE e.scope = p_scope ORDER BY e.seq DESC LIMIT 1;
    IF NOT FOUND THEN
        v_seq := 0;
        v_head := v_scope.hash;
        v_loss := '0/1';
        v_delta := '0/1';
    END IF;
    IF p_seq IS DISTINCT FROM v_seq + 1 OR p_previous IS DISTINCT FROM v_head THEN
        PERFORM dpratio.refuse('the line does not follow the last one');
    END IF;
    IF (coalesce(v_last, '') = 'closed') IS DISTINCT FROM (p_kind = 'reopened') THEN
        PERFORM dpratio.refuse('the ledger is closed, or was not');
    END IF;
    IF p_hash IS DISTINCT FROM dpratio.line_hash(p_scope, p_seq, p_time, p_subject, p_kind, p_loss, p_delta, p_event, p_previous, NULL) THEN
        PERFORM dpratio.refuse('the hash is not that of the line');
    END IF;
    IF v_said ->> 'session' IS DISTINCT FROM session_user::text THEN
        PERFORM dpratio.refuse('the line names another user');
    END IF;
    -- A line of tomorrow would end approvals before their time.
    IF (v_scope.terms ->> 'needs_approval')::boolean
            AND (p_time ~ v_time AND p_time COLLATE "C" <= to_char(timezone('UTC',
            clock_timestamp()) + interval '1 day', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
            IS NOT TRUE THEN
        PERFORM dpratio.refuse('the time of the line is none, or is still to come');
    END IF;
    IF p_kind IN ('charge', 'opened', 'sealed', 'published', 'void') THEN
        IF dpratio.is_aside(p_scope, p_subject) THEN
            PERFORM dpratio.refuse('the release was set aside');
        END IF;
        SELECT e.kind INTO v_state FROM dpratio.entry e
            WHERE e.scope = p_scope AND e.subject = p_subject
            ORDER BY e.seq DESC LIMIT 1;
        IF coalesce(v_state, '') IS DISTINCT FROM (CASE p_kind WHEN 'charge' THEN '' WHEN 'opened' THEN 'charge' WHEN 'sealed' THEN 'opened' WHEN 'published' THEN 'sealed' WHEN 'void' THEN 'charge' END) THEN
            PERFORM dpratio.refuse('the step may not follow');
        END IF;
    END IF;
    IF p_kind IN ('opened', 'void') THEN
        SELECT e.seq, e.event INTO STRICT v_charge FROM dpratio.entry e
            WHERE e.scope = p_scope AND e.subject = p_subject AND e.kind = 'charge';
        IF dpratio.is_lost(p_scope, v_charge.seq) THEN
            PERFORM dpratio.refuse('lines were lost after the charge');
        END IF;
        -- Charges of before named no approval.
        IF p_kind = 'opened' AND (v_scope.terms ->> 'needs_approval')::boolean
                AND v_charge.event::jsonb ->> 'approval' IS NOT NULL THEN
            PERFORM dpratio.require_approved(
                p_scope, v_scope.terms, v_charge.event, p_time, 1);
        END IF;
    END IF;
    IF p_kind = 'recovered' THEN
        IF (p_loss ~ v_number AND p_delta ~ v_number
                AND length(p_loss) < 1000 AND length(p_delta) < 1000) IS NOT TRUE THEN
            PERFORM dpratio.refuse('what is written off must be exact');
        END IF;
        v_loss := dpratio.plus(v_loss, p_loss, 1);
        v_delta := dpratio.plus(v_delta, p_delta, 1);
        IF dpratio.fits(v_loss, v_scope.loss) IS NOT TRUE THEN
            v_loss := v_scope.loss;
        END IF;
        IF dpratio.fits(v_delta, v_scope.delta) IS NOT TRUE THEN
            v_delta := v_scope.delta;
        END IF;
    ELSIF p_kind = 'charge' THEN
        IF (p_loss ~ v_number AND p_delta ~ v_number AND p_loss !~ '^0/'
                AND length(p_loss) <= 300 AND length(p_delta) <= 300) IS NOT TRUE THEN
            PERFORM dpratio.refuse('a charge must be above 0 and exact');
        END IF;
        v_loss := dpratio.plus(v_loss, p_loss, 1);
        v_delta := dpratio.plus(v_delta, p_delta, 1);
        IF (dpratio.fits(v_loss, v_scope.loss)
                AND dpratio.fits(v_delta, v_scope.delta)) IS NOT TRUE THEN
            PERFORM dpratio.refuse('the charge exceeds the cap');
        END IF;
        IF (v_scope.terms ->> 'needs_approval')::boolean THEN
            PERFORM dpratio.require_approved(
                p_scope, v_scope.terms, p_event, p_time, 0);
        END IF;
    ELSIF p_kind = 'quarantined' THEN
        IF (p_loss ~ v_number AND p_delta ~ v_number
                AND length(p_loss) <= 300 AND length(p_delta) <= 300) IS NOT TRUE THEN
            PERFORM dpratio.refuse('what is spent must be exact');
        END IF;
        PERFORM FROM dpratio.entry e
            WHERE e.scope = p_scope AND e.seq::text = v_said ->> 'line'
                AND v_said ->> 'row' = dpratio.line_hash(e.scope, e.seq, e.time,
                    e.subject, e.kind, e.loss, e.delta, e.event, e.previous, e.hash);
        IF NOT FOUND THEN
            PERFORM dpratio.refuse('there is no such line');
        END IF;
        IF dpratio.is_passed(p_scope, (v_said ->> 'line')::bigint) THEN
            PERFORM dpratio.refuse('the line is set aside already');
        END IF;
        -- Nothing that is spent comes back.
        IF NOT dpratio.fits(p_loss, v_loss) THEN
            v_loss := p_loss;
        END IF;
        IF NOT dpratio.fits(p_delta, v_delta) THEN
            v_delta := p_delta;
        END IF;
    ELSIF (p_loss = '' AND p_delta = '') IS NOT TRUE THEN
        PERFORM dpratio.refuse('only a charge costs');
    ELSIF p_kind = 'void' THEN
        SELECT dpratio.plus(v_loss, e.loss, -1), dpratio.plus(v_delta, e.delta, -1)
            INTO STRICT v_loss, v_delta FROM dpratio.entry e
            WHERE e.scope = p_scope AND e.subject = p_subject AND e.kind = 'charge';
    ELSIF p_kind = 'withdrawn' THEN
        PERFORM FROM dpratio.entry e WHERE e.scope = p_scope
            AND e.subject = p_subject AND e.kind = 'approved'
            AND NOT dpratio.is_lost(p_scope, e.seq);
        IF NOT FOUND THEN
            PERFORM dpratio.refuse('there is no such approval');
        END IF;
    ELSIF p_kind = 'sealed' THEN
        PERFORM FROM dpratio.artifact a WHERE a.release_id = p_subject
            AND a.sha256 = v_said ->> 'sha256';
        IF NOT FOUND THEN
            PERFORM dpratio.refuse('the bytes are not there');
        END IF;
    END IF;
    INSERT INTO dpratio.entry VALUES (p_scope, p_seq, p_time, p_subject, p_kind, p_loss, p_delta, p_event, p_previous, p_hash, v_loss, v_delta);
END
$dpratio$;
CREATE FUNCTION dpratio.append(p_scope text, p_seq bigint, p_time text, p_subject text, p_kind text, p_loss text, p_delta text, p_event text, p_previous text, p_hash text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    IF p_kind IS NULL OR p_kind NOT IN ('charge', 'opened', 'sealed', 'published', 'void') THEN
        PERFORM dpratio.refuse('this is not yours to write');
    END IF;
    PERFORM dpratio.enter(p_scope, p_seq, p_time, p_subject, p_kind, p_loss, p_delta, p_event, p_previous, p_hash);
END
$dpratio$;
CREATE FUNCTION dpratio.approve(p_scope text, p_seq bigint, p_time text, p_subject text, p_kind text, p_loss text, p_delta text, p_event text, p_previous text, p_hash text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    IF p_kind IS NULL OR p_kind NOT IN ('approved', 'withdrawn', 'allowed') THEN
        PERFORM dpratio.refuse('this is not yours to write');
    END IF;
    PERFORM dpratio.enter(p_scope, p_seq, p_time, p_subject, p_kind, p_loss, p_delta, p_event, p_previous, p_hash);
END
$dpratio$;
CREATE FUNCTION dpratio.settle(p_scope text, p_seq bigint, p_time text, p_subject text, p_kind text, p_loss text, p_delta text, p_event text, p_previous text, p_hash text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    IF p_kind IS NULL OR p_kind NOT IN ('recovered', 'closed', 'reopened', 'quarantined') THEN
        PERFORM dpratio.refuse('this is not yours to write');
    END IF;
    PERFORM dpratio.enter(p_scope, p_seq, p_time, p_subject, p_kind, p_loss, p_delta, p_event, p_previous, p_hash);
END
$dpratio$;
CREATE FUNCTION dpratio.keep(p_release_id text, p_content bytea, p_sha256 text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $dpratio$
DECLARE
    v_state text;
BEGIN
    PERFORM FROM dpratio.scope s JOIN dpratio.entry e ON e.scope = s.name
        WHERE e.subject = p_release_id AND e.kind = 'charge' FOR UPDATE OF s;
    SELECT e.kind INTO v_state FROM dpratio.entry e
        WHERE e.subject = p_release_id ORDER BY e.seq DESC LIMIT 1;
    IF v_state IS DISTINCT FROM 'opened' THEN
        PERFORM dpratio.refuse('the release is not open');
    END IF;
    IF p_sha256 IS DISTINCT FROM encode(sha256(p_content), 'hex') THEN
        PERFORM dpratio.refuse('the hash is not that of the bytes');
    END IF;
    INSERT INTO dpratio.artifact VALUES (p_release_id, p_content, p_sha256);
END
$dpratio$;
CREATE FUNCTION dpratio.require_seal() RETURNS trigger LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $dpratio$
BEGIN
    PERFORM FROM dpratio.entry e
        WHERE e.subject = NEW.release_id AND e.kind = 'sealed';
    IF NOT FOUND THEN
        PERFORM dpratio.refuse('bytes must be sealed with their line');
    END IF;
    RETURN NULL;
END
$dpratio$;
CREATE TRIGGER ledger_keeps_update BEFORE UPDATE ON dpratio.ledger FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER ledger_keeps_delete BEFORE DELETE ON dpratio.ledger FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER ledger_keeps_truncate BEFORE TRUNCATE ON dpratio.ledger FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER scope_keeps_update BEFORE UPDATE ON dpratio.scope FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER scope_keeps_delete BEFORE DELETE ON dpratio.scope FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER scope_keeps_truncate BEFORE TRUNCATE ON dpratio.scope FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER entry_keeps_update BEFORE UPDATE ON dpratio.entry FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER entry_keeps_delete BEFORE DELETE ON dpratio.entry FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER entry_keeps_truncate BEFORE TRUNCATE ON dpratio.entry FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER artifact_keeps_update BEFORE UPDATE ON dpratio.artifact FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER artifact_keeps_delete BEFORE DELETE ON dpratio.artifact FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE TRIGGER artifact_keeps_truncate BEFORE TRUNCATE ON dpratio.artifact FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change();
CREATE CONSTRAINT TRIGGER artifact_is_sealed AFTER INSERT ON dpratio.artifact DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dpratio.require_seal();
REVOKE ALL ON ALL TABLES IN SCHEMA dpratio FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpratio FROM PUBLIC;
REVOKE ALL ON SCHEMA dpratio FROM PUBLIC;
INSERT INTO dpratio.ledger VALUES (4);
