import type { OpenContext, OpenedSource } from "../adapter.ts";
import { webIdentity } from "../identity.ts";
import type { Track } from "../wire/walk/changes.ts";
import { openLogin } from "../wire/client/login.ts";
import { reachFindings } from "../wire/client/web-check.ts";
import { WebClient } from "../wire/client/web-client.ts";
import { wireStream } from "../wire/wire-stream.ts";
import { isTransient, ODataClient } from "./client.ts";
import { ListedMembers } from "../wire/listed-members.ts";
import { ODataTable } from "./odata-table.ts";
import { mannersOf, stampsOf } from "./presets.ts";
import type { ODataRead, ODataSettings, StampSetting } from "./schema.ts";
import { stampOf } from "./stamp.ts";

/** Opens an OData service as a source. Connects at the first read. */
export async function openOData(settings: ODataSettings, context: OpenContext): Promise<OpenedSource<ODataRead>> {
  const web = new WebClient(settings, context, (auth, parts) => openLogin(auth, { ...parts, transient: isTransient }));
  const manners = mannersOf(settings);
  const client = new ODataClient(web, manners);
  const trackOf = (read: ODataRead, setting: StampSetting, nulls: boolean): Track & { table: ODataTable } => {
    const stamp = stampOf(setting, manners, settings.timezone, stampsOf(read, settings).precision);
    const table = new ODataTable(client, manners, read, stamp);
    return { table, unit: stamp.unit, zone: stamp.zone, nulls };
  };
  return {
    stream(name, read) {
      const { changed, created, emptyStamps } = stampsOf(read, settings);
      const main = changed === null ? undefined : trackOf(read, changed, emptyStamps && created === null);
      const second = created === null ? undefined : trackOf(read, created, false);
      const table = main?.table ?? new ODataTable(client, manners, read, undefined);
      return wireStream({
        name,
        table,
        tracks: [main, second].filter((track) => track !== undefined),
        times: { clock: web.serverClock, overlapMs: read.overlap, marginMs: read.margin },
        logger: context.logger.child({ stream: name }),
        ...(read.each === undefined ? {} : { members: new ListedMembers(read.entity, read.each) }),
        readOne: (key, signal) => table.one(key, signal),
      });
    },
    identity: (read) => Promise.resolve(webIdentity(settings, read)),
    async check(signal) {
      return reachFindings(context.name, web, async () => {
        const text = await web.text({ url: "$metadata", headers: { accept: "application/xml" } }, signal);
        return `${settings.url} answers; its $metadata has ${text?.length ?? 0} characters`;
      });
    },
    [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
  };
}
