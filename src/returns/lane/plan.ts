import { errorFacts, type ErrorFacts, type ReturnContent } from "#model";
import type { LaneStream } from "./lane-stream.ts";

/** What would be returned, or why it would not be. */
export interface PlannedReturn {
  readonly subject: string;
  readonly finalAt: number;
  readonly content: ReturnContent | undefined;
  readonly error: ErrorFacts | undefined;
}

/** What would flow if the stream had begun at `since`. Reads only, and writes nothing down. */
export async function* planReturns(
  { reader, mapper }: Pick<LaneStream, "reader" | "mapper">,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<PlannedReturn> {
  for await (const listed of reader.all(since, signal))
    for (const { subject } of listed) {
      const whole = await reader.whole(subject, signal);
      if (whole === undefined || !(await mapper.isWanted(whole.record))) continue;
      const finalAt = mapper.finalAt(whole.record) ?? whole.modifiedAt;
      if (finalAt < since) continue;
      try {
        yield { subject, finalAt, content: await mapper.content(whole, undefined, signal), error: undefined };
      } catch (thrown) {
        yield { subject, finalAt, content: undefined, error: errorFacts(thrown) };
      }
    }
}
