import { stepStatements } from "../../statements/index.ts";
import type { StatementCall, StepStatement } from "../../statements/statement.ts";
import { CALLS, call, postgresDialect, type SqlText } from "../sql.ts";
import { BY_INDEX } from "./claims.ts";

/** One statement with the values of all its calls. */
export interface CallGroup {
  readonly of: StepStatement;
  readonly calls: readonly StatementCall["values"][];
}

/** Rows that a group of calls gave, each with the number of its call, from 1; null if there are none. */
export interface GroupRows {
  readonly part: number;
  readonly rows: readonly { readonly call: number }[] | null;
}

/** Runs groups of calls in their order. The answer is a list of {@link GroupRows}; a group may have several of them. */
export function callGroups(groups: readonly CallGroup[]): SqlText {
  return call(
    "run_calls",
    groups.map(({ of, calls }) => [of.name, calls]),
  );
}

const TYPES = { integer: "bigint", text: "text", real: "double precision", list: "jsonb" } as const;

/**
 * Runs statements of the steps, each over the list of its calls: [["name", [{...values}, ...]], ...]. It is a function so that the server
 * keeps the plans: planning takes longer than most statements, and a statement that is prepared in a session is lost behind a pooler.
 */
export const statementFunctions = `
  CREATE FUNCTION run_calls(p_groups jsonb) RETURNS TABLE (part integer, rows json) LANGUAGE plpgsql ${BY_INDEX} AS $$
  #variable_conflict use_column
  DECLARE
    v_part integer := 0;
    v_name text;
    v_calls jsonb;
    ${CALLS} record;
  BEGIN
    FOR v_name, v_calls IN SELECT g ->> 0, g -> 1 FROM jsonb_array_elements(p_groups) g LOOP
      ${choice(stepStatements)}
      v_part := v_part + 1;
    END LOOP;
  END $$`;

/** Finds a statement by its name, with a comparison for each half. */
function choice(statements: readonly StepStatement[]): SqlText {
  const [first] = statements;
  const middle = statements.length >> 1;
  const next = statements[middle];
  if (first === undefined || next === undefined) return "";
  if (first !== next)
    return `IF v_name COLLATE "C" < '${next.name}' THEN
      ${choice(statements.slice(0, middle))}
      ELSE
      ${choice(statements.slice(middle))}
      END IF;`;
  return `IF v_name <> '${first.name}' THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_function', MESSAGE = format('there is no statement %s', v_name);
      END IF;
      ${runOver(first)};`;
}

/** Reads answer all their calls at once, and so do writes that name the list of calls. Others run call by call. */
function runOver({ takes, sql }: StepStatement): SqlText {
  const names = Object.keys(takes);
  const columns = Object.entries(takes).map(([name, type]) => `"${name}" ${TYPES[type]}`);
  const list =
    names.length === 0 ? "jsonb_array_elements(v_calls)" : `jsonb_to_recordset(v_calls) AS (${columns.join(", ")})`;
  const named = [...(names.length === 0 ? ["none"] : names), "call"].map((name) => `"@${name}"`).join(", ");
  const all = `SELECT * FROM ROWS FROM (${list}) WITH ORDINALITY AS l(${named})`;
  const text = sql(postgresDialect)
    .trim()
    .replace(/@\w+/g, (name) => `${CALLS}."${name}"`);
  if (text.startsWith("SELECT"))
    return `RETURN QUERY WITH ${CALLS} AS (${all})
      SELECT v_part, json_agg(r) FROM (SELECT ${CALLS}."@call" AS call, s.* FROM ${CALLS} CROSS JOIN LATERAL (${text}) s) r`;
  const { from, using } = postgresDialect;
  if (text.includes(from) || text.includes(using)) return `WITH ${CALLS} AS (${all}) ${text}`;
  const run = text.includes("RETURNING")
    ? `RETURN QUERY WITH s AS (${text}) SELECT v_part, json_agg(r) FROM (SELECT ${CALLS}."@call" AS call, s.* FROM s) r`
    : text;
  return `FOR ${CALLS} IN ${all} LOOP ${run}; END LOOP`;
}
