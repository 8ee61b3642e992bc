import type { ReturnStream } from "#mapping";
import { ParkError, type ReturnId } from "#model";
import { mayReturn, type ReturnStore, type StoredReturn } from "#store";
import { returnLabel } from "../../text/return-text.ts";

/**
 * Finds a return by what people write: `stream/subject/version`, the newest version as `stream/subject`, or its name in the inbox, which begins
 * with the installation. A subject may contain slashes.
 * @throws {ParkError} E_RETURN_UNKNOWN.
 */
export async function findReturn(returns: Pick<ReturnStore, "one" | "latest">, text: string): Promise<StoredReturn> {
  const parts = text.split("/");
  for (const from of [0, 1]) {
    const [stream = "", ...rest] = parts.slice(from);
    const last = rest.at(-1) ?? "";
    if (rest.length > 1 && /^\d{1,15}$/.test(last)) {
      const found = await returns.one({ stream, subject: rest.slice(0, -1).join("/"), version: Number(last) });
      if (found !== undefined) return found;
    }
    const subject = rest.join("/");
    const newest = rest.length === 0 ? undefined : (await returns.latest(stream, [subject])).get(subject);
    if (newest !== undefined) return newest;
  }
  throw unknownReturn(text);
}

/** @throws {ParkError} E_RETURN_UNKNOWN. */
export async function knownReturn(returns: Pick<ReturnStore, "one">, id: ReturnId): Promise<StoredReturn> {
  const found = await returns.one(id);
  if (found === undefined) throw unknownReturn(returnLabel(id));
  return found;
}

function unknownReturn(text: string): ParkError {
  const message = `${text} is no return that the store has, expected STREAM/SUBJECT/VERSION, or STREAM/SUBJECT for the newest version`;
  return new ParkError("E_RETURN_UNKNOWN", message);
}

/** @throws {ParkError} E_RETURN_UNKNOWN when the sync file has no such stream of returns. */
export function knownReturnStream(streams: readonly Pick<ReturnStream, "name">[], name: string): void {
  if (streams.some((stream) => stream.name === name)) return;
  const known = streams.length === 0 ? "none" : streams.map((stream) => stream.name).join(", ");
  throw new ParkError("E_RETURN_UNKNOWN", `${name} is no stream of returns; the sync file has ${known}`);
}

/**
 * Carries out a person's decision about a return.
 * @throws {ParkError} E_RETURN_UNKNOWN; E_RETURN_SETTLED when its state does not allow it.
 */
export async function decideReturn(
  returns: ReturnStore,
  id: ReturnId,
  decision: Parameters<ReturnStore["decide"]>[1],
  by: Parameters<ReturnStore["decide"]>[2],
): Promise<void> {
  const found = await knownReturn(returns, id);
  if (await returns.decide(id, decision, by)) return;
  const isReplaced = decision === "send" && mayReturn(found.state, "send");
  const why = isReplaced ? `${found.state}, and there is a newer version` : found.state;
  throw new ParkError("E_RETURN_SETTLED", `${returnLabel(id)} is ${why}, so nothing was done`);
}
