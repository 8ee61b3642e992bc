import { statesMovedTo } from "../../transitions.ts";
import { isIn, isRecord } from "../sql.ts";

/** Bound, undeleted children of a parent. No record is its own child. */
export const boundChildren = (stream: string, key: string) => `
  FROM parents p JOIN records r ON r.id = p.child JOIN bindings b ON b.record = r.id
  WHERE ${isRecord("p", stream, key)} AND r.state <> 'deleted' AND NOT (r.stream = p.stream AND r.key = p.key)`;

/** Children whose projection carries the parent's service id, or should, in the states that a rebound parent makes due. */
export const rebound = (stream: string, key: string) => `
  FROM parents p JOIN records r ON r.id = p.child
  WHERE ${isRecord("p", stream, key)} AND ${isIn("r", statesMovedTo("due", "parentRebound"))}`;

/** Children examined per step, which takes some tens of milliseconds. */
const WOKEN_AT_ONCE = 500;
/** Prefix of the note about a parent with children still to be woken. The note holds the id of the last child that was examined. */
const WAKING = "waking/";
const someChildren = (table: "parents" | "waits") => `ARRAY(
        SELECT c.child FROM ${table} c
        WHERE ${isRecord("c", "p_parent.stream", "p_parent.key")} AND c.child > p_after ORDER BY c.child LIMIT ${WOKEN_AT_ONCE})`;

/** The records `r` named by a list `n`: one index look-up for each, whatever the server expects of the list. */
const named = (list: string) => `
  jsonb_to_recordset(${list}) AS n(s text, k text)
  CROSS JOIN LATERAL (SELECT * FROM records r WHERE ${isRecord("r", "n.s", "n.k")} LIMIT 1) r`;

/**
 * Which records carry whose service id, and which wait for which. A parent is {"s": stream, "k": key, "i": the service id that the
 * projection carries}.
 */
export const parents = `
  CREATE FUNCTION service_id_of(p_stream text, p_key text) RETURNS bigint LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (SELECT b.service_id FROM records r JOIN bindings b ON b.record = r.id WHERE ${isRecord("r", "p_stream", "p_key")});
  END $$;

  CREATE FUNCTION parents_of(p_child bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('s', stream, 'k', key)), '[]') FROM parents WHERE child = p_child);
  END $$;

  CREATE FUNCTION add_parents(p_child bigint, p_parents jsonb) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO parents (child, stream, key)
    SELECT DISTINCT p_child, n.s, n.k FROM jsonb_to_recordset(p_parents) AS n(s text, k text)
    WHERE NOT EXISTS (SELECT 1 FROM parents p WHERE p.child = p_child AND p.stream = n.s AND p.key = n.k);
  END $$;

  CREATE FUNCTION set_parents(p_child bigint, p_parents jsonb, OUT former jsonb, OUT is_outdated boolean)
  LANGUAGE plpgsql AS $$
  BEGIN
    former := parents_of(p_child);
    IF former <> '[]' THEN
      DELETE FROM parents WHERE child = p_child;
    END IF;
    is_outdated := false;
    IF p_parents <> '[]' THEN
      PERFORM add_parents(p_child, p_parents);
      is_outdated := EXISTS (
        SELECT 1 FROM jsonb_array_elements(p_parents) n
        WHERE n ? 'i' AND (n ->> 'i')::bigint IS DISTINCT FROM service_id_of(n ->> 's', n ->> 'k'));
    END IF;
  END $$;

  -- Returns true if one of the parents that the record waits for is already bound.
  CREATE FUNCTION set_waits(p_child bigint, p_parents jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM waits WHERE child = p_child;
    IF p_parents = '[]' THEN
      RETURN false;
    END IF;
    INSERT INTO waits (child, stream, key)
    SELECT DISTINCT p_child, n.s, n.k FROM jsonb_to_recordset(p_parents) AS n(s text, k text);
    RETURN EXISTS (SELECT 1 FROM waits w WHERE w.child = p_child AND service_id_of(w.stream, w.key) IS NOT NULL);
  END $$;

  -- Whether one of them will never be bound: the ERP deleted it, or the stream's rules leave it out.
  CREATE FUNCTION is_given_up(p_parents jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM ${named("p_parents")} WHERE r.state IN ('deleted', 'skipped'));
  END $$;

  CREATE FUNCTION wake(p_records bigint[], p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE records SET state = 'due', due_at = p_now, error = NULL WHERE id = ANY (p_records);
    DELETE FROM waits WHERE child = ANY (p_records);
  END $$;

  -- Makes waiting parents due that have no bound child left, because their deletion may have waited for the last one.
  CREATE FUNCTION child_deleted(p_parents jsonb, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    parent record;
  BEGIN
    FOR parent IN
      SELECT r.id, r.state, r.stream, r.key FROM ${named("p_parents")} WHERE r.state IN ('waiting', 'claimed')
    LOOP
      IF EXISTS (SELECT 1 ${boundChildren("parent.stream", "parent.key")}) THEN
        CONTINUE;
      ELSIF parent.state = 'claimed' THEN
        UPDATE records SET again = 1 WHERE id = parent.id;
      ELSE
        PERFORM wake(ARRAY[parent.id], p_now);
      END IF;
    END LOOP;
  END $$;

  -- Wakes some of a parent's children, beginning after the id p_after: children that wait for it, or whose projection carries its old
  -- service id. Notes, under the parent's id, that others remain.
  CREATE FUNCTION wake_some(p_parent records, p_who text, p_after bigint, p_now bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE
    v_note text := '${WAKING}' || p_who || '/' || p_parent.id;
    v_children bigint[];
    v_woken bigint[];
  BEGIN
    IF p_who = 'waits' THEN
      v_children := ${someChildren("waits")};
      v_woken := ARRAY(SELECT r.id FROM records r WHERE r.id = ANY (v_children) AND ${isIn("r", statesMovedTo("due", "parentBound"))});
    ELSE
      v_children := ${someChildren("parents")};
      v_woken := ARRAY(SELECT r.id FROM records r WHERE r.id = ANY (v_children) AND ${isIn("r", statesMovedTo("due", "parentRebound"))});
      UPDATE records r SET again = 1 WHERE r.id = ANY (v_children) AND ${isIn("r", ["claimed"])};
    END IF;
    IF cardinality(v_woken) > 0 THEN
      PERFORM wake(v_woken, p_now);
    END IF;
    IF cardinality(v_children) = ${WOKEN_AT_ONCE} THEN
      INSERT INTO notes (name, value) VALUES (v_note, v_children[${WOKEN_AT_ONCE}]::text)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    ELSE
      DELETE FROM notes WHERE name = v_note;
    END IF;
    RETURN v_woken;
  END $$;

  CREATE FUNCTION is_waking() RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM notes WHERE starts_with(name, '${WAKING}'));
  END $$;

  -- Wakes some of the others of one parent. Returns whether children are left.
  CREATE FUNCTION wake_others(p_now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    v_note notes;
  BEGIN
    DELETE FROM notes WHERE name = (SELECT min(name) FROM notes WHERE starts_with(name, '${WAKING}')) RETURNING * INTO v_note;
    PERFORM wake_some(r, split_part(v_note.name, '/', 2), v_note.value::bigint, p_now)
    FROM records r WHERE r.id = split_part(v_note.name, '/', 3)::bigint;
    RETURN is_waking();
  END $$;

  -- Wakes who waits for a parent that was just bound, or that will not come (a reference may be optional), and, when it moved,
  -- who carries its old service id. Of very many it wakes the first, and notes the others for wake_others.
  CREATE FUNCTION wake_dependents(p_stream text, p_key text, p_moved boolean, p_now bigint)
  RETURNS SETOF records LANGUAGE plpgsql AS $$
  DECLARE
    v_parent records;
    v_woken bigint[];
  BEGIN
    IF NOT EXISTS (SELECT 1 FROM waits w WHERE ${isRecord("w", "p_stream", "p_key")})
      AND NOT (p_moved AND EXISTS (SELECT 1 FROM parents p WHERE ${isRecord("p", "p_stream", "p_key")})) THEN
      RETURN;
    END IF;
    SELECT * INTO v_parent FROM records r WHERE ${isRecord("r", "p_stream", "p_key")};
    v_woken := wake_some(v_parent, 'waits', 0, p_now);
    IF p_moved THEN
      v_woken := v_woken || wake_some(v_parent, 'parents', 0, p_now);
    END IF;
    IF cardinality(v_woken) > 0 THEN
      RETURN QUERY SELECT * FROM records WHERE id = ANY (v_woken);
    END IF;
  END $$`;
