/** The steps of one delivery, one function for each. The refusals are those of the SQLite store, in the same order. */
export const deliveries = `
  CREATE FUNCTION begin_create(p_token text, p_resource text, p_projection text, p_now bigint, OUT creates bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM expect(NOT is_bound(r.id), 'is bound and cannot begin a create');
    PERFORM expect(NOT is_begun(r.id), 'has an open create and cannot begin another');
    INSERT INTO intents (record, resource, projection, begun_at) VALUES (r.id, p_resource, p_projection, p_now);
    creates := count_creates() + 1;
    PERFORM save_creates(creates);
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

  CREATE FUNCTION mark_in_flight(p_token text, p_doubts text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM expect(is_bound(r.id), 'is not bound and cannot be updated');
    PERFORM put_in_flight(r.id, p_doubts);
  END $$;

  -- Ends the record's binding and forgets what was written there. Returns whose ids it carried.
  CREATE FUNCTION let_go(p_record bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM bindings WHERE record = p_record;
    DELETE FROM written WHERE record = p_record;
    RETURN (set_parents(p_record, '[]')).former;
  END $$;

  CREATE FUNCTION unbind(p_token text, p_audit jsonb, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM expect(is_bound(r.id), 'is not bound and cannot be unbound');
    PERFORM child_deleted(let_go(r.id), p_now);
    PERFORM add_audit(p_audit);
  END $$;

  -- Binds the record, in place of what it was bound to. True when its children may carry another service id than this one.
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

  -- What a delivery left in the service, written down; then the claim ends, and the record is due again unless this is the last
  -- word: the caller says that it is not, a parent moved under it, or the deletion of a bound record is still to be carried out.
  CREATE FUNCTION end_applied(r records, p_sequence bigint, p_was_deleted integer, p_applied text, p_parents jsonb,
    p_audit jsonb, p_is_last boolean, p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_former jsonb;
    v_is_outdated boolean;
  BEGIN
    PERFORM save_written(r.id, p_applied, p_sequence, NULL);
    IF p_was_deleted = 0 THEN
      PERFORM forget_deletion(r.id);
    END IF;
    SELECT former, is_outdated INTO v_former, v_is_outdated FROM set_parents(r.id, p_parents);
    PERFORM add_audit(p_audit);
    PERFORM end_claim(r, 'apply', 0, NULL, NULL, true,
      CASE WHEN p_is_last AND NOT v_is_outdated THEN NULL ELSE 'change' END, p_now);
    IF v_former <> '[]' THEN
      PERFORM child_deleted(v_former, p_now);
    END IF;
  END $$;

  CREATE FUNCTION bind(p_token text, p_resource text, p_service_id bigint, p_sequence bigint, p_was_deleted integer,
    p_applied text, p_parents jsonb, p_audit jsonb, p_again integer, p_now bigint)
  RETURNS SETOF records LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
    v_has_moved boolean := save_binding(r.id, p_resource, p_service_id);
  BEGIN
    DELETE FROM intents WHERE record = r.id;
    PERFORM end_applied(r, p_sequence, p_was_deleted, p_applied, p_parents, p_audit, p_again = 0 AND r.deleted = 0, p_now);
    RETURN QUERY SELECT * FROM wake_dependents(r.stream, r.key, v_has_moved, p_now);
  END $$;

  CREATE FUNCTION apply(p_token text, p_sequence bigint, p_was_deleted integer, p_applied text, p_parents jsonb,
    p_audit jsonb, p_again integer, p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
    PERFORM expect(is_bound(r.id), 'is not bound and cannot be applied');
    PERFORM expect(NOT is_begun(r.id), 'has an open create and cannot be applied');
    PERFORM end_applied(r, p_sequence, p_was_deleted, p_applied, p_parents, p_audit, p_again = 0, p_now);
  END $$;

  CREATE FUNCTION retry(p_token text, p_error text, p_due_at bigint, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records := hold(p_token);
  BEGIN
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
    v_former := CASE WHEN p_unbinds = 1 THEN let_go(r.id) ELSE parents_of(r.id) END;
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
