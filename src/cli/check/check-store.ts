import { expectKnownService } from "#daemon";
import { systemClock, type Finding } from "#model";
import { remedyOf, unlistedStreams } from "#operator";
import { refusalText, refusedFiles } from "#pipeline";
import { storeLocation } from "#settings";
import { openStore } from "#store";
import { attempt, type CheckedParts } from "./attempt.ts";

/** Checks the store, and tells which streams and refused files in it need attention. */
export async function checkStore({
  settings,
  secrets,
  syncFile: { streams },
  logger,
  as,
  signal,
}: CheckedParts): Promise<Finding[]> {
  const look = async () => {
    const location = storeLocation(settings, secrets);
    await using store = await openStore(location, { as, clock: systemClock, logger });
    await store.check();
    await expectKnownService(store, location, settings.service, false);
    const where = typeof location === "string" ? location : `the schema ${location.schema} in PostgreSQL`;
    const message = `${where} can be ${as === "reader" ? "read" : "written"}`;
    const findings: Finding[] = [{ subject: "store", verdict: "ok", message }];
    for (const { name } of streams)
      for (const file of await refusedFiles(store, name))
        findings.push({
          subject: `stream ${name}`,
          verdict: "problem",
          message: refusalText(file),
          remedy: remedyOf(file, { stream: name }),
        });
    for (const { name, message: unlisted, remedy } of await unlistedStreams(store, streams))
      findings.push({ subject: `stream ${name}`, verdict: "warning", message: unlisted, remedy });
    return findings;
  };
  return attempt("store", look, signal);
}
