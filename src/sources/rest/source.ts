import type { z } from "zod";
import { ParkError, StopError, type Key, type Row } from "#model";
import type { OpenContext, OpenedSource } from "../adapter.ts";
import { webIdentity } from "../identity.ts";
import { reachFindings } from "../wire/client/web-check.ts";
import { WebClient } from "../wire/client/web-client.ts";
import { PRECISIONS } from "../wire/stamps/stamp-format.ts";
import type { WireTable } from "../wire/table.ts";
import type { Track } from "../wire/walk/changes.ts";
import { walkComplete } from "../wire/walk/walk-keys.ts";
import { ListedMembers } from "../wire/listed-members.ts";
import { wireStream } from "../wire/wire-stream.ts";
import { configuredShape } from "./configured.ts";
import { dolibarr } from "./presets/dolibarr.ts";
import { erpnext } from "./presets/erpnext.ts";
import { openTrytonLogin, tryton } from "./presets/tryton.ts";
import { weclapp } from "./presets/weclapp.ts";
import { xentral } from "./presets/xentral.ts";
import { restTable } from "./rest-table.ts";
import type { PresetRead, presetSchema, RestRead, RestSettings } from "./schema.ts";
import type { RestShape, RestShapes } from "./shape.ts";
import { fitsAddress, SingleRecords } from "./single-record.ts";

/** Opens an API as a source. Connects at the first read. */
export async function openRest(settings: RestSettings, context: OpenContext): Promise<OpenedSource<RestRead>> {
  const client = new WebClient(settings, context, settings.preset === "tryton" ? openTrytonLogin : undefined);
  return {
    stream(name, read) {
      const { tracks, deletions, hasSilentDeletions = false } = shapesOf(name, read, settings);
      const main = tracks[0];
      const table = restTable(client, main, { holdsMembers: read.each !== undefined });
      const single = main.one === undefined ? undefined : new SingleRecords(client, main, table);
      return wireStream({
        name,
        table,
        // The first track is the same table: what one reading shows of its pages holds for the other.
        tracks:
          main.stamp === undefined
            ? []
            : tracks.map((shape) => trackOf(shape, shape === main ? table : restTable(client, shape))),
        ...(deletions === undefined
          ? {}
          : { deletions: trackOf(deletions, restTable(client, deletions, { isLog: true })) }),
        hasSilentDeletions,
        ...(read.each === undefined ? {} : { members: new ListedMembers(main.name, read.each) }),
        times: { clock: client.serverClock, overlapMs: read.overlap, marginMs: read.margin },
        logger: context.logger.child({ stream: name }),
        readOne: async (key, signal) => {
          if (single === undefined || !fitsAddress(key)) return (await search(client, main, [key], signal)).get(key);
          const row = await single.read(key, signal);
          return row === undefined ? undefined : (main.tidy?.(row) ?? row);
        },
        // Without a path for one record the list is walked, which finds many records as easily as one.
        ...(main.one === undefined ? { readMany: (keys, signal) => search(client, main, keys, signal) } : {}),
      });
    },
    identity: (read) => Promise.resolve(webIdentity(settings, read)),
    async check(signal) {
      return reachFindings(context.name, client, async () => {
        await client.text({ url: "", absent: (answer) => answer.status < 500 && answer.status !== 401 }, signal);
        return `${settings.url} answers`;
      });
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** @throws {StopError} E_SOURCE_SETTINGS when the stream's form does not fit the source's preset. */
function shapesOf(name: string, read: RestRead, settings: RestSettings): RestShapes {
  if ("table" in read) {
    if (settings.preset === undefined)
      throw new StopError("E_SOURCE_SETTINGS", `stream ${name} names a \`table\`, but its source has no \`preset\``);
    return presets[settings.preset](read, settings);
  }
  const { deletions } = read;
  if (deletions !== undefined && read.each !== undefined)
    throw new StopError(
      "E_SOURCE_SETTINGS",
      `stream ${name} has \`each\` and \`deletions\`, but a list of deletions names ${read.path}, not the members inside them. ` +
        "Remove `deletions`: sweeps find the members that are gone",
    );
  const shape = configuredShape(read, settings);
  return { tracks: [shape], ...(deletions === undefined ? {} : { deletions: configuredShape(deletions, settings) }) };
}

function trackOf(shape: RestShape, table: WireTable): Track {
  const { stamp } = shape;
  if (stamp === undefined)
    throw new StopError("E_SOURCE_SETTINGS", `${shape.name} has no \`changed\`; a list of deletions needs one`);
  return {
    table,
    unit: PRECISIONS[stamp.precision],
    zone: stamp.zone,
    nulls: shape.nulls,
  };
}

/** @throws {ParkError} E_ROW_UNREADABLE when one of the records cannot be read. */
async function search(
  client: WebClient,
  shape: RestShape,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Key, Row>> {
  const wanted = new Set(keys);
  const found = new Map<Key, Row>();
  for await (const rows of walkComplete(restTable(client, shape), { kind: "all" }, signal, "record")) {
    for (const { key, row, odd } of rows) {
      if (!wanted.has(key)) continue;
      if (odd !== undefined) throw new ParkError("E_ROW_UNREADABLE", `${odd.place}: ${odd.reason}`);
      found.set(key, row);
    }
    if (found.size === wanted.size) break;
  }
  return found;
}

/** What each known product needs beyond a URL and a key. */
const presets: Readonly<
  Record<z.infer<typeof presetSchema>, (read: PresetRead, settings: RestSettings) => RestShapes>
> = { erpnext, weclapp, xentral, dolibarr, tryton };
