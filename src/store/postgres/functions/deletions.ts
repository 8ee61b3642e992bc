import { FIRST_GUARDED } from "../../lanes.ts";
import { TOLD_BEFORE } from "../../schedule.ts";

/** Whether the deletion `d` is open. A parked one is not, because it already waits for a person. */
export const IS_OPEN = `d.done = 0 AND EXISTS
  (SELECT 1 FROM records r WHERE r.id = d.record AND r.state IN ('due', 'claimed', 'waiting'))`;

/** Deletions announced by the ERP, which are counted per stream before one is carried out. */
export const deletions = `
  -- Counts the deletions announced after p_confirmed_at that are open, or that were announced after p_since and carried out. Stops at
  -- p_limit, if given.
  CREATE FUNCTION count_deletions(p_stream text, p_since bigint, p_confirmed_at bigint, p_limit bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (SELECT count(*) FROM (SELECT 1 FROM deletions d
      WHERE d.stream = p_stream AND d.told_at > p_confirmed_at AND ((${IS_OPEN}) OR (d.done = 1 AND d.told_at > p_since)) LIMIT p_limit) c);
  END $$;

  CREATE FUNCTION tell_deletion(p_token text, p_since bigint, p_confirmed_at bigint, p_limit bigint, p_now bigint,
    OUT told_at bigint, OUT count bigint, OUT is_counted integer)
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    r records := hold(p_token);
    v_told_at bigint;
  BEGIN
    INSERT INTO deletions AS d (record, stream, told_at) VALUES (r.id, r.stream, p_now)
    ON CONFLICT (record) DO UPDATE SET told_at = excluded.told_at, done = 0 WHERE d.done = 1;
    SELECT d.told_at INTO v_told_at FROM deletions d WHERE d.record = r.id;
    told_at := v_told_at;
    IF v_told_at <= p_confirmed_at THEN
      count := 0;
      is_counted := 1;
      RETURN;
    END IF;
    count := count_deletions(r.stream, p_since, p_confirmed_at, p_limit);
    -- A change staged no later and still to be delivered may be a deletion too.
    is_counted := (NOT EXISTS (
      SELECT 1 FROM (
        SELECT o.id, row_number() OVER () AS nth FROM records o
        WHERE o.stream = r.stream AND o.id <> r.id AND o.changed_at <= v_told_at AND o.backfill < ${FIRST_GUARDED}
          AND o.state IN ('claimed', 'due') AND (o.state = 'claimed' OR o.due_at <= p_now)) others
      WHERE nth > ${TOLD_BEFORE} OR NOT EXISTS (SELECT 1 FROM deletions d WHERE d.record = others.id AND d.done = 0)))::integer;
  END $$`;
