import type { SyncFile } from "#mapping";
import type { Finding } from "#model";
import { environmentWarnings } from "#settings";
import type { GlobalOptions } from "../command-context.ts";

/** Variables that svcsync ignores although they look as if they were meant for it, and values with quotes of their own. */
export function environmentFindings(options: GlobalOptions, { variables }: SyncFile): Finding[] {
  return environmentWarnings(options, new Set(variables)).map(({ key, found, wanted }) => ({
    subject: `setting ${key}`,
    verdict: "warning",
    message: `found ${found}, expected ${wanted}`,
    remedy:
      "Correct it in the env file or where the process gets its environment, or ignore this if another program needs it.",
  }));
}
