import { systemClock } from "#model";
import { CellReader } from "../../../src/sources/sql/read/cells.ts";
import type { SourceDatabase } from "../../../src/sources/sql/database.ts";
import type { Engine, SqlSession } from "../../../src/sources/sql/engines/engine.ts";
import { read } from "../../../src/sources/sql/read.ts";
import { SqlStream } from "../../../src/sources/sql/stream.ts";
import { silentLogger } from "../../kit/logger.ts";

/** A stream of a database, read as `words` say in a sync file. */
export function sqlStream(database: SourceDatabase, words: object, zone = "UTC", logger = silentLogger): SqlStream {
  const cells = new CellReader(zone);
  return new SqlStream({ database, read: read.parse(words), zone, zoneIsSet: true, cells, clock: systemClock, logger });
}

/** The engine, with its sessions as `wrap` changes them. */
export function wrapped(engine: Engine, query: (session: SqlSession) => SqlSession["query"]): Engine {
  return {
    ...engine,
    async connect() {
      const session = await engine.connect();
      return {
        query: query(session),
        get isSpent() {
          return session.isSpent === true;
        },
        end: () => session.end(),
        destroy: () => session.destroy(),
      };
    },
  };
}
