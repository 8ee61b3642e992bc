import type { Stream } from "#mapping";
import type { Finding } from "#model";
import { catalogueFacts } from "#service";
import { readOfflineContext, type GlobalOptions } from "../command-context.ts";
import type { Io } from "../output/io.ts";
import { readOnlyFinding, rewritten, unwritten } from "./check-fields.ts";
import { environmentFindings, syncFileFindings } from "./findings-text.ts";

interface OfflineFindings {
  readonly findings: readonly Finding[];
  /** Variables of the sync file that are not set on this machine. */
  readonly unsetVariables: readonly string[];
}

/** Verifies what needs neither network, store nor secrets. Opens nothing. */
export async function offlineFindings(options: GlobalOptions, io: Io): Promise<OfflineFindings> {
  const { settings, syncFile } = await readOfflineContext(options, io);
  const ok: Finding = { subject: "settings", verdict: "ok", message: "no setting has a wrong name or value" };
  const findings = [
    ok,
    ...environmentFindings(options, syncFile),
    ...syncFileFindings(settings.syncFile, syncFile),
    ...syncFile.streams.flatMap(fieldFindings),
  ];
  return { findings, unsetVariables: syncFile.unsetVariables };
}

/** What an offline check leaves open, one sentence each. */
export function notCheckedOffline(unsetVariables: readonly string[]): string[] {
  const settings =
    unsetVariables.length === 0
      ? []
      : [
          `source settings with ${unsetVariables.join(", ")}, which ${unsetVariables.length === 1 ? "is" : "are"} not set here.`,
        ];
  return [
    ...settings,
    'secrets, store, ERP, queue and service, the names of lookups, and fields that only the tenant knows. "svcsync check" verifies them where svcsync runs.',
  ];
}

/** The catalogue cannot disprove a field, because a tenant may have more fields: only the service's own answer is a problem. */
function fieldFindings(stream: Stream): Finding[] {
  const { name, resource, ownedFields } = stream;
  const warnings = [...catalogueFacts(resource, ownedFields)].flatMap(([field, fact]): Finding[] => {
    const subject = `stream ${name}, field ${field}`;
    if (fact.isReadOnly) return [readOnlyFinding(subject, field)];
    if (fact.verdict !== "unknown") return [];
    const message = `svcsync's catalogue of ${resource} has no field "${field}", did you mean "${fact.suggestion}"?`;
    return [{ subject, verdict: "warning", message, remedy: 'Correct it, or let "svcsync check" ask the service.' }];
  });
  warnings.push(...unwritten(stream), ...rewritten(stream));
  if (warnings.length > 0) return warnings;
  return [{ subject: `stream ${name}`, verdict: "ok", message: `no field of ${resource} looks misspelt` }];
}
