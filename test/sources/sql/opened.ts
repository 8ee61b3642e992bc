import { systemClock } from "#model";
import { adapters, type OpenedSource, type SourceStream } from "#sources";
import { openContext } from "../reading.ts";
import { openPlace, type Place } from "./place.ts";
import type { DialectName } from "./shapes.ts";

/** A database of a test's own, opened through the register as the daemon does. */
export interface Opened extends AsyncDisposable {
  readonly place: Place;
  readonly source: OpenedSource<unknown>;
  stream(read: Readonly<Record<string, unknown>>): SourceStream;
}

/** SQL Server encrypts with a certificate of its own unless it was given one. */
export function ownTls(dialect: DialectName): object {
  return dialect === "mssql" ? { tls: { mode: "trust" } } : {};
}

export async function openSql(
  dialect: DialectName,
  server?: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Opened> {
  const adapter = adapters.get("sql")!;
  const place = await openPlace(dialect, server);
  const parsed = adapter.settings.parse({ url: place.url, timezone: "Europe/Berlin", ...ownTls(dialect), ...settings });
  const source = await adapter.open(parsed, openContext(systemClock));
  return {
    place,
    source,
    stream: (read) => source.stream("items", adapter.read.parse(read)),
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
