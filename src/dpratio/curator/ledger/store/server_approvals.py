"""How a server checks approvals itself, and whether a line was set aside.

The bodies of two functions of the schema, in the language of the server.
"""

__all__ = ["IS_ASIDE", "REQUIRE_APPROVED"]

IS_ASIDE = """
BEGIN
    RETURN EXISTS (SELECT FROM dpratio.entry q JOIN dpratio.entry e
        ON e.scope = q.scope AND e.seq::text = q.event::jsonb ->> 'line'
        WHERE q.scope = p_scope AND q.kind = 'quarantined'
            AND e.subject = p_subject);
END
"""

# The session is the user who asks, whom no client can choose.
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
            AND NOT EXISTS (SELECT FROM dpratio.entry r WHERE r.scope = p_scope
                AND r.kind = 'recovered' AND r.seq > e.seq);
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
        IF (v_used < (v_given ->> 'most')::numeric) IS NOT TRUE THEN
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
