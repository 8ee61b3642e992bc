import { SELECT_RECORD } from "../../rows/record-row.ts";
import { TRANSITIONS, statesAllowing } from "../../transitions.ts";
import { REFUSED } from "../connection/failures.ts";
import { isIn, isRecord } from "../sql.ts";

/** How a step is refused: the code of the error, and what its message needs. */
const refuse = `
  CREATE FUNCTION refuse(p_code text, p_detail text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION USING ERRCODE = '${REFUSED}', MESSAGE = p_code, DETAIL = coalesce(p_detail, '');
  END $$;

  CREATE FUNCTION next_state(p_state text, p_event text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    v_next text := '${JSON.stringify(TRANSITIONS)}'::jsonb -> p_state ->> p_event;
  BEGIN
    IF v_next = 'refused' THEN
      PERFORM refuse('E_STORE_STATE', format('is %s and cannot %s', p_state, p_event));
    END IF;
    RETURN v_next;
  END $$`;

/**
 * Claims begin and end here. A token begins with the number of its record, so that a step finds the record by it; then comes the
 * epoch of the replica that claims. Records are taken and looked at in the shape of `record_rows`.
 */
export const claims = `
  CREATE VIEW record_rows AS ${SELECT_RECORD};
  ${refuse};

  -- p_mapping: what the replica maps by. Only the leader's counts, so that no record is delivered by an older file.
  CREATE FUNCTION claim(p_stream text, p_key text, p_secret text, p_mapping text, p_now bigint, p_until bigint)
  RETURNS SETOF record_rows LANGUAGE plpgsql AS $$
  DECLARE
    v_id bigint;
  BEGIN
    -- Nothing is delivered before the session of a lost replica is ended: what that one began may be among it. Nor on a server that was
    -- started or promoted, until each replica has found there all that it knows of: a create that is missing would be made again.
    IF p_mapping IS NOT NULL
      AND (is_revoked() OR EXISTS (SELECT 1 FROM members WHERE server <> pg_postmaster_start_time()) OR NOT EXISTS (SELECT 1 FROM leases WHERE role = 'daemon' AND mapping = p_mapping)) THEN
      RETURN;
    END IF;
    UPDATE records r SET state = 'claimed', token = r.id || '.' || p_secret, due_at = p_until, again = 0
    WHERE ${isRecord("r", "p_stream", "p_key")} AND r.due_at <= p_now AND ${isIn("r", statesAllowing("claim"))}
    RETURNING r.id INTO v_id;
    IF FOUND THEN
      RETURN QUERY SELECT * FROM record_rows r WHERE r.id = v_id;
    END IF;
  END $$;

  CREATE FUNCTION hold(p_token text) RETURNS records LANGUAGE plpgsql AS $$
  DECLARE
    r records;
  BEGIN
    SELECT * INTO r FROM records WHERE id = substring(p_token FROM '^\\d{1,15}')::bigint AND token = p_token;
    IF NOT FOUND THEN
      PERFORM refuse('E_CLAIM_LOST', '');
    END IF;
    RETURN r;
  END $$;

  CREATE FUNCTION is_bound(p_record bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM bindings WHERE record = p_record);
  END $$;

  CREATE FUNCTION is_begun(p_record bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM intents WHERE record = p_record);
  END $$;

  CREATE FUNCTION expect(p_is_true boolean, p_why text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT p_is_true THEN
      PERFORM refuse('E_STORE_STATE', p_why);
    END IF;
  END $$;

  CREATE FUNCTION renew(p_token text, p_until bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    UPDATE records SET due_at = p_until WHERE id = r.id;
  END $$;

  -- The one place where a claimed record gets its next state. What it is followed by happens to it at once after the step.
  CREATE FUNCTION end_claim(r records, p_event text, p_attempts integer, p_error text, p_due_at bigint,
    p_is_answered boolean, p_followed_by text, p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_state text := next_state('claimed', p_event);
    v_then text := CASE WHEN r.again = 1 THEN 'change' ELSE p_followed_by END;
  BEGIN
    IF v_then IS NOT NULL THEN
      v_state := next_state(v_state, v_then);
      p_due_at := p_now;
      p_error := NULL;
      p_attempts := CASE WHEN v_then = 'change' THEN 0 ELSE p_attempts END;
    END IF;
    UPDATE records SET state = v_state, due_at = p_due_at, attempts = p_attempts, error = p_error, token = NULL, again = 0,
      decision = CASE WHEN p_is_answered AND decision = 'create' THEN NULL ELSE decision END
    WHERE id = r.id;
    DELETE FROM reserved WHERE record = r.id AND NOT is_begun(r.id);
  END $$;

  CREATE FUNCTION add_audit(p_entry jsonb) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF p_entry IS NOT NULL THEN
      INSERT INTO audit (at, stream, key, action, resource, service_id, before, after, outcome, status, duration_ms,
        actor, via, why)
      SELECT at, stream, key, action, resource, service_id, before, after, outcome, status, duration_ms, actor, via, why
      FROM jsonb_populate_record(NULL::audit, p_entry);
    END IF;
  END $$`;
