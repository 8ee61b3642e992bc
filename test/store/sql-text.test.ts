import { escapeLiteral } from "pg";
import { expect, it } from "vitest";
import { fill } from "../../src/store/postgres/sql.ts";

it.each([
  "",
  "plain",
  "O'Neill",
  "''",
  "a\\b",
  "\\",
  "\\'; DROP TABLE records; --",
  "' \\\\ '",
  `{"a":"\\"b'\\""}`,
  "ü\n\t'\\n",
])("quotes %j as the driver does", (text) => expect(fill("@text", { text })).toBe(escapeLiteral(text)));
