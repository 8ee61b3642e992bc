import { createsNote, lostCreatesNote, restoredNote, sessionNoteName } from "../../facts.ts";
import { stateList } from "../../rows/state-list.ts";
import { statesMovedTo } from "../../transitions.ts";
import { isRecord } from "../sql.ts";
import { originalJson } from "../text.ts";

/**
 * What is done about a daemon that was lost: it may still send what it had begun. Notes are put together as text: a step that frees
 * records must not fail over a sign that jsonb does not take.
 */
export const fencing = `
  -- Whether a request about the record may be under way.
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

  -- Creates that a lost daemon began may come after all, beside others: [{"stream", "key", "lostAt"}].
  CREATE FUNCTION note_lost_creates(p_creates jsonb) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO notes AS n (name, value) VALUES ('${lostCreatesNote.name}', ${originalJson("p_creates")})
    ON CONFLICT (name) DO UPDATE SET value =
      CASE WHEN n.value = '[]' THEN '[' ELSE left(n.value, -1) || ',' END || substr(excluded.value, 2);
  END $$;

  -- Frees records that a lost daemon had claimed: they go back to their place in the line. Returns how many of them it may still send something about: then the session that it
  -- shares is revoked.
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

  -- Makes the store one that is older than the service: what it does not know is looked for there. It counts on from p_creates at least.
  CREATE FUNCTION mark_restored(p_creates bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE match_indexes SET read_at = NULL;
    UPDATE streams SET adoption = NULL, adoption_at = NULL;
    INSERT INTO notes (name, value) VALUES ('${restoredNote.name}', 'true')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    PERFORM save_creates(greatest(p_creates, count_creates()));
  END $$;

  -- Puts an update in doubt that a daemon sent before it was lost, if its record holds these doubts now and is not being delivered.
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
