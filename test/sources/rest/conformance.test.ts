import { describeSource, keptTable } from "../../conformance/source-contract.ts";
import type { SourceUnderTest } from "../../conformance/source-harness.ts";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import { wallMicrosAt, wallText } from "../../../src/sources/wire/stamps/wall.ts";
import { httpHarness, type ErpRow, type HttpErp, type HttpErpKind } from "../http-erp.ts";
import { openContext } from "../reading.ts";
import type { Asked, Told } from "../../kit/http.ts";

const SITE_ZONE = "Europe/Berlin";

/** An API that writes local time without a zone, as the one in the fold must. */
function localText(micros: number): string {
  const known = localTexts.get(micros);
  if (known !== undefined) return known;
  const ms = Math.floor(micros / 1000);
  const text = wallText(wallMicrosAt(ms, SITE_ZONE) + (micros - ms * 1000)).replace("T", " ");
  localTexts.set(micros, text);
  return text;
}
const localTexts = new Map<number, string>();

/** Rows by what their stamp reads on the wall: that is all such a database knows. */
function selectLocal(erp: HttpErp, { query }: Asked): ErpRow[] {
  const walls = new Map(
    [...erp.rows.values()].map((row) => [row.key, row.stamp === null ? null : localText(row.stamp)]),
  );
  const from = query.get("from");
  const below = query.get("to");
  const sorted = [...erp.rows.values()]
    .filter(({ key }) => {
      const wall = walls.get(key) ?? null;
      if (query.get("stamp") === "none") return wall === null;
      if (query.get("sort") === "changed" && wall === null) return false;
      return erp.deaf || ((from === null || (wall ?? "") >= from) && (below === null || (wall ?? "9") < below));
    })
    .filter(({ key }) => !query.has("after") || key > query.get("after")!)
    .toSorted((a, b) => {
      const [left, right] = query.get("sort") === "changed" ? [walls.get(a.key)!, walls.get(b.key)!] : ["", ""];
      return left === right ? (a.key < b.key ? -1 : 1) : left < right ? -1 : 1;
    });
  const size = Number(query.get("size"));
  const offset = (Number(query.get("page") ?? 1) - 1) * size;
  return sorted.slice(offset, offset + size);
}

function answer(erp: HttpErp, asked: Asked): Told {
  const wire = ({ key, name, stamp }: ErpRow) => ({
    no: key,
    name,
    ...(erp.broken ? {} : { changed: stamp === null ? null : localText(stamp) }),
  });
  if (erp.broken && asked.query.has("from")) return { status: 400, body: { message: "no such field: changed" } };
  if (asked.path === "/customers") return { body: selectLocal(erp, asked).map(wire) };
  const one = erp.rows.get(asked.path.slice("/customers/".length));
  return one === undefined ? { status: 404 } : { body: wire(one) };
}

function configured(paging: object): HttpErpKind {
  return {
    answer,
    async open(url, { pageSize }, clock) {
      const settings = restSettings.parse({ url, timezone: SITE_ZONE });
      const source = await openRest(settings, openContext(clock));
      return source.stream(
        "customers",
        restRead.parse({
          path: "customers",
          range: { from: "{from}", to: "{to}" },
          orderByChanged: { sort: "changed" },
          noStamp: { stamp: "none" },
          key: "no",
          changed: "changed",
          format: "local",
          precision: "microsecond",
          paging: { kind: "page", parameter: "page", sizeParameter: "size", size: pageSize },
          one: { path: "customers/{key}" },
          margin: "0s",
          ...paging,
        }),
      );
    },
  };
}

const table = keptTable();
const kinds: Record<string, HttpErpKind> = {
  "rest (by key)": configured({ after: { after: "{key}" } }),
  "rest (counted pages)": configured({}),
};
for (const [name, kind] of Object.entries(kinds)) {
  const subject: SourceUnderTest = { name, open: () => httpHarness(kind) };
  describeSource(subject, table);
}
