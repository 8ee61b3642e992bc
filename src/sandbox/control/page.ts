import { html, rawHtml, type Html } from "#server";
import type { Tenant } from "../api/tenant.ts";
import type { Faults } from "../faults/faults.ts";
import type { Ledger } from "../ledger.ts";
import { peopleForms } from "./people-acts.ts";
import { faultsTable, newestRecords, recordTable, requestsTable, resourceLinks, writesTable } from "./tables.ts";

/** The page's complete style: light and dark, narrow and wide, without external assets. */
const STYLE = rawHtml(`
:root{color-scheme:light dark;--ink:#1c2430;--soft:#566273;--line:#d9dfe7;--paper:#fff;--back:#f4f6f9;--accent:#14576b;--bad:#a12622}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#a3afbe;--line:#333d4a;--paper:#1b222b;--back:#12171e;--accent:#7cc4d8;--bad:#ff9c96}}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back)}
header{padding:1.2rem 1.5rem;background:var(--paper);border-bottom:1px solid var(--line)}
h1{margin:0;font-size:1.4rem}h2{margin:0 0 .4rem;font-size:1.05rem}header p{margin:.2rem 0 .8rem;color:var(--soft)}
header nav{display:flex;flex-wrap:wrap;gap:.5rem}
button{font:inherit;padding:.3rem .8rem;border:1px solid var(--line);border-radius:.4rem;background:var(--back);color:var(--ink);cursor:pointer}
button:hover{border-color:var(--accent)}
a{color:var(--accent)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.3rem .6rem}
.acts{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:.8rem}input,select{font:inherit;padding:.3rem}
.columns{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:1.2rem;padding:1.2rem 1.5rem}
@media (max-width:50rem){.columns{grid-template-columns:1fr}}
.side ul{list-style:none;margin:0;padding:0}.side li{display:flex;justify-content:space-between;gap:.6rem;padding:.1rem 0}.side a{overflow-wrap:anywhere}
.side summary{margin:.6rem 0 .2rem;color:var(--soft);cursor:pointer}
.side a[aria-current]{font-weight:700}.side span{color:var(--soft)}
section{margin-bottom:1.2rem;padding:1rem;background:var(--paper);border:1px solid var(--line);border-radius:.6rem}
section p{margin:0 0 .6rem;color:var(--soft)}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.87rem}
th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;white-space:nowrap}
td.number{text-align:right;font-variant-numeric:tabular-nums}
code,td.code{font-family:ui-monospace,monospace;font-size:.82rem;overflow-wrap:anywhere}
.bad{color:var(--bad);font-weight:600}
`);

const REQUESTS_SHOWN = 50;
const WRITES_SHOWN = 50;
const RECORDS_SHOWN = 100;

export interface ControlPageDeps {
  readonly tenant: Tenant;
  readonly faults: Faults;
  readonly ledger: Ledger;
}

/** The page for people: which records exist, what was requested, what was written, and which faults are armed. */
export function renderPage(parts: ControlPageDeps, query: URLSearchParams): Html {
  const { tenant, ledger, faults } = parts;
  const asked = query.get("resource");
  const resource = asked !== null && tenant.catalogue.resources.has(asked) ? asked : "customer";
  const id = Number(query.get("id")) || undefined;
  const table = tenant.database.table(resource);
  const records =
    id === undefined
      ? newestRecords(resource, table.rows().slice(-RECORDS_SHOWN).toReversed())
      : recordTable(table.get(id)?.version.record);
  const writes = id === undefined ? ledger.writes({ resource }).slice(-WRITES_SHOWN) : ledger.writes({ resource, id });
  const title = id === undefined ? resource : `${resource} ${id}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sandbox: ${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the records</a>
        <header>
          <h1>Sandbox</h1>
          <p>
            A stand-in for the service at <code>${tenant.url}</code>. ${ledger.count()} requests,
            ${tenant.database.log.length} writes.
          </p>
          <nav aria-label="Actions">
            ${button("faults-clear", "Clear all faults")} ${button("tokens-revoke", "Revoke login tokens")}
            ${button("reset", "Reset everything")}
          </nav>
        </header>
        <div class="columns">
          <nav class="side" aria-label="Resources">
            <h2>Resources</h2>
            ${resourceLinks(tenant, resource)}
          </nav>
          <main id="main">
            <section aria-labelledby="records">
              <h2 id="records">${title}</h2>
              <p>
                ${table.size}
                records${id === undefined && table.size > RECORDS_SHOWN ? `, the newest ${RECORDS_SHOWN} shown` : ""}.
              </p>
              ${records} ${id === undefined ? undefined : peopleForms(tenant, resource, table.get(id)?.version.record)}
            </section>
            <section aria-labelledby="writes">
              <h2 id="writes">${id === undefined ? "Latest writes" : "History"}</h2>
              ${writesTable(writes.toReversed())}
            </section>
            <section aria-labelledby="faults">
              <h2 id="faults">Faults</h2>
              ${faultsTable(faults.list())}
            </section>
            <section aria-labelledby="requests">
              <h2 id="requests">Latest requests</h2>
              ${requestsTable(ledger.requests().slice(-REQUESTS_SHOWN).toReversed())}
            </section>
          </main>
        </div>
      </body>
    </html> `;
}

function button(action: string, label: string): Html {
  return html`<form method="post" action="/__sandbox/${action}"><button>${label}</button></form>`;
}
