import { GONE } from "../../answers.ts";
import { stateList } from "../../rows/state-list.ts";
import { SKIPPED_BY_PERSON } from "../../refusals.ts";
import { COMPARED_STILL, statesAllowing, statesMovedTo } from "../../transitions.ts";
import { errorCode, isIn, isRecord } from "../sql.ts";

/** People's decisions, and the results of comparisons with the service. */
export const decisions = `
  -- Adds to p_audit what only this function knows: the resource of an open create, and a binding that ends. A refusal carries the record's
  -- state.
  CREATE FUNCTION resolve(p_stream text, p_key text, p_kind text, p_event text, p_resource text, p_service_id bigint,
    p_audit jsonb, p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    r records;
    b bindings;
    v_error_code text;
    v_is_gone boolean;
    v_has_moved boolean;
    v_state text;
    v_is_answerable boolean;
  BEGIN
    SELECT * INTO r FROM records o WHERE ${isRecord("o", "p_stream", "p_key")};
    IF NOT FOUND THEN
      PERFORM refuse('E_RECORD_UNKNOWN', '');
    END IF;
    SELECT * INTO b FROM bindings WHERE record = r.id;
    v_error_code := ${errorCode("r.error")};
    v_is_gone := coalesce(v_error_code = '${GONE}', false);
    v_is_answerable := CASE p_kind WHEN 'unbind' THEN b.record IS NOT NULL AND r.state IN (${stateList(statesAllowing("answerUnbind"))})
                                   WHEN 'bind' THEN r.state IN (${stateList(statesAllowing("answerBind"))})
                                   ELSE r.state IN (${stateList(statesAllowing("answerCreate"))}) END;
    IF NOT v_is_answerable OR (p_kind = 'create' AND b.record IS NOT NULL AND NOT v_is_gone) THEN
      PERFORM refuse('E_NOT_RESOLVABLE', json_build_object('state', r.state, 'errorCode', v_error_code,
        'resource', b.resource, 'serviceId', b.service_id)::text);
    END IF;
    IF p_kind <> 'bind' THEN
      p_audit := p_audit || jsonb_build_object('service_id', b.service_id, 'resource',
        coalesce(b.resource, (SELECT resource FROM intents WHERE record = r.id), ''));
    END IF;
    -- A skip keeps an open create: if the ERP changes the record later, its result is looked for first.
    IF p_kind <> 'skip' THEN
      DELETE FROM intents WHERE record = r.id;
    END IF;
    IF p_kind = 'bind' THEN
      v_has_moved := save_binding(r.id, p_resource, p_service_id);
      -- What was written to the old record of the service does not apply to the new one.
      IF v_has_moved THEN
        DELETE FROM written WHERE record = r.id;
      END IF;
      PERFORM wake_dependents(r.stream, r.key, v_has_moved, p_now);
    ELSIF p_kind = 'skip' THEN
      PERFORM forget_deletion(r.id);
      PERFORM wake_dependents(r.stream, r.key, false, p_now);
    ELSIF p_kind = 'unbind' OR v_is_gone THEN
      PERFORM forget_deletion(r.id);
      PERFORM child_deleted(let_go(r.id), p_now);
    END IF;
    PERFORM add_audit(p_audit);
    v_state := next_state(r.state, p_event);
    UPDATE records SET state = v_state, due_at = CASE WHEN v_state = 'due' THEN p_now END, attempts = 0, backfill = 0,
      error = CASE WHEN v_state = 'skipped' THEN '${JSON.stringify(SKIPPED_BY_PERSON)}' END,
      -- 'unbound' stays until the record is bound or created, even if it is skipped meanwhile.
      decision = CASE WHEN p_kind = 'create' THEN 'create'
                      WHEN p_kind = 'unbind' OR (p_kind = 'skip' AND r.decision = 'unbound') THEN 'unbound' END
    WHERE id = r.id;
    DELETE FROM waits WHERE child = r.id;
  END $$;

  CREATE FUNCTION recheck(p_stream text, p_key text, p_doubts text, p_audit jsonb, p_now bigint, p_any boolean)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    v_id bigint := (SELECT r.id FROM records r JOIN bindings b ON b.record = r.id
      WHERE ${isRecord("r", "p_stream", "p_key")} AND (${isIn("r", statesMovedTo("due", "recheck"))} OR
        (p_any AND ${isIn("r", COMPARED_STILL)} AND NOT EXISTS
          (SELECT 1 FROM written w WHERE w.record = r.id AND w.doubts <> '{}' AND position('"(drift)":true' IN w.doubts) = 0))));
  BEGIN
    IF v_id IS NULL THEN
      RETURN false;
    END IF;
    PERFORM put_in_flight(v_id, p_doubts);
    PERFORM add_audit(p_audit);
    -- Repairs have the priority of a first load: live changes go first.
    UPDATE records r SET state = 'due', due_at = p_now, backfill = greatest(1, backfill)
    WHERE id = v_id AND ${isIn("r", statesMovedTo("due", "recheck"))};
    RETURN true;
  END $$`;
