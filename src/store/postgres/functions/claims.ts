import { OLD_ATTEMPTS } from "../../rows/audit-row.ts";
import { SELECT_RECORD } from "../../rows/record-row.ts";
import { TRANSITIONS, statesAllowing } from "../../transitions.ts";
import { REFUSED } from "../connection/failures.ts";
import { isIn, isRecord } from "../sql.ts";

/**
 * For functions that take a list of calls: look up each call's rows by index, one call after the other. Without statistics the server would
 * read a whole index instead.
 */
export const BY_INDEX = "SET enable_hashjoin = off SET enable_mergejoin = off";

/** Inserts the audit entries `e` of `from`, which have the shape of an audit row. */
export const addAudit = (from: string) => `
  INSERT INTO audit (at, stream, key, action, resource, service_id, before, after, outcome, status, duration_ms, actor, via, why)
  SELECT (e ->> 'at')::bigint, e ->> 'stream', e ->> 'key', e ->> 'action', e ->> 'resource', (e ->> 'service_id')::bigint,
    e ->> 'before', e ->> 'after', e ->> 'outcome', (e ->> 'status')::integer, (e ->> 'duration_ms')::double precision,
    e ->> 'actor', e ->> 'via', e ->> 'why'
  FROM ${from}`;

/** Refuses a step with an error code and the details for its message. */
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
 * Claims begin and end here. A token starts with the record's number, by which steps find the record, followed by the epoch of the claiming
 * replica. Claimed records and views of records have the shape of `record_rows`.
 */
export const claims = `
  CREATE VIEW record_rows AS ${SELECT_RECORD};
  ${refuse};

  -- The number of each call, and the record that it claimed.
  CREATE VIEW claimed_rows AS SELECT 0 AS call, r.* FROM record_rows r;

  -- {"call", "stream", "key", "secret", "mapping": the replica's mapping, "dueBy", "until", "guardedFrom": the first lane that is not claimed}.
  -- Only replicas with the leader's mapping may claim, so that an older sync file delivers nothing.
  CREATE FUNCTION claim(p_calls jsonb) RETURNS SETOF claimed_rows LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE
    v_mapping text := p_calls -> 0 ->> 'mapping';
    v_count integer;
  BEGIN
    -- Claim nothing before the session of a lost replica is ended: its requests may still arrive. Claim nothing on a server that was
    -- started or promoted until each replica has confirmed that it lacks nothing: a create that it lost would be made again.
    IF v_mapping IS NOT NULL
      AND (is_revoked() OR EXISTS (SELECT 1 FROM members WHERE server <> pg_postmaster_start_time()) OR NOT EXISTS (SELECT 1 FROM leases WHERE role = 'daemon' AND mapping = v_mapping)) THEN
      RETURN;
    END IF;
    -- A claim shows the record as it was before; claiming changes nothing that it shows.
    RETURN QUERY
      WITH claimed AS (
        UPDATE records r SET state = 'claimed', token = r.id || '.' || (c ->> 'secret'), due_at = (c ->> 'until')::bigint, again = 0
        FROM jsonb_array_elements(p_calls) c
        WHERE ${isRecord("r", "c ->> 'stream'", "c ->> 'key'")} AND r.due_at <= (c ->> 'dueBy')::bigint AND ${isIn("r", statesAllowing("claim"))}
          -- The bound comes with the call: a condition on records alone makes the server read them all while it has no statistics.
          AND r.backfill < (c ->> 'guardedFrom')::integer
          AND (v_mapping IS NULL OR NOT is_anothers(r.state, r.token, c ->> 'secret'))
        RETURNING (c ->> 'call')::integer AS call, r.id)
      SELECT n.call, r.* FROM claimed n JOIN record_rows r ON r.id = n.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    -- An expired claim of another replica may still have a request in flight, like that of a lost replica: end its session first.
    IF v_mapping IS NOT NULL AND v_count < jsonb_array_length(p_calls) THEN
      PERFORM free_lost(array_agg(r.id), min((c ->> 'dueBy')::bigint)) FROM jsonb_array_elements(p_calls) c
      JOIN records r ON ${isRecord("r", "c ->> 'stream'", "c ->> 'key'")}
      WHERE r.due_at <= (c ->> 'dueBy')::bigint AND is_anothers(r.state, r.token, c ->> 'secret')
      HAVING count(*) > 0;
    END IF;
  END $$;

  -- Whether another replica than the owner of p_secret has claimed the record.
  CREATE FUNCTION is_anothers(p_state text, p_token text, p_secret text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN p_state = 'claimed' AND split_part(p_token, '.', 2) <> split_part(p_secret, '.', 1);
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

  -- The records of these calls, {"record", "token", ...}. Fails unless each call holds its claim and has its own record.
  CREATE FUNCTION hold_all(p_calls jsonb) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE
    v_records bigint[] := ARRAY(
      SELECT DISTINCT r.id FROM jsonb_array_elements(p_calls) c JOIN records r ON r.id = (c ->> 'record')::bigint AND r.token = c ->> 'token');
  BEGIN
    IF cardinality(v_records) < jsonb_array_length(p_calls) THEN
      PERFORM refuse('E_CLAIM_LOST', '');
    END IF;
    RETURN v_records;
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

  -- The only function that gives a claimed record its next state. p_followed_by is an event that follows at once.
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
      ${addAudit("(SELECT p_entry AS e) entry")};
    END IF;
    IF p_entry ->> 'action' = 'attempt' THEN
      DELETE FROM audit WHERE ${OLD_ATTEMPTS(isRecord("audit", "p_entry ->> 'stream'", "p_entry ->> 'key'"))};
    END IF;
  END $$`;
