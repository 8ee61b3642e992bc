import { isKey } from "../sql.ts";
import { BY_INDEX } from "./claims.ts";

/** The match index. The reads of each delivery are functions too, because planning them took five times as long as the read. */
export const matches = `
  CREATE FUNCTION bound_to(p_calls jsonb) RETURNS TABLE (call integer, stream text, key text) STABLE LANGUAGE plpgsql ${BY_INDEX} AS $$
  BEGIN
    RETURN QUERY SELECT (c ->> 'call')::integer, r.stream, r.key FROM jsonb_array_elements(p_calls) c
    JOIN bindings b ON b.resource = c ->> 'resource' AND b.service_id = (c ->> 'serviceId')::bigint
    JOIN records r ON r.id = b.record;
  END $$;

  CREATE FUNCTION find_matches(p_calls jsonb) RETURNS TABLE (call integer, service_id bigint) STABLE LANGUAGE plpgsql ${BY_INDEX} AS $$
  BEGIN
    RETURN QUERY SELECT (c ->> 'call')::integer, m.service_id FROM jsonb_array_elements(p_calls) c
    JOIN match_keys m ON ${isKey("m.key", "c ->> 'key'")} AND m.resource || '' = c ->> 'resource' AND m.rule = c ->> 'rule'
    ORDER BY m.service_id;
  END $$;

  CREATE FUNCTION match_index(p_resource text, OUT "readAt" bigint, OUT "isEmpty" boolean)
  RETURNS SETOF record STABLE LANGUAGE plpgsql AS $$
  BEGIN
    RETURN QUERY SELECT i.read_at, NOT EXISTS (SELECT 1 FROM match_records r WHERE r.resource = i.resource)
    FROM match_indexes i WHERE i.resource = p_resource AND i.read_at IS NOT NULL;
  END $$`;
