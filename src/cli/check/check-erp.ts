import { KnownSources, openSources, type Sources } from "#daemon";
import { systemClock, type Finding } from "#model";
import { remedyOf } from "#operator";
import { openDestination } from "#returns";
import { storeLocation } from "#settings";
import { openStore } from "#store";
import { attempt, attemptEach, type CheckedParts } from "./attempt.ts";
import { checkEdits } from "./check-edits.ts";
import { checkMapping } from "./check-mapping.ts";
import { checkView } from "./check-views.ts";

/** Checks the sources and fills `samples` with the mapped first rows. */
export async function checkErp(parts: CheckedParts): Promise<Finding[]> {
  const { syncFile, logger, samples, interview, as, signal } = parts;
  const { streams } = syncFile;
  const look = async () => {
    await using sources = await openSources(syncFile, { clock: systemClock, logger });
    const findings: Finding[] = [];
    for (const [kind, all] of [
      ["source", sources.sources],
      ["stream", sources.streams],
    ] as const) {
      for (const [name, each] of all) {
        const found = await attempt("erp", () => each.check(signal), signal, name);
        findings.push(...within(`${kind} ${name}`, name, found));
      }
      // A source that does not answer would report the same for each of its streams.
      if (findings.some(({ verdict }) => verdict === "problem")) return findings;
    }
    findings.push(...(await checkIdentities(parts, sources)));
    if (as === "operator") findings.push(...(await checkInboxes(parts, sources)));
    const sample = async (stream: (typeof streams)[number]) => [
      ...(await checkView(stream, sources, signal)),
      ...(await checkMapping(stream, sources, samples, signal)),
    ];
    findings.push(...(await attemptEach("mapping", streams, sample, signal, ({ name }) => `stream ${name}`)));
    if (interview === undefined) return findings;
    const edits = (stream: (typeof streams)[number]) =>
      checkEdits(stream, sources.streams.get(stream.name)!, interview, signal);
    findings.push(...(await attemptEach("erp", streams, edits, signal, ({ name }) => `stream ${name}, edits`)));
    return findings;
  };
  return attempt("erp", look, signal);
}

/** Checks that each stream is read from the data that its records come from. */
async function checkIdentities(
  { settings, secrets, syncFile, logger, as, signal }: CheckedParts,
  sources: Sources,
): Promise<Finding[]> {
  const look = async () => {
    await using store = await openStore(storeLocation(settings, secrets), { as, clock: systemClock, logger });
    const known = new KnownSources({ store, clock: systemClock, former: settings.polling.formerSources });
    const lookAt = async ({ name }: { readonly name: string }) => {
      const refused = await known.refusal(name, await sources.identity(name, signal));
      if (refused) throw refused;
      return [];
    };
    return await attemptEach("erp", syncFile.streams, lookAt, signal, ({ name }) => `stream ${name}, source`);
  };
  return attempt("store", look, signal);
}

/** Only rows that are rolled back carry it, so it is no installation's name. */
const INSTALLATION = "svcsync-check";

/** Checks where returns go: rights, tables or folder. What it tries out is taken back at once. */
async function checkInboxes(
  { syncFile, signal }: Pick<CheckedParts, "syncFile" | "signal">,
  { sources }: Sources,
): Promise<Finding[]> {
  const look = async (stream: (typeof syncFile.returns)[number]) => {
    await using destination = openDestination(stream, { sources, installation: INSTALLATION, clock: systemClock });
    return [...(await destination.check(signal))];
  };
  return attemptEach("erp", syncFile.returns, look, signal, ({ name }) => `returns ${name}`);
}

/** Adapters name what they examined (a table, a column, a clock); this adds the stream or source. */
function within(place: string, name: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    const rest = finding.subject.replace(place, "").replace(new RegExp(`^${name}(: |$)`), "");
    const remedy = finding.remedy ?? (finding.code && remedyOf({ code: finding.code }, { stream: name }));
    const subject = rest === "" ? place : `${place}, ${rest}`;
    return { ...finding, subject, ...(remedy === undefined ? {} : { remedy }) };
  });
}
