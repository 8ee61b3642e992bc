import { instantText, ParkError } from "#model";
import type { LaneStream } from "./lane-stream.ts";

/**
 * Why the lane has no return of this subject, for people. Reads only, and asks the service.
 * @throws {ParkError} E_RETURN_UNKNOWN when nothing explains it.
 */
export async function whyNotReturned(
  { stream: { name, kind }, reader, mapper }: Pick<LaneStream, "stream" | "reader" | "mapper">,
  subject: string,
  beginAt: number | undefined,
  signal: AbortSignal,
): Promise<string> {
  const id = `${name}/${subject}`;
  const whole = await reader.whole(subject, signal);
  if (whole === undefined) throw new ParkError("E_RETURN_UNKNOWN", `${id} is no return, and there is no such record`);
  if (!(await mapper.isWanted(whole.record)))
    return `${id} is not returned: \`when\` of the stream is not true for this record.`;
  if (beginAt === undefined) return `${id} is not returned yet: svcsync has not run with this stream.`;
  const at = mapper.finalAt(whole.record) ?? whole.modifiedAt;
  if (kind === "reports" && at < beginAt)
    return (
      `${id} is not returned: it was final at ${instantText(at)}, and the stream begins at ${instantText(beginAt)}. What is older is ` +
      "never returned, unless the sync file gets an earlier `begin`."
    );
  return `${id} is to be returned, and svcsync has not looked at it yet.`;
}
