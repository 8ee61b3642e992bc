import { isKey } from "../sql.ts";

/**
 * Remembers records of the service by their natural keys: {"i": service id, "r": rule, "k": key}. What each delivery reads is a
 * function too: making a plan for it took five times as long as the read.
 */
export const matches = `
  CREATE FUNCTION bound_to(p_resource text, p_service_id bigint, OUT stream text, OUT key text)
  RETURNS SETOF record STABLE LANGUAGE plpgsql AS $$
  BEGIN
    RETURN QUERY SELECT r.stream, r.key FROM bindings b JOIN records r ON r.id = b.record
    WHERE b.resource = p_resource AND b.service_id = p_service_id;
  END $$;

  CREATE FUNCTION find_matches(p_resource text, p_rule text, p_key text, OUT service_id bigint)
  RETURNS SETOF bigint STABLE LANGUAGE plpgsql AS $$
  BEGIN
    RETURN QUERY SELECT m.service_id FROM match_keys m
    WHERE ${isKey("m.key", "p_key")} AND m.resource || '' = p_resource AND m.rule = p_rule ORDER BY m.service_id;
  END $$;

  CREATE FUNCTION match_index(p_resource text, OUT "readAt" bigint, OUT "isEmpty" boolean)
  RETURNS SETOF record STABLE LANGUAGE plpgsql AS $$
  BEGIN
    RETURN QUERY SELECT i.read_at, NOT EXISTS (SELECT 1 FROM match_records r WHERE r.resource = i.resource)
    FROM match_indexes i WHERE i.resource = p_resource AND i.read_at IS NOT NULL;
  END $$;

  CREATE FUNCTION save_matches(p_resource text, p_ids jsonb, p_keys json) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_reading bigint := coalesce((SELECT reading FROM match_indexes WHERE resource = p_resource), 0);
    v_id bigint;
  BEGIN
    -- One by one: for a list, the server would read all keys of the resource as long as it has no statistics.
    FOR v_id IN SELECT id::bigint FROM jsonb_array_elements_text(p_ids) AS id LOOP
      INSERT INTO match_records (resource, service_id, reading) VALUES (p_resource, v_id, v_reading)
      ON CONFLICT (resource, service_id) DO UPDATE SET reading = excluded.reading;
      DELETE FROM match_keys WHERE resource = p_resource AND service_id = v_id;
    END LOOP;
    INSERT INTO match_keys (resource, service_id, rule, key)
    SELECT p_resource, i, r, k FROM json_to_recordset(p_keys) AS n(i bigint, r text, k text);
  END $$`;
