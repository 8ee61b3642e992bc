import { systemClock, type Finding } from "#model";
import type { Sources } from "#daemon";
import type { SyncFile } from "#mapping";
import { openDestination } from "#returns";
import { attempt } from "./attempt.ts";

/** Only rows that are rolled back carry it, so it is no installation's name. */
const INSTALLATION = "svcsync-check";

/** Checks where returns go: rights, tables or folder. What it tries out is taken back at once. */
export async function checkInboxes(
  { returns }: Pick<SyncFile, "returns">,
  { sources }: Pick<Sources, "sources">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const stream of returns) {
    const look = async () => {
      await using destination = openDestination(stream, { sources, installation: INSTALLATION, clock: systemClock });
      return [...(await destination.check(signal))];
    };
    findings.push(...(await attempt("erp", look, signal, `returns ${stream.name}`)));
  }
  return findings;
}
