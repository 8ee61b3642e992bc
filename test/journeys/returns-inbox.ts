import { join } from "node:path";
import { expect } from "vitest";
import { sleep } from "#model";
import { ask } from "../store/postgres-place.ts";
import { RETURNS } from "./returning.ts";
import { shippedSyncFile, type Stage } from "./stage.ts";

/** Head and lines together, of about a third of what was answered. */
const DELETE_SOME = `
  WITH gone AS (
    DELETE FROM svcsync_returns r USING svcsync_answers a WHERE a.return_id = r.return_id AND hashtext(r.return_id) % 3 = 0
    RETURNING r.return_id)
  DELETE FROM svcsync_return_lines l USING gone WHERE l.return_id = gone.return_id;`;

/** The shipped sync file whose reports go into a database of their own, INBOX_URL. */
export async function inboxSyncFile(): Promise<string> {
  return (await shippedSyncFile())
    .replace("\nstreams:", '\n  inbox:\n    adapter: sql\n    url: "${INBOX_URL}"\n    timezone: UTC\n\nstreams:')
    .concat(RETURNS.replaceAll("source: erp", "source: inbox"));
}

/** Makes the inbox as a DBA does, without the rights of users that this server lacks. */
export async function makeInbox(stage: Stage, url: string): Promise<void> {
  const { stdout } = await stage.command("returns", "ddl", "--dialect", "postgres");
  await ask(url, stdout.replaceAll(/^grant .*$/gm, ""));
}

/** A customer in both systems. Resolves to its id in the service. */
export async function customerInBoth(stage: Stage): Promise<number> {
  stage.erp.insertCustomer({ customer_no: "K-1", name1: "Huber GmbH" });
  expect((await stage.command("sync")).code).toBe(0);
  return stage.sandbox.records("customer").find(({ customerId }) => customerId === "K-1")!.id;
}

/** From now on, commands are those of the installation whose process has this name. */
export function use(stage: Stage, name: string): Promise<void> {
  return stage.set({ DATA_DIR: join(stage.folder, name) });
}

/** Binds what is in both systems to each other, in a store that does not know it. */
export async function adopt(stage: Stage): Promise<void> {
  await stage.command("sync");
  expect(await stage.command("adopt", "--confirm")).toMatchObject({ code: 0 });
}

/** Reports of this customer that people approve in the service, with these numbers. */
export function approve({ sandbox }: Stage, customer: number, from: number, to: number): number[] {
  return Array.from(
    { length: to - from + 1 },
    (_, at) => sandbox.people.approvedReport({ customer, erpReferenceNumber: `A-${from + at}` }).id,
  );
}

/**
 * The ERP's own job: locks the inbox for a while, takes what is open and answers it. Waits for a database that is away. `deletes`: also deletes
 * some of what it has answered, at once, which only an installation under the same name can tell from what never came.
 */
export async function erpJob(url: string, signal: AbortSignal, { deletes = true } = {}): Promise<void> {
  for (let turn = 1; !signal.aborted; turn++) {
    const isDeleting = deletes && turn % 3 === 0;
    await ask(
      url,
      `BEGIN; LOCK TABLE svcsync_returns IN EXCLUSIVE MODE; SELECT pg_sleep(0.2);
       INSERT INTO svcsync_answers (return_id, result, document, answered_at)
         SELECT return_id, 'ok', 'RE-' || svcsync_open.service_id, now() FROM svcsync_open ORDER BY return_id LIMIT 5;
       ${isDeleting ? DELETE_SOME : ""}
       COMMIT`,
    ).catch(() => undefined);
    await sleep(300, signal);
  }
}

/** What the inbox has now: versions, whose names may be of several installations, and heads without all of their lines. */
export async function inboxCounts(url: string): Promise<{ facts: number; subjects: number; half: number }> {
  const [facts] = await ask<{ all: string; subjects: string }>(
    url,
    `SELECT count(*) AS all, count(DISTINCT regexp_replace(id, '^[^/]*/', '')) AS subjects FROM
       (SELECT return_id AS id FROM svcsync_returns UNION SELECT return_id FROM svcsync_answers) f`,
  );
  const [half] = await ask<{ count: string }>(
    url,
    `SELECT count(*) FROM svcsync_returns r
     WHERE r.line_count <> (SELECT count(*) FROM svcsync_return_lines l WHERE l.return_id = r.return_id)`,
  );
  return { facts: Number(facts!.all), subjects: Number(facts!.subjects), half: Number(half!.count) };
}

/** Invoices that have the number of the ERP, which is made of the report's id. */
export function numbered({ sandbox }: Stage): number {
  return sandbox
    .records("invoice")
    .filter(
      ({ status, svcDocument, invoiceNumber }) =>
        status === "INVOICED" && invoiceNumber === `RE-${JSON.stringify(svcDocument)}`,
    ).length;
}
