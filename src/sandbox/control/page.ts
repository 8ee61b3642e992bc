import { html, type Html } from "#server";
import type { ControlDeps } from "./commands.ts";
import { STYLE } from "./style.ts";
import { faultsTable, recordsTable, recordTable, requestsTable, resourceLinks, writesTable } from "./tables.ts";

const REQUESTS_SHOWN = 50;
const WRITES_SHOWN = 50;
const RECORDS_SHOWN = 100;

/** The page for people: which records there are, what was asked, what was written, what goes wrong on purpose. */
export function renderPage(parts: ControlDeps, query: URLSearchParams): Html {
  const { tenant, ledger, faults } = parts;
  const asked = query.get("resource");
  const resource = asked !== null && tenant.catalogue.resources.has(asked) ? asked : "customer";
  const id = Number(query.get("id")) || undefined;
  const table = tenant.database.table(resource);
  const records =
    id === undefined
      ? recordsTable(resource, table.rows().slice(-RECORDS_SHOWN).toReversed())
      : recordTable(table.get(id)?.version.record);
  const writes = id === undefined ? ledger.writes({ resource }).slice(-WRITES_SHOWN) : ledger.history(resource, id);
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
              ${records}
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
