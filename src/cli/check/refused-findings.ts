import type { Stream } from "#mapping";
import type { Finding } from "#model";
import { remedyOf } from "#operator";
import { refusalText, refusedFiles } from "#pipeline";
import type { NoteStore } from "#store";

/** Files whose rows are missing, until they are settled. */
export async function refusedFindings(
  store: Pick<NoteStore, "note">,
  streams: readonly Pick<Stream, "name">[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name: stream } of streams)
    for (const file of await refusedFiles(store, stream))
      findings.push({
        subject: `stream ${stream}`,
        verdict: "problem",
        message: refusalText(file),
        remedy: remedyOf(file, { stream }),
      });
  return findings;
}
