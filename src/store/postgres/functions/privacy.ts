import { NO_HASH } from "../../forgettable.ts";
import { isRecord } from "../sql.ts";

/**
 * A column parsed as JSON. Replaces the escape sequences of texts that the server cannot hold, and the control character that marks them
 * (`text.ts`).
 */
const parsed = (column: string) =>
  String.raw`regexp_replace(${column}, '\\u(0000|d[89a-f]..)|\x02', '\\ufffd', 'g')::json`;
/** A notice without its cause. Its `affected` lists the records that it is about. */
const withoutCause = (notice: string) => `
  (SELECT json_object_agg(key, value) FROM json_each(${notice}) WHERE key <> 'cause')`;
const namesRecord = (notice: string) => `
  starts_with(${notice} ->> 'affected', p_stream || ': ') AND strpos(${notice} ->> 'affected', p_key) > 0`;

/** Overwrites what is stored of a record's contents. The old bytes disappear when the server reuses their space. */
export const privacy = `
  -- Fails if the record has changed since it was checked.
  CREATE FUNCTION forget(p_record bigint, p_stream text, p_key text, p_known_state text, p_sequence bigint, p_doubts text,
    p_event text, p_skipped text, p_unreadable text, p_audit jsonb, p_now bigint)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_state text := next_state(p_known_state, p_event);
  BEGIN
    IF is_begun(p_record)
      OR NOT EXISTS (SELECT 1 FROM records WHERE id = p_record AND state = p_known_state AND sequence = p_sequence)
      OR (SELECT doubts FROM written WHERE record = p_record) IS DISTINCT FROM p_doubts THEN
      PERFORM refuse('E_STORE_LOCKED', '');
    END IF;
    UPDATE contents SET row = '{}' WHERE record = p_record;
    DELETE FROM written WHERE record = p_record;
    DELETE FROM match_keys m USING bindings b
    WHERE b.record = p_record AND m.resource = b.resource AND m.service_id = b.service_id;
    UPDATE audit SET before = NULL, after = NULL, why = NULL WHERE ${isRecord("audit", "p_stream", "p_key")};
    -- Their outcome quotes what was answered.
    DELETE FROM audit WHERE ${isRecord("audit", "p_stream", "p_key")} AND action = 'attempt';
    DELETE FROM exchanges WHERE ${isRecord("exchanges", "p_stream", "p_key")};
    DELETE FROM watches WHERE ${isRecord("watches", "p_stream", "p_key")};
    UPDATE notices SET notice = ${withoutCause(parsed("notice"))} WHERE ${namesRecord(parsed("notice"))};
    UPDATE notice_events SET event = (
      SELECT json_object_agg(e.key, CASE WHEN e.key = 'notice' THEN ${withoutCause("e.value")} ELSE e.value END)
      FROM json_each(${parsed("event")}) e)
    WHERE ${namesRecord(`${parsed("event")} -> 'notice'`)};
    UPDATE records SET state = v_state, hash = '${NO_HASH}', due_at = NULL, attempts = 0,
      error = CASE WHEN v_state = 'skipped' THEN p_skipped END, unreadable = p_unreadable
    WHERE id = p_record;
    DELETE FROM waits WHERE child = p_record;
    PERFORM wake_dependents(p_stream, p_key, false, p_now);
    PERFORM add_audit(p_audit);
  END $$`;
