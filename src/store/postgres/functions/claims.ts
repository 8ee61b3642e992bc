import { SELECT_RECORD } from "../../rows/record-row.ts";
import { REFUSED } from "../connection/failures.ts";

/**
 * For functions that take a list of calls: look up each call's rows by index, one call after the other. Without statistics the server would
 * read a whole index instead.
 */
export const BY_INDEX = "SET enable_hashjoin = off SET enable_mergejoin = off";

/** Inserts the audit entries `e` of `from`, which have the shape of an audit row. */
export const addAuditFrom = (from: string) => `
  INSERT INTO audit (at, stream, key, action, resource, service_id, before, after, outcome, status, duration_ms, actor, via, why)
  SELECT (e ->> 'at')::bigint, e ->> 'stream', e ->> 'key', e ->> 'action', e ->> 'resource', (e ->> 'service_id')::bigint,
    e ->> 'before', e ->> 'after', e ->> 'outcome', (e ->> 'status')::integer, (e ->> 'duration_ms')::double precision,
    e ->> 'actor', e ->> 'via', e ->> 'why'
  FROM ${from}`;

/** Refuses a step with an error code and the details for its message. */
const refuse = `
  CREATE FUNCTION refuse(p_code text, p_detail text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION USING ERRCODE = '${REFUSED}', MESSAGE = p_code, DETAIL = coalesce(p_detail, '');
  END $$`;

/** Views of records have the shape of `record_rows`. */
export const claims = `
  CREATE VIEW record_rows AS ${SELECT_RECORD};
  ${refuse};

  CREATE FUNCTION is_begun(p_record bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM intents WHERE record = p_record);
  END $$`;
