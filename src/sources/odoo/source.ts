import { StopError } from "#model";
import type { OpenContext, OpenedSource } from "../adapter.ts";
import { webIdentity } from "../identity.ts";
import { PRECISIONS } from "../wire/stamps/stamp-format.ts";
import { reachFindings } from "../wire/client/web-check.ts";
import { WebClient } from "../wire/client/web-client.ts";
import { wireStream } from "../wire/wire-stream.ts";
import { openOdooClient } from "./client.ts";
import { OdooTable } from "./odoo-table.ts";
import type { OdooRead, OdooSettings } from "./schema.ts";

/**
 * Opens an Odoo database as a source. Connects at the first read.
 * @throws {StopError} E_SOURCE_SETTINGS when jsonrpc lacks its user name.
 */
export async function openOdoo(settings: OdooSettings, context: OpenContext): Promise<OpenedSource<OdooRead>> {
  if (settings.protocol === "jsonrpc" && settings.username === undefined)
    throw new StopError("E_SOURCE_SETTINGS", `source ${context.name}: jsonrpc needs \`username\` beside \`key\``);
  const auth =
    settings.protocol === "json2" ? { kind: "bearer" as const, token: settings.key } : { kind: "none" as const };
  const web = new WebClient({ ...settings, auth, timezone: "UTC" }, context);
  const client = openOdooClient(web, settings);
  return {
    stream(name, read) {
      const table = new OdooTable(client, read);
      const track = { table, unit: PRECISIONS.second, zone: "UTC", nulls: true };
      return wireStream({
        name,
        table,
        tracks: read.changed === null ? [] : [track],
        times: { clock: web.serverClock, overlapMs: read.overlap, marginMs: read.margin },
        logger: context.logger.child({ stream: name }),
        readOne: (key, signal) => table.one(key, signal),
        readMany: (keys, signal) => table.many(keys, signal),
      });
    },
    async identity(read) {
      const { address, part } = webIdentity(settings, [read.domain, read.context]);
      return { address: `${address} database ${settings.database}`, part };
    },
    async check(signal) {
      return reachFindings(context.name, web, async () => {
        await client.call("res.users", "search_read", { domain: [], fields: ["id"], limit: 1 }, signal);
        return `${settings.url} answers and the key holds`;
      });
    },
    [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
  };
}
