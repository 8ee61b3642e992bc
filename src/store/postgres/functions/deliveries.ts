import { writesNote } from "../../facts.ts";
import { addAudit, BY_INDEX } from "./claims.ts";
import { isRecord } from "../sql.ts";
import { saveMatches } from "./matches.ts";

const RECORD = "(c ->> 'record')::bigint";
const IS_DUE = "(r.again = 1 OR (c ->> 'again')::boolean OR (p_binds AND r.deleted = 1) OR r.id = ANY (v_outdated))";

/**
 * The steps of a delivery, one function each. They refuse in the same cases and order as the SQLite store. The most frequent ones take a
 * list of calls, {"call": its number, "record", "token", ...}; if one call fails, all fail.
 */
export const deliveries = `
  CREATE FUNCTION begin_create(p_calls jsonb) RETURNS TABLE (call integer, creates bigint) LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE
    v_records bigint[] := hold_all(p_calls);
    v_creates bigint;
  BEGIN
    PERFORM expect(NOT EXISTS (SELECT 1 FROM bindings WHERE record = ANY (v_records)), 'is bound and cannot begin a create');
    PERFORM expect(NOT EXISTS (SELECT 1 FROM intents WHERE record = ANY (v_records)), 'has an open create and cannot begin another');
    INSERT INTO intents (record, resource, projection, begun_at)
    SELECT ${RECORD}, c ->> 'resource', c ->> 'projection', (c ->> 'now')::bigint FROM jsonb_array_elements(p_calls) c;
    v_creates := count_creates() + cardinality(v_records);
    PERFORM save_creates(v_creates);
    RETURN QUERY SELECT (c ->> 'call')::integer, v_creates FROM jsonb_array_elements(p_calls) c;
  END $$;

  CREATE FUNCTION abandon_create(p_token text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    DELETE FROM intents WHERE record = r.id;
    PERFORM expect(FOUND, 'has no open create to abandon');
  END $$;

  CREATE FUNCTION answer_create(p_token text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    UPDATE intents SET answered = 1 WHERE record = r.id;
    PERFORM expect(FOUND, 'has no open create that was answered');
  END $$;

  CREATE FUNCTION look_for_create(p_token text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    UPDATE intents SET looks = looks + 1 WHERE record = r.id;
    PERFORM expect(FOUND, 'has no open create to look for');
  END $$;

  CREATE FUNCTION put_in_flight(p_record bigint, p_doubts text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO written (record, doubts) VALUES (p_record, p_doubts)
    ON CONFLICT (record) DO UPDATE SET doubts = excluded.doubts;
  END $$;

  CREATE FUNCTION mark_in_flight(p_calls jsonb) RETURNS TABLE (call integer, writes bigint) LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE
    v_records bigint[] := hold_all(p_calls);
    v_writes bigint;
  BEGIN
    PERFORM expect_bound(v_records, 'is not bound and cannot be updated');
    INSERT INTO written (record, doubts) SELECT ${RECORD}, c ->> 'doubts' FROM jsonb_array_elements(p_calls) c
    ON CONFLICT (record) DO UPDATE SET doubts = excluded.doubts;
    INSERT INTO notes AS n (name, value) VALUES ('${writesNote.name}', cardinality(v_records)::text)
    ON CONFLICT (name) DO UPDATE SET value = (n.value::bigint + cardinality(v_records))::text
    RETURNING n.value::bigint INTO v_writes;
    RETURN QUERY SELECT (c ->> 'call')::integer, v_writes FROM jsonb_array_elements(p_calls) c;
  END $$;

  -- Ends the record's binding and forgets what was written. Returns the parents whose ids it carried.
  CREATE FUNCTION let_go(p_record bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM bindings WHERE record = p_record;
    DELETE FROM written WHERE record = p_record;
    RETURN (set_parents(p_record, '[]')).former;
  END $$;

  -- Ends the binding of a record that the service no longer has. Returns whose ids it carried.
  CREATE FUNCTION vanished(p_record bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM match_keys m USING bindings b
    WHERE b.record = p_record AND m.resource = b.resource AND m.service_id = b.service_id;
    DELETE FROM match_records m USING bindings b
    WHERE b.record = p_record AND m.resource = b.resource AND m.service_id = b.service_id;
    RETURN let_go(p_record);
  END $$;

  CREATE FUNCTION unbind(p_token text, p_audit jsonb, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM expect(is_bound(r.id), 'is not bound and cannot be unbound');
    PERFORM child_deleted(vanished(r.id), p_now);
    PERFORM add_audit(p_audit);
  END $$;

  -- Binds the record and replaces its old binding. Returns whether its children may carry another service id.
  CREATE FUNCTION save_binding(p_record bigint, p_resource text, p_service_id bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    owner records;
  BEGIN
    SELECT r.* INTO owner FROM bindings b JOIN records r ON r.id = b.record
    WHERE b.resource = p_resource AND b.service_id = p_service_id;
    IF NOT FOUND THEN
      INSERT INTO bindings (record, resource, service_id) VALUES (p_record, p_resource, p_service_id)
      ON CONFLICT (record) DO UPDATE SET resource = excluded.resource, service_id = excluded.service_id;
      RETURN true;
    ELSIF owner.id <> p_record THEN
      PERFORM refuse('E_ALREADY_BOUND', json_build_object('stream', owner.stream, 'key', owner.key)::text);
    END IF;
    RETURN false;
  END $$;

  CREATE FUNCTION save_written(p_record bigint, p_applied text, p_sequence bigint, p_doubts text)
  RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO written (record, applied, sequence, doubts) VALUES (p_record, p_applied, p_sequence, p_doubts)
    ON CONFLICT (record) DO UPDATE SET applied = excluded.applied, sequence = excluded.sequence, doubts = excluded.doubts;
  END $$;

  CREATE FUNCTION forget_deletion(p_record bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM deletions WHERE record = p_record AND done = 0;
  END $$;

  CREATE FUNCTION expect_bound(p_records bigint[], p_why text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM expect((SELECT count(*) FROM bindings WHERE record = ANY (p_records)) = cardinality(p_records), p_why);
  END $$;

  -- Stores what deliveries left in the service: {"sequence", "wasDeleted", "applied", "parents", "audit", "again", "keys"}. Then ends the
  -- claims. A record is due again if the caller asks for it, if a parent's service id has changed, or if the ERP deleted a record that was
  -- just bound.
  CREATE FUNCTION end_applied(p_calls jsonb, p_records bigint[], p_binds boolean, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_call jsonb;
    v_former jsonb := '[]';
    v_own_former jsonb;
    v_is_outdated boolean;
    v_outdated bigint[] := '{}';
    v_applied text := next_state('claimed', 'apply');
    v_due text := next_state(v_applied, 'change');
  BEGIN
    INSERT INTO written (record, applied, sequence)
    SELECT ${RECORD}, c ->> 'applied', (c ->> 'sequence')::bigint FROM jsonb_array_elements(p_calls) c
    ON CONFLICT (record) DO UPDATE SET applied = excluded.applied, sequence = excluded.sequence, doubts = NULL;
    DELETE FROM deletions d USING jsonb_array_elements(p_calls) c
    WHERE d.record = ${RECORD} AND d.done = 0 AND NOT (c ->> 'wasDeleted')::boolean;
    FOR v_call IN
      SELECT c FROM jsonb_array_elements(p_calls) c
      WHERE c -> 'parents' <> '[]' OR EXISTS (SELECT 1 FROM parents p WHERE p.child = ${RECORD})
    LOOP
      SELECT former, is_outdated INTO v_own_former, v_is_outdated
      FROM set_parents((v_call ->> 'record')::bigint, v_call -> 'parents');
      v_former := v_former || v_own_former;
      IF v_is_outdated THEN
        v_outdated := v_outdated || (v_call ->> 'record')::bigint;
      END IF;
    END LOOP;
    ${addAudit("(SELECT c -> 'audit' AS e FROM jsonb_array_elements(p_calls) c WHERE c ? 'audit') entries")};
    UPDATE records r SET state = CASE WHEN ${IS_DUE} THEN v_due ELSE v_applied END, due_at = CASE WHEN ${IS_DUE} THEN p_now END,
      attempts = 0, error = NULL, token = NULL, again = 0, decision = nullif(r.decision, 'create')
    FROM jsonb_array_elements(p_calls) c WHERE r.id = ${RECORD};
    DELETE FROM reserved WHERE record = ANY (p_records);
    IF v_former <> '[]' THEN
      PERFORM child_deleted(v_former, p_now);
    END IF;
    ${saveMatches("(SELECT c FROM jsonb_array_elements(p_calls) c WHERE c ? 'keys') keyed")};
  END $$;

  -- Calls also have {"resource", "serviceId"}. Returns the woken records, with the number of the call that woke them.
  CREATE FUNCTION bind(p_calls jsonb) RETURNS TABLE (call integer, stream text, key text) LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE
    v_now bigint := (p_calls -> -1 ->> 'now')::bigint;
    v_records bigint[] := hold_all(p_calls);
    v_moved bigint[];
    v_call jsonb;
  BEGIN
    WITH bound AS (
      INSERT INTO bindings (record, resource, service_id)
      SELECT ${RECORD}, c ->> 'resource', (c ->> 'serviceId')::bigint FROM jsonb_array_elements(p_calls) c
      ON CONFLICT DO NOTHING RETURNING record)
    SELECT coalesce(array_agg(record), '{}') INTO v_moved FROM bound;
    FOR v_call IN SELECT c FROM jsonb_array_elements(p_calls) c WHERE ${RECORD} <> ALL (v_moved) LOOP
      IF save_binding((v_call ->> 'record')::bigint, v_call ->> 'resource', (v_call ->> 'serviceId')::bigint) THEN
        v_moved := v_moved || (v_call ->> 'record')::bigint;
      END IF;
    END LOOP;
    DELETE FROM intents WHERE record = ANY (v_records);
    PERFORM end_applied(p_calls, v_records, true, v_now);
    FOR v_call IN
      SELECT c || jsonb_build_object('stream', r.stream, 'key', r.key)
      FROM jsonb_array_elements(p_calls) c JOIN records r ON r.id = ${RECORD}
      WHERE EXISTS (SELECT 1 FROM waits w WHERE ${isRecord("w", "r.stream", "r.key")})
        OR EXISTS (SELECT 1 FROM parents p WHERE ${isRecord("p", "r.stream", "r.key")})
    LOOP
      RETURN QUERY SELECT (v_call ->> 'call')::integer, w.stream, w.key
      FROM wake_dependents(v_call ->> 'stream', v_call ->> 'key', (v_call ->> 'record')::bigint = ANY (v_moved), v_now) w;
    END LOOP;
    -- A row without a record tells that others are still to be woken.
    IF FOUND AND is_waking() THEN
      RETURN QUERY SELECT (p_calls -> 0 ->> 'call')::integer, NULL::text, NULL::text;
    END IF;
  END $$;

  CREATE FUNCTION apply(p_calls jsonb) RETURNS void LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE
    v_records bigint[] := hold_all(p_calls);
  BEGIN
    PERFORM expect_bound(v_records, 'is not bound and cannot be applied');
    PERFORM expect(NOT EXISTS (SELECT 1 FROM intents WHERE record = ANY (v_records)), 'has an open create and cannot be applied');
    PERFORM end_applied(p_calls, v_records, false, (p_calls -> -1 ->> 'now')::bigint);
  END $$;

  CREATE FUNCTION retry(p_token text, p_error text, p_due_at bigint, p_audit jsonb, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM add_audit(p_audit);
    PERFORM end_claim(r, 'retry', r.attempts + 1, p_error, p_due_at, false, NULL, p_now);
  END $$;

  CREATE FUNCTION wait(p_token text, p_error text, p_parents jsonb, p_optional jsonb, p_due_at bigint, p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
    v_is_over boolean := set_waits(r.id, p_parents) OR is_given_up(p_optional);
  BEGIN
    PERFORM end_claim(r, 'wait', r.attempts, p_error, p_due_at, false, CASE WHEN v_is_over THEN 'parentBound' END, p_now);
  END $$;

  CREATE FUNCTION park(p_token text, p_error text, p_audit jsonb, p_parents jsonb, p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM add_audit(p_audit);
    PERFORM add_parents(r.id, p_parents);
    PERFORM end_claim(r, 'park', r.attempts, p_error, NULL, false, NULL, p_now);
  END $$;

  CREATE FUNCTION mark_uncertain(p_token text, p_error text, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM expect(is_begun(r.id), 'has no open create that could be uncertain');
    PERFORM end_claim(r, 'markUncertain', r.attempts, p_error, NULL, false, NULL, p_now);
  END $$;

  CREATE FUNCTION skip(p_token text, p_error text, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM forget_deletion(r.id);
    PERFORM end_claim(r, 'skip', 0, p_error, NULL, true, NULL, p_now);
    PERFORM wake_dependents(r.stream, r.key, false, p_now);
  END $$;

  CREATE FUNCTION remove(p_token text, p_unbinds integer, p_sequence bigint, p_applied text, p_doubts text, p_audit jsonb,
    p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
    v_former jsonb;
  BEGIN
    UPDATE deletions SET done = 1 WHERE record = r.id;
    v_former := CASE WHEN p_unbinds = 1 THEN vanished(r.id) ELSE parents_of(r.id) END;
    IF p_unbinds = 0 AND p_applied IS NOT NULL THEN
      PERFORM save_written(r.id, p_applied, p_sequence, p_doubts);
    END IF;
    PERFORM add_audit(p_audit);
    PERFORM end_claim(r, 'remove', 0, NULL, NULL, true, NULL, p_now);
    PERFORM child_deleted(v_former, p_now);
    PERFORM wake_dependents(r.stream, r.key, false, p_now);
  END $$;

  CREATE FUNCTION release(p_token text, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM end_claim(r, 'release', r.attempts, NULL, p_now, false, NULL, p_now);
  END $$`;
