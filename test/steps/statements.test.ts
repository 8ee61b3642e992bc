import { expect, it } from "vitest";
import { stepStatements } from "../../src/store/statements/index.ts";
import { functions } from "../../src/store/postgres/functions/index.ts";
import { postgresDialect } from "../../src/store/postgres/sql.ts";
import { sqliteDialect } from "../../src/store/sqlite/statements.ts";

const names = stepStatements.map(({ name }) => name);

it("the statements have different names, and the order of these: a bundle exports them in another one", () => {
  expect(names).toEqual([...new Set(names)].toSorted());
});

it("the schema has each of them under its name", () => {
  for (const name of names) expect(functions).toContain(`IF v_name <> '${name}'`);
});

it.each(stepStatements.map((of) => [of.name, of] as const))(
  "%s names no value that it does not take",
  (_, { takes, sql }) => {
    for (const dialect of [postgresDialect, sqliteDialect])
      for (const [name] of sql(dialect).matchAll(/(?<=@)\w+/g)) expect(Object.keys(takes)).toContain(name);
  },
);

it("only what counts, or erases the contents of a record, runs call by call in PostgreSQL", () => {
  const alone = stepStatements.filter(({ sql }) => {
    const text = sql(postgresDialect);
    return !text.trim().startsWith("SELECT") && !text.includes("calls");
  });
  expect(alone.map(({ name }) => name)).toEqual([
    "count_up",
    "drop_old_attempts",
    "erase_attempts",
    "erase_audit",
    "erase_exchanges",
    "erase_notice_events",
    "erase_notices",
    "erase_watches",
  ]);
});
