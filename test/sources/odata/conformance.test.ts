import type { JsonObject } from "#model";
import { odataRead, odataSettings } from "../../../src/sources/odata/schema.ts";
import { openOData } from "../../../src/sources/odata/source.ts";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";
import { wallMicrosAt, wallText } from "../../../src/sources/wire/stamps/wall.ts";
import { describeSource, keptTable } from "../../conformance/source-contract.ts";
import { httpHarness, type ErpRow, type HttpErp, type HttpErpKind } from "../http-erp.ts";
import { openContext } from "../reading.ts";
import type { ServiceManners } from "./service.ts";
import { odataService } from "./service.ts";

const ZONE = "Europe/Berlin";

interface Kind {
  readonly version: "v2" | "v4";
  readonly types: Readonly<Record<string, string>>;
  readonly row: (row: ErpRow) => JsonObject;
  readonly wire?: (row: JsonObject) => JsonObject;
  readonly settings: object;
  readonly read: object;
  readonly manners?: Partial<ServiceManners>;
}

function subject(kind: Kind): HttpErpKind {
  const known = new WeakMap<ErpRow, JsonObject>();
  const made = (row: ErpRow): JsonObject => {
    const all = known.get(row) ?? kind.row(row);
    known.set(row, all);
    return all;
  };
  const shown = new WeakMap<HttpErp, { state: string; rows: readonly JsonObject[] }>();
  const rows = (erp: HttpErp): readonly JsonObject[] => {
    const state = `${erp.version} ${erp.broken}`;
    const known = shown.get(erp);
    if (known?.state === state) return known.rows;
    const all = [...erp.rows.values()].map(made);
    const rows = erp.broken ? all.map((row) => ({ no: row["no"]!, name: row["name"]! })) : all;
    shown.set(erp, { state, rows });
    return rows;
  };
  return {
    written: (row) => void made(row),
    answer: (erp, asked) =>
      odataService(
        {
          customers: {
            version: kind.version,
            keys: ["no"],
            types: typesOf(kind, erp),
            rows: () => rows(erp),
            deaf: () => erp.deaf,
            ...(kind.wire && { wire: kind.wire }),
            ...kind.manners,
          },
        },
        asked,
      ),
    async open(url, { pageSize }, clock) {
      const settings = odataSettings.parse({ url: `${url}/api`, ...kind.settings });
      const source = await openOData(settings, openContext(clock));
      const read = { entity: "customers", size: pageSize, margin: "0s", ...kind.read };
      return source.stream("customers", odataRead.parse(read));
    },
  };
}

/** A broken ERP has no stamp any more, so that a filter by it is refused. */
function typesOf({ types }: Kind, { broken }: HttpErp): Kind["types"] {
  return broken ? { no: "String", name: "String" } : types;
}

function utc(stamp: number | null): string | null {
  return stamp === null ? null : `${wallText(Math.floor(stamp / 1000) * 1000).slice(0, 23)}Z`;
}

function local(stamp: number): string {
  return wallText(wallMicrosAt(Math.floor(stamp / 1000), ZONE)).slice(0, 23);
}

const table = keptTable();
const single = (row: ErpRow) => ({ no: row.key, name: row.name, changedAt: utc(row.stamp) });
const types = { no: "String", name: "String", changedAt: "DateTimeOffset" };
const pair = ({ key, name, stamp }: ErpRow) => ({
  no: key,
  name,
  day: stamp === null ? null : local(stamp).slice(0, 10),
  time: stamp === null ? null : local(stamp).slice(11, 19),
});
const read = { changed: { date: "day", time: "time" } };

const kinds: Record<string, Kind> = {
  "odata v4": {
    version: "v4",
    types,
    row: single,
    settings: {},
    read: { changed: "changedAt" },
    manners: { refuseMixedOr: true },
  },
  "odata v4 (links)": {
    version: "v4",
    types,
    row: single,
    settings: {},
    read: { changed: "changedAt", pageBy: "link" },
    manners: { cap: 0.7, linkTo: (path) => `http://internal.invalid/api/${path}` },
  },
  "odata v2 (date and time)": {
    version: "v2",
    types: { no: "String", name: "String", day: "DateTime", time: "Time" },
    row: (row) => {
      const { day, ...rest } = pair(row);
      return { ...rest, day: day === null ? null : `${day}T00:00:00` };
    },
    wire: (row) => ({
      ...row,
      __metadata: { uri: "x" },
      ...("day" in row && {
        day: row["day"] === null ? null : `/Date(${Date.parse(`${jsonText(row["day"])}Z`)})/`,
        time: row["time"] === null ? null : jsonText(row["time"]).replace(/^(..):(..):(..)$/, "PT$1H$2M$3S"),
      }),
    }),
    settings: { version: "v2", timezone: ZONE },
    read,
    manners: { cap: 0.5 },
  },
  "odata businessOne": {
    version: "v4",
    types: { no: "String", name: "String", day: "Date", time: "TimeOfDay" },
    row: pair,
    settings: { preset: "businessOne", timezone: ZONE },
    read: { ...read, emptyStamps: true },
    manners: { cap: 0.7, linkTo: (path) => path, quotedTimes: true },
  },
};
for (const [name, kind] of Object.entries(kinds)) {
  describeSource({ name, open: () => httpHarness(subject(kind)) }, table);
}
