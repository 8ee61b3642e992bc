import { lostCreatesNote, sessionNoteName } from "../../facts.ts";

/** What is done about a daemon that was lost: it may still send what it had begun. */
export const fencing = `
  -- Whether a request about the record may be under way.
  CREATE FUNCTION is_sending(p_record bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN is_begun(p_record) OR EXISTS (
      SELECT 1 FROM written WHERE record = p_record AND doubts <> '{}' AND NOT doubts::jsonb ? '(drift)');
  END $$;

  CREATE FUNCTION revoke_session() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE notes SET value = (value::jsonb || '{"revoked": true}')::text WHERE name = '${sessionNoteName}';
  END $$;

  CREATE FUNCTION is_revoked() RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM notes WHERE name = '${sessionNoteName}' AND value::jsonb -> 'revoked' = 'true');
  END $$;

  -- A create that a lost daemon began may come after all, beside another one.
  CREATE FUNCTION note_lost_creates(p_records bigint[], p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_lost jsonb := (SELECT jsonb_agg(jsonb_build_object('stream', r.stream, 'key', r.key, 'lostAt', p_now))
      FROM records r JOIN intents i ON i.record = r.id WHERE r.id = ANY (p_records));
  BEGIN
    IF v_lost IS NOT NULL THEN
      INSERT INTO notes AS n (name, value) VALUES ('${lostCreatesNote.name}', v_lost::text)
      ON CONFLICT (name) DO UPDATE SET value = (n.value::jsonb || v_lost)::text;
    END IF;
  END $$;

  -- Frees records that a lost daemon had claimed. Returns how many of them it may still send something about: then the session that it
  -- shares is revoked.
  CREATE FUNCTION free_lost(p_records bigint[], p_now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    v_sends bigint := (SELECT count(*) FROM unnest(p_records) AS id WHERE is_sending(id));
  BEGIN
    PERFORM note_lost_creates(p_records, p_now);
    IF v_sends > 0 THEN
      PERFORM revoke_session();
    END IF;
    UPDATE records SET state = 'due', token = NULL, due_at = p_now, again = 0 WHERE id = ANY (p_records) AND state = 'claimed';
    RETURN v_sends;
  END $$`;
