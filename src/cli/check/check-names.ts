import { errorFacts, ParkError, errorText, type Finding } from "#model";
import type { Stream } from "#mapping";
import type { Service } from "#service";

/**
 * Looks up the names that are written in the sync file (Active, Open, Normal …). A name that the service does not have is
 * reported before it parks thousands of records.
 */
export async function checkNames(
  streams: readonly Stream[],
  service: Pick<Service, "lookup">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, constantLookups } of streams) {
    const unknown: Finding[] = [];
    for (const { resource, by, value } of constantLookups)
      try {
        await service.lookup(resource, by, value, signal);
      } catch (thrown) {
        // Anything but an answer about this name concerns the service as a whole.
        if (!(thrown instanceof ParkError)) throw thrown;
        const remedy = `Use an existing name in the stream's lookup, or create ${JSON.stringify(value)} in the service.`;
        unknown.push({ subject: `stream ${name}`, verdict: "problem", message: errorText(errorFacts(thrown)), remedy });
      }
    const names = constantLookups.map(({ value }) => value).join(", ");
    if (unknown.length === 0 && names !== "")
      findings.push({ subject: `stream ${name}`, verdict: "ok", message: `the service has ${names}` });
    findings.push(...unknown);
  }
  return findings;
}
