import { shortened, type Json } from "#model";
import { html, scrollingTable, type Html } from "#server";
import type { Tenant } from "../api/tenant.ts";
import type { ArmedFault } from "../faults/fault.ts";
import type { RequestEntry, WriteEntry } from "../ledger.ts";
import type { StoredRow } from "../records/table.ts";
import type { StoredRecord } from "../records/version.ts";

const TEXT_SHOWN = 200;
const COLUMNS_SHOWN = 6;
const FIRST_REFUSAL = 400;

/** Every resource with its number of records; empty resources are collapsed. */
export function resourceLinks(tenant: Tenant, current: string): Html {
  const sizes = [...tenant.catalogue.resources.keys()].map((name) => ({
    name,
    size: tenant.database.table(name).size,
  }));
  const links = (shown: typeof sizes) =>
    html`<ul>
      ${shown.map(
        ({ name, size }) =>
          html`<li>
            <a href="?resource=${name}" ${name === current ? html` aria-current="page"` : undefined}>${name}</a
            ><span>${size}</span>
          </li>`,
      )}
    </ul>`;
  const empty = sizes.filter(({ size }) => size === 0);
  const open = empty.some(({ name }) => name === current) ? html` open` : undefined;
  return html`${links(sizes.filter(({ size }) => size > 0))}
<details${open}><summary>${empty.length} without records</summary>${links(empty)}</details>`;
}

/** The newest records of a resource, with a column for each of the most telling fields. */
export function newestRecords(resource: string, rows: readonly StoredRow[]): Html {
  if (rows.length === 0) return html`<p>None yet.</p>`;
  const filled = new Set(
    rows.flatMap(({ version }) => Object.keys(version.record ?? {}).filter((name) => name !== "id")),
  );
  const columns = [...filled].filter((name) => name !== "created" && name !== "modified").slice(0, COLUMNS_SHOWN);
  if (filled.has("modified")) columns.push("modified");
  return scrollingTable(
    ["id", ...columns],
    rows.map(({ id, version }) => {
      const cells = columns.map((name) => html`<td>${cell(version.record?.[name])}</td>`);
      return html`<tr>
        <td class="number"><a href="?resource=${resource}&amp;id=${id}">${id}</a></td>
        ${cells}
      </tr>`;
    }),
  );
}

/** One record, field by field. */
export function recordTable(record: StoredRecord | undefined): Html {
  if (record === undefined) return html`<p>This record is gone.</p>`;
  return scrollingTable(
    ["field", "value"],
    Object.entries(record).map(
      ([name, value]) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td>${cell(value)}</td>
        </tr>`,
    ),
  );
}

export function writesTable(writes: readonly WriteEntry[]): Html {
  if (writes.length === 0) return html`<p>None yet.</p>`;
  return scrollingTable(
    ["no.", "at (UTC)", "what", "record", "by", "sent", "dropped"],
    writes.map(
      (write) =>
        html`<tr>
          <td class="number">${write.sequence}</td>
          <td>${stamp(write.at)}</td>
          <td>${write.action}</td>
          <td><a href="?resource=${write.resource}&amp;id=${write.id}">${write.resource} ${write.id}</a></td>
          <td>${write.username}</td>
          <td class="code">${short(write.sent)}</td>
          <td class="code">${write.dropped?.join(", ")}</td>
        </tr>`,
    ),
  );
}

export function requestsTable(requests: readonly RequestEntry[]): Html {
  if (requests.length === 0) return html`<p>None yet.</p>`;
  return scrollingTable(
    ["no.", "at (UTC)", "request", "status", "ms", "by", "faults"],
    requests.map(
      (entry) =>
        html`<tr>
          <td class="number">${entry.number}</td>
          <td>${stamp(entry.at)}</td>
          <td class="code">${entry.method} ${entry.url}</td>
          <td>${status(entry)}</td>
          <td class="number">${entry.durationMs.toFixed(1)}</td>
          <td>${entry.username}</td>
          <td>${entry.faults?.join(", ")}</td>
        </tr>`,
    ),
  );
}

export function faultsTable(faults: readonly ArmedFault[]): Html {
  if (faults.length === 0) return html`<p>None. Nothing goes wrong on purpose.</p>`;
  return scrollingTable(
    ["id", "fault", "matched", "hits"],
    faults.map(
      ({ id, fault, matched, hits }) =>
        html`<tr>
          <td class="number">${id}</td>
          <td class="code">${JSON.stringify(fault)}</td>
          <td class="number">${matched}</td>
          <td class="number">${hits}</td>
        </tr>`,
    ),
  );
}

function status(entry: RequestEntry): Html {
  const text = entry.status === 0 ? "cut" : String(entry.status);
  const bad = entry.status === 0 || entry.status >= FIRST_REFUSAL;
  return bad ? html`<span class="bad">${text}</span> ${entry.error}` : html`${text}`;
}

const stamp = (at: number): string => new Date(at).toISOString().slice(0, -1).replace("T", " ");

const cell = (value: Json | undefined): string => (typeof value === "string" ? value : short(value));

function short(value: Json | undefined | object): string {
  return shortened(value === undefined ? "" : JSON.stringify(value), TEXT_SHOWN);
}
