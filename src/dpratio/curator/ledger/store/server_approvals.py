"""How a server checks itself what a charge stands on: an approval, and no lost line.

The bodies of four functions of the schema, in the language of the server.
"""

from dpratio.curator.ledger.account.entry import KINDS

_KINDS = ", ".join(f"'{kind}'" for kind in KINDS)

# A line that sets another aside counts unless it was itself set aside: an owner at the
# console may have named a line that can be followed.
IS_PASSED = """
BEGIN
    RETURN EXISTS (SELECT FROM dpratio.entry q WHERE q.scope = p_scope
        AND q.kind = 'quarantined' AND q.event::jsonb ->> 'line' = p_seq::text
        AND NOT dpratio.is_passed(p_scope, q.seq));
END
"""

IS_ASIDE = """
BEGIN
    RETURN EXISTS (SELECT FROM dpratio.entry e WHERE e.scope = p_scope
        AND e.subject = p_subject AND dpratio.is_passed(p_scope, e.seq));
END
"""

# Lines after a number were lost, or set aside and cannot be told: they may have opened
# any charge and withdrawn any approval from before.
IS_LOST = """
BEGIN
    RETURN EXISTS (SELECT FROM dpratio.entry r WHERE r.scope = p_scope
            AND r.kind = 'recovered' AND r.seq > p_seq)
        OR EXISTS (SELECT FROM dpratio.entry q JOIN dpratio.entry e
            ON e.scope = q.scope AND e.seq::text = q.event::jsonb ->> 'line'
            WHERE q.scope = p_scope AND q.kind = 'quarantined' AND e.seq > p_seq
                AND dpratio.is_passed(p_scope, e.seq)
                AND (e.kind NOT IN (KINDS)
                    OR e.hash IS DISTINCT FROM dpratio.line_hash(e.scope, e.seq,
                        e.time, e.subject, e.kind, e.loss, e.delta, e.event,
                        e.previous, NULL)
                    OR e.previous IS DISTINCT FROM coalesce(
                        (SELECT b.hash FROM dpratio.entry b
                            WHERE b.scope = e.scope AND b.seq = e.seq - 1),
                        (SELECT s.hash FROM dpratio.scope s WHERE s.name = e.scope))));
END
""".replace("KINDS", _KINDS)

# The session is the user who asks, whom no client can choose. A charge that goes on
# stands under its approval itself: then p_own is 1, and 0 before.
REQUIRE_APPROVED = """
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
"""
