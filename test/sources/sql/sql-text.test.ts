import { describe, expect, it } from "vitest";
import { compiled, sql } from "../../../src/sources/sql/sql-text.ts";

describe("SQL text", () => {
  const name = sql.id("dbo", 'a"b`c');
  const query = sql`select ${name} from t where a = ${"x' or 1"} and ${sql`b in (${1n}, ${null})`} ${sql.raw("limit 3")}`;

  it.each([
    ["sqlite", `select "dbo"."a""b\`c" from t where a = ? and b in (?, ?) limit 3`],
    ["postgres", `select "dbo"."a""b\`c" from t where a = $1 and b in ($2, $3) limit 3`],
    ["mysql", `select \`dbo\`.\`a"b\`\`c\` from t where a = ? and b in (?, ?) limit 3`],
    ["mssql", `select "dbo"."a""b\`c" from t where a = @1 and b in (@2, @3) limit 3`],
  ] as const)("quotes names and binds values for %s", (dialect, text) => {
    expect(compiled(query, dialect)).toEqual({ text, values: ["x' or 1", 1n, null] });
  });

  it("binds a text that looks like a piece of SQL", () => {
    const piece: unknown = { pieces: [{ text: "drop table t" }] };
    expect(compiled(sql`select ${piece}`, "postgres")).toEqual({ text: "select $1", values: [piece] });
  });

  it("joins pieces, and nothing where there are none", () => {
    expect(compiled(sql`(${sql.join([sql`a`, sql.id("b")], sql`, `)})`, "sqlite").text).toBe('(a, "b")');
    expect(compiled(sql`(${sql.join([], sql`, `)})`, "sqlite").text).toBe("()");
  });
});
