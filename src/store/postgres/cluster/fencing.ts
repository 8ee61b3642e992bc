import { createsNote, lostCreatesNote, restoredNote, sessionNoteName } from "../../facts.ts";
import { stateList } from "../../rows/state-list.ts";
import { statesMovedTo } from "../../transitions.ts";
import { isRecord } from "../sql.ts";
import { originalJson } from "../text.ts";

/**
 * Handles a lost daemon, which may still send requests that it had begun. Notes are built as text, because jsonb rejects some characters,
 * and a step that frees records must not fail.
 */
export const fencing = `
  -- Whether a request about the record may be in flight.
  CREATE FUNCTION is_sending(p_record bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN is_begun(p_record) OR EXISTS (
      SELECT 1 FROM written WHERE record = p_record AND doubts <> '{}' AND position('"(drift)":true' IN doubts) = 0);
  END $$;

  CREATE FUNCTION revoke_session() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE notes SET value = '{"revoked":true,' || substr(value, 2)
    WHERE name = '${sessionNoteName}' AND value LIKE '{"%' AND NOT is_revoked();
  END $$;

  CREATE FUNCTION is_revoked() RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM notes WHERE name = '${sessionNoteName}' AND position('"revoked":true' IN value) > 0);
  END $$;

  -- Notes creates of a lost daemon: the service may still carry them out, beside other creates. [{"stream", "key", "lostAt"}]
  CREATE FUNCTION note_lost_creates(p_creates jsonb) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO notes AS n (name, value) VALUES ('${lostCreatesNote.name}', ${originalJson("p_creates")})
    ON CONFLICT (name) DO UPDATE SET value =
      CASE WHEN n.value = '[]' THEN '[' ELSE left(n.value, -1) || ',' END || substr(excluded.value, 2);
  END $$;

  -- Frees records that a lost daemon had claimed and gives them back their place in the order. Returns how many of them may still have a
  -- request in flight; if there are any, revokes the session of that daemon.
  CREATE FUNCTION free_lost(p_records bigint[], p_now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    v_sends bigint := (SELECT count(*) FROM unnest(p_records) AS id WHERE is_sending(id));
    v_creates jsonb := (SELECT jsonb_agg(jsonb_build_object('stream', r.stream, 'key', r.key, 'lostAt', p_now))
      FROM records r JOIN intents i ON i.record = r.id WHERE r.id = ANY (p_records));
  BEGIN
    IF v_creates IS NOT NULL THEN
      PERFORM note_lost_creates(v_creates);
    END IF;
    IF v_sends > 0 THEN
      PERFORM revoke_session();
    END IF;
    UPDATE records SET state = 'due', token = NULL, due_at = least(changed_at, p_now), again = 0
    WHERE id = ANY (p_records) AND state = 'claimed';
    RETURN v_sends;
  END $$;

  CREATE FUNCTION save_creates(p_creates bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO notes (name, value) VALUES ('${createsNote.name}', p_creates::text)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
  END $$;

  -- Marks the store as older than the service: what it does not know must be looked for there. The count of creates continues from at least
  -- p_creates.
  CREATE FUNCTION mark_restored(p_creates bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE match_indexes SET read_at = NULL;
    UPDATE streams SET adoption = NULL, adoption_at = NULL;
    INSERT INTO notes (name, value) VALUES ('${restoredNote.name}', 'true')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    PERFORM save_creates(greatest(p_creates, count_creates()));
  END $$;

  -- Puts an update or a deletion in doubt that a daemon sent before it was lost. Only if the record still has the doubts p_known and is not
  -- claimed.
  CREATE FUNCTION confess(p_stream text, p_key text, p_known text, p_doubts text, p_now bigint)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    v_id bigint := (SELECT id FROM records r WHERE ${isRecord("r", "p_stream", "p_key")} AND state <> 'claimed');
  BEGIN
    UPDATE written SET doubts = p_doubts WHERE record = v_id AND doubts IS NOT DISTINCT FROM p_known;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    UPDATE records SET state = 'due', due_at = p_now
    WHERE id = v_id AND state IN (${stateList(statesMovedTo("due", "recheck"))});
    RETURN true;
  END $$`;
