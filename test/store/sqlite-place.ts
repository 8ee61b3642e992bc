import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "#store";
import type { StorePlace } from "../conformance/store-scene.ts";

/** A data directory of its own. */
export interface SqlitePlace extends StorePlace {
  readonly dataDir: string;
  readonly location: string;
}

export async function sqlitePlace(): Promise<SqlitePlace> {
  const dataDir = await mkdtemp(join(tmpdir(), "svcsync-store-"));
  return {
    dataDir,
    location: dataDir,
    open: (options) => openStore(dataDir, options),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
  };
}
