import type { SourceUnderTest } from "../../conformance/source-harness.ts";
import { shapes, type DialectName, type Shape } from "./shapes.ts";
import { openSqlHarness } from "./sql-harness.ts";

/** One subject per shape of change in one database. `server` is asked for when the first test needs it. */
export function sqlSubjects(
  title: string,
  dialect: DialectName,
  server: () => string | undefined,
  { absent, lacksTracking = false }: { absent?: string | undefined; lacksTracking?: boolean } = {},
): SourceUnderTest[] {
  return shapes
    .filter((shape) => shape.columns[dialect] !== undefined)
    .map((shape) => ({
      name: `${title}, ${shape.name}`,
      absent: lacksTracking && shape.name === "change tracking" ? "Babelfish has no change tracking" : absent,
      open: () => openSqlHarness(dialect, shape, server()),
      exempt: { ...shapeExempt(shape), ...dialectExempt(dialect, shape) },
    }));
}

const firstLoads = "until the overlap has passed its polls are first loads";

function dialectExempt(dialect: DialectName, shape: Shape): Record<string, string> {
  if ((dialect === "mysql" || dialect === "mssql") && shape.outbox)
    return {
      "gives no row again when nothing changed": firstLoads,
      "stops when the ERP ignores the filter": firstLoads,
    };
  if (dialect !== "sqlite") return {};
  return { "continues after a connection died between pages": "a file has no connection that could die" };
}

function shapeExempt(shape: Shape): Record<string, string> {
  const stamped = typeof shape.read["changed"] === "string" || shape.marks.length === 2;
  return {
    ...(stamped
      ? {}
      : {
          "reads rows without a stamp": "this stream has no stamp",
          "loses no row whose stamp lies in the future": "this stream has no stamp",
        }),
    ...(shape.wall ? {} : { "survives the hour that a clock is put back": "its marks do not follow a wall clock" }),
    ...(shape.name === "no stamp"
      ? {
          "stops when the ERP ignores the filter": "it asks with no filter",
          "gives no row again when nothing changed": "every poll reads it whole",
        }
      : {}),
  };
}
