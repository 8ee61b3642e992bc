import type { ReturnState } from "#model";
import type { ReturnCounts } from "../contract/returns.ts";
import type { Access } from "./access.ts";
import { isUnreplaced } from "./return-sql.ts";

interface StreamCount {
  readonly stream: string;
  readonly count: number;
}

const COUNT = "SELECT stream, state, count(*) AS count, min(due_at) AS oldest FROM returns GROUP BY stream, state";
const COUNT_FOLLOWING = "SELECT stream, count(*) AS count FROM returns WHERE following = 'due' GROUP BY stream";

/** Of an accepted return: what follows it in the service is done, or is to be done again. */

/** `streams` are named values, so that an index has them. */
const countRefused = (streams: readonly string[]) => `
  SELECT r.stream, count(*) AS count FROM returns r
  WHERE r.stream IN (${streams.join(", ")}) AND r.state = 'refused' AND ${isUnreplaced("r")}
  GROUP BY r.stream`;

/** Counts of the streams that have returns, in order of their names. */
export async function readCounts(access: Access): Promise<readonly ReturnCounts[]> {
  const rows = await access.read<{ stream: string; state: ReturnState; count: number; oldest: number }>(COUNT);
  const following = await access.read<StreamCount>(COUNT_FOLLOWING);
  const withRefused = rows.flatMap(({ state, stream }) => (state === "refused" ? [stream] : []));
  const refused =
    withRefused.length === 0
      ? []
      : await access.read<StreamCount>(
          countRefused(withRefused.map((_, at) => `@stream${at}`)),
          Object.fromEntries(withRefused.map((stream, at) => [`stream${at}`, stream])),
        );
  const streams = [...new Set(rows.map(({ stream }) => stream))].toSorted();
  return streams.map((stream) => {
    const own = rows.filter((row) => row.stream === stream);
    return {
      stream,
      states: Object.fromEntries(own.map(({ state, count }) => [state, count])),
      oldestUnanswered: own.find(({ state }) => state === "delivered")?.oldest,
      openRefusals: refused.find((row) => row.stream === stream)?.count ?? 0,
      following: following.find((row) => row.stream === stream)?.count ?? 0,
    };
  });
}
