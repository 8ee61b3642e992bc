import { FIRST_GUARDED, LANE } from "../../lanes.ts";
import { isRecord } from "../sql.ts";

/** Stores what polls read: {"k": key, "h": content hash, "d": deleted, "r": row, "u": why it cannot be read}. */
export const intake = `
  CREATE FUNCTION ensure_stream(p_stream text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO streams (stream) VALUES (p_stream) ON CONFLICT DO NOTHING;
  END $$;

  -- A pending record keeps its place: a live change is never demoted to first-load priority, and a guarded one stays guarded.
  CREATE FUNCTION lane_of(p_state text, p_known integer, p_lane integer, p_is_guarded boolean) RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    v_is_pending boolean := p_state IN ('due', 'claimed');
    v_was_guarded boolean := v_is_pending AND p_known >= ${FIRST_GUARDED};
  BEGIN
    RETURN CASE
      WHEN p_is_guarded THEN CASE WHEN v_was_guarded AND p_known <> ${LANE.undecided} THEN ${LANE.heldAgain} ELSE ${LANE.undecided} END
      WHEN v_was_guarded THEN p_known
      WHEN v_is_pending THEN least(p_known, p_lane)
      ELSE p_lane END;
  END $$;

  -- Stores and counts differences. Records that changed after p_since are left alone.
  CREATE FUNCTION take_news(p_stream text, p_news json, p_backfill integer, p_since bigint, p_guarded integer,
    p_now bigint, OUT changed bigint, OUT unchanged bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    v_before bigint;
  BEGIN
    PERFORM ensure_stream(p_stream);
    SELECT s.sequence INTO v_before FROM streams s WHERE s.stream = p_stream;
    WITH news AS (
      SELECT * FROM ROWS FROM (json_to_recordset(p_news) AS (k text, h text, d integer, r text, u text))
        WITH ORDINALITY AS n(k, h, d, r, u, at)
    ), different AS MATERIALIZED (
      SELECT n.*, r.id, r.state, r.deleted, r.due_at, r.backfill
      -- One index look-up per row, however many records there are: the server cannot estimate the number of rows in p_news.
      FROM news n LEFT JOIN LATERAL (SELECT * FROM records r WHERE ${isRecord("r", "p_stream", "n.k")} LIMIT 1) r ON true
      WHERE r.hash IS DISTINCT FROM n.h AND (p_since IS NULL OR r.sequence IS NULL OR r.sequence <= p_since)
    ), version AS MATERIALIZED (
      SELECT v.*, coalesce(v.id, nextval('record_ids')) AS record, v_before + row_number() OVER (ORDER BY v.at) AS sequence
      FROM different v WHERE v.id IS NOT NULL OR v.d = 0
    ), updated AS (
      UPDATE records r SET state = next_state(v.state, 'change'), hash = v.h, sequence = v.sequence, deleted = v.d,
        backfill = lane_of(v.state, v.backfill, p_backfill, p_guarded = 1 AND EXISTS (SELECT 1 FROM bindings b WHERE b.record = v.id)),
        attempts = 0,
        due_at = CASE v.state WHEN 'claimed' THEN v.due_at WHEN 'due' THEN least(v.due_at, p_now) ELSE p_now END,
        again = (v.state = 'claimed')::integer, changed_at = p_now, error = v.u, unreadable = v.u
      FROM version v WHERE r.id = v.id
    ), replaced AS (
      UPDATE contents c SET row = v.r FROM version v WHERE c.record = v.id AND v.r IS NOT NULL
    ), shown_again AS (
      DELETE FROM deletions WHERE done = 0 AND record = ANY (ARRAY(SELECT v.id FROM version v WHERE v.deleted = 1 AND v.d = 0))
    ), added AS (
      INSERT INTO records (id, stream, key, state, hash, sequence, backfill, due_at, changed_at, error, unreadable)
      SELECT v.record, p_stream, v.k, 'due', v.h, v.sequence, p_backfill, p_now, p_now, v.u, v.u
      FROM version v WHERE v.id IS NULL ORDER BY v.at
    ), filled AS (
      INSERT INTO contents (record, row) SELECT v.record, coalesce(v.r, '{}') FROM version v WHERE v.id IS NULL
    )
    SELECT (SELECT count(*) FROM version), (SELECT count(*) FROM news) - (SELECT count(*) FROM different)
    INTO changed, unchanged;
    UPDATE streams s SET sequence = v_before + changed WHERE s.stream = p_stream;
  END $$;

  CREATE FUNCTION stage(p_stream text, p_news json, p_cursor text, p_rows bigint, p_backfill integer, p_guarded integer,
    p_complete integer, p_now bigint, OUT changed bigint, OUT unchanged bigint)
  LANGUAGE plpgsql AS $$
  BEGIN
    SELECT t.changed, t.unchanged INTO changed, unchanged FROM take_news(p_stream, p_news, p_backfill, NULL, p_guarded, p_now) t;
    UPDATE streams s SET cursor = p_cursor, polled_at = p_now, error = NULL,
      completed_at = CASE WHEN p_complete = 1 THEN p_now ELSE s.completed_at END,
      rows_read = CASE WHEN s.poll_open = 1 THEN s.rows_read ELSE 0 END + p_rows,
      poll_open = 1 - p_complete,
      first_load = CASE WHEN p_complete = 1 THEN 0 ELSE s.first_load END
    WHERE s.stream = p_stream;
  END $$;

  -- Fails unless p_sweep is the sweep in progress.
  CREATE FUNCTION expect_sweep(p_stream text, p_sweep bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_open bigint := (SELECT number FROM sweeps WHERE stream = p_stream AND open = 1);
  BEGIN
    IF v_open IS DISTINCT FROM p_sweep THEN
      PERFORM refuse('E_SWEEP_LOST', v_open::text);
    END IF;
  END $$`;
