"""The functions by which lines enter a ledger on a server: checked there, once more.

A curator may call ``append`` and ``keep``, an officer ``approve``, the owner alone
``settle``; nobody may insert. They run with the rights of the owner and a fixed search
path, so calling them directly allows no more than this library does.
"""

from dataclasses import dataclass

from dpratio.curator.ledger.account.entry import CURATORS, OFFICERS, OWNERS
from dpratio.curator.ledger.account.held import AFTER
from dpratio.curator.ledger.store.server_approvals import (
    IS_ASIDE,
    IS_LOST,
    IS_PASSED,
    REQUIRE_APPROVED,
)

REFUSED = "DP001"  # the state of an error that a check raises
_LINE = (
    "p_scope text, p_seq bigint, p_time text, p_subject text, p_kind text, "
    "p_loss text, p_delta text, p_event text, p_previous text, p_hash text"
)
_GIVEN = ", ".join(word.split()[0] for word in _LINE.split(", "))
_STEPS = ", ".join(f"'{kind}'" for kind in AFTER)
_CURATORS, _OFFICERS, _OWNERS = (
    ", ".join(f"'{kind}'" for kind in kinds) for kinds in (CURATORS, OFFICERS, OWNERS)
)
_WANTED = " ".join(f"WHEN '{kind}' THEN '{state}'" for kind, state in AFTER.items())


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the schema: name, arguments, what it gives, what it does."""

    name: str
    arguments: str
    returns: str
    body: str
    is_definer: bool = False

    @property
    def statement(self) -> str:
        """What makes it; its search path is fixed, with temporary things last."""
        rights = "SECURITY DEFINER" if self.is_definer else "SECURITY INVOKER"
        return (
            f"CREATE FUNCTION dpratio.{self.name}({self.arguments}) RETURNS "
            f"{self.returns} LANGUAGE plpgsql VOLATILE {rights} "
            f"SET search_path = pg_catalog, pg_temp AS $dpratio${self.body}$dpratio$"
        )


_REFUSE_CHANGE = """
BEGIN
    RAISE EXCEPTION 'the ledger is append-only';
END
"""

_REFUSE = f"""
BEGIN
    RAISE EXCEPTION USING ERRCODE = '{REFUSED}', MESSAGE = p_rule;
END
"""

# Text as Python's json.dumps writes it; chr(92) is the backslash.
_JSON_TEXT = """
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
"""

# The hash of a line, or of a whole row where its own hash is given.
_LINE_HASH = """
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
"""

_PLUS = """
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
"""

_FITS = """
BEGIN
    RETURN split_part(p_spent, '/', 1)::numeric * split_part(p_cap, '/', 2)::numeric
        <= split_part(p_cap, '/', 1)::numeric * split_part(p_spent, '/', 2)::numeric;
END
"""

_ENTER = """
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
    IF v_last = 'closed' THEN
        PERFORM dpratio.refuse('the scope is closed');
    END IF;
    IF p_hash IS DISTINCT FROM dpratio.line_hash(BEFORE, NULL) THEN
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
    IF p_kind IN (STEPS) THEN
        IF dpratio.is_aside(p_scope, p_subject) THEN
            PERFORM dpratio.refuse('the release was set aside');
        END IF;
        SELECT e.kind INTO v_state FROM dpratio.entry e
            WHERE e.scope = p_scope AND e.subject = p_subject
            ORDER BY e.seq DESC LIMIT 1;
        IF coalesce(v_state, '') IS DISTINCT FROM (CASE p_kind WANTED END) THEN
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
    INSERT INTO dpratio.entry VALUES (GIVEN, v_loss, v_delta);
END
"""
for _word, _said in (
    ("STEPS", _STEPS),
    ("WANTED", _WANTED),
    ("GIVEN", _GIVEN),
    ("BEFORE", _GIVEN.removesuffix(", p_hash")),
):
    _ENTER = _ENTER.replace(_word, _said)

_APPEND = f"""
BEGIN
    IF p_kind IS NULL OR p_kind NOT IN ({{kinds}}) THEN
        PERFORM dpratio.refuse('this is not yours to write');
    END IF;
    PERFORM dpratio.enter({_GIVEN});
END
"""

_KEEP = """
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
"""

_REQUIRE_SEAL = """
BEGIN
    PERFORM FROM dpratio.entry e
        WHERE e.subject = NEW.release_id AND e.kind = 'sealed';
    IF NOT FOUND THEN
        PERFORM dpratio.refuse('bytes must be sealed with their line');
    END IF;
    RETURN NULL;
END
"""

_BYTES = "p_release_id text, p_content bytea, p_sha256 text"

FUNCTIONS = (
    Function("refuse_change", "", "trigger", _REFUSE_CHANGE),
    Function("refuse", "p_rule text", "void", _REFUSE),
    Function("json_text", "p_text text", "text", _JSON_TEXT),
    Function("plus", "p_first text, p_other text, p_sign integer", "text", _PLUS),
    Function("fits", "p_spent text, p_cap text", "boolean", _FITS),
    Function("line_hash", _LINE, "text", _LINE_HASH),
    Function("is_passed", "p_scope text, p_seq bigint", "boolean", IS_PASSED),
    Function("is_aside", "p_scope text, p_subject text", "boolean", IS_ASIDE),
    Function("is_lost", "p_scope text, p_seq bigint", "boolean", IS_LOST),
    Function(
        "require_approved",
        "p_scope text, p_terms jsonb, p_event text, p_time text, p_own integer",
        "void",
        REQUIRE_APPROVED,
    ),
    Function("enter", _LINE, "void", _ENTER),
    Function("append", _LINE, "void", _APPEND.format(kinds=_CURATORS), is_definer=True),
    Function(
        "approve", _LINE, "void", _APPEND.format(kinds=_OFFICERS), is_definer=True
    ),
    Function("settle", _LINE, "void", _APPEND.format(kinds=_OWNERS), is_definer=True),
    Function("keep", _BYTES, "void", _KEEP, is_definer=True),
    Function("require_seal", "", "trigger", _REQUIRE_SEAL, is_definer=True),
)
