import { stepStatements } from "../../statements/index.ts";
import type { StatementCall, StepStatement } from "../../statements/statement.ts";
import { call, postgresDialect, type SqlText } from "../sql.ts";
import { BY_INDEX } from "./claims.ts";

const TYPES = { integer: "bigint", text: "text", real: "double precision" } as const;

const typed = (columns: StepStatement["takes"]) =>
  Object.entries(columns).map(([column, type]) => `"${column}" ${TYPES[type]}`);

/**
 * A function for each statement of the steps, only so that the server keeps its plan: planning takes longer than most statements, and a
 * statement that is prepared in a session is lost behind a pooler. It takes a list of {"call": its number, ...values}.
 */
export const statementFunctions = stepStatements.map(functionOf).join(";\n");

/** Runs a statement once for each list of values. Its rows carry the number of their list as `call`. */
export function callAll({ name }: StepStatement, lists: readonly StatementCall["values"][]): SqlText {
  return call(
    `sql_${name}`,
    lists.map((values, number) => ({ call: number, ...values })),
  );
}

function functionOf({ name, takes, gives, sql }: StepStatement): SqlText {
  const values = ["call integer", ...typed(takes)].join(", ");
  const text = sql(postgresDialect).replace(/@(\w+)/g, 'arg."$1"');
  const columns = Object.entries(gives).map(([column, type]) => `s."${column}"::${TYPES[type]}`);
  const isRead = columns.length > 0;
  const run = isRead ? `RETURN QUERY WITH s AS (${text}) SELECT ${["arg.call", ...columns].join(", ")} FROM s` : text;
  return `
  CREATE FUNCTION sql_${name}(p_calls jsonb)
  RETURNS ${isRead ? `TABLE (call integer, ${typed(gives).join(", ")})` : "void"} LANGUAGE plpgsql ${text.includes("JOIN") ? BY_INDEX : ""} AS $$
  #variable_conflict use_column
  DECLARE
    arg record;
  BEGIN
    FOR arg IN SELECT * FROM jsonb_to_recordset(p_calls) AS a(${values}) LOOP
      ${run};
    END LOOP;
  END $$`;
}
