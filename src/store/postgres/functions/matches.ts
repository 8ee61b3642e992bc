/** Remembers records of the service by their natural keys: {"i": service id, "r": rule, "k": key}. */
export const matches = `
  CREATE FUNCTION save_matches(p_resource text, p_ids jsonb, p_keys json) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_ids bigint[] := ARRAY(SELECT id::bigint FROM jsonb_array_elements_text(p_ids) AS id);
  BEGIN
    INSERT INTO match_records (resource, service_id, reading)
    SELECT p_resource, id, coalesce((SELECT reading FROM match_indexes WHERE resource = p_resource), 0)
    FROM unnest(v_ids) AS id
    ON CONFLICT (resource, service_id) DO UPDATE SET reading = excluded.reading;
    DELETE FROM match_keys WHERE resource = p_resource AND service_id = ANY (v_ids);
    INSERT INTO match_keys (resource, service_id, rule, key)
    SELECT p_resource, i, r, k FROM json_to_recordset(p_keys) AS n(i bigint, r text, k text);
  END $$`;
