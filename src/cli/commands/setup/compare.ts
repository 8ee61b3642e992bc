import type { Finding } from "#model";
import type { Service } from "#service";
import { loadSettings, secretTexts } from "#settings";
import { attempt } from "../../check/attempt.ts";
import { compareDialects, compareFields, compareNames } from "../../check/compare-services.ts";
import { findingsText } from "../../check/findings-text.ts";
import { openUncached } from "../../check/check-service.ts";
import { operatorLogger, readFiles, type JsonOptions, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

interface CompareOptions extends JsonOptions {
  /** The other service's env file. */
  readonly with: string;
}

const words = `
"Here" is the service of this env file, "there" that of the other one. Compared are what the sync file uses: the names that it looks up
(statuses, priorities, tags), the fields that it writes, custom ones too, and the settings of the dialect. Only reads are sent.
Exit codes: 0 the other service has all of it, 1 something is missing there.
`;

export const registerCompare: Registration = (cli) =>
  cli
    .command("compare", "Compare two services, such as test and production, in what the sync file uses")
    .requiredOption("--with <env-file>", "the env file of the other service")
    .option("--json", "the findings as JSON")
    .addHelpText("after", words)
    .action(cli.action(compare));

/** `svcsync compare --with FILE`: what is missing in the other service before the sync file moves there. Writes nothing. */
async function compare(options: CompareOptions, io: Io): Promise<number> {
  const here = loadSettings(options);
  // The other file alone: a variable of the process that overrides it would make both services one.
  const there = loadSettings({ envFile: options.with, environment: {} });
  io.redaction.hide(...secretTexts(there.secrets));
  const { streams } = await readFiles(here.settings, here.secrets, io);
  const findings: Finding[] = [];
  const { signal } = io;
  await using ours = open(here, io);
  await using theirs = open(there, io);
  const places = [
    [ours, here.settings.service.url, "here"],
    [theirs, there.settings.service.url, "there"],
  ] as const;
  for (const [service, url, place] of places)
    findings.push(
      ...(await attempt("service", () => reached(service, url, place, signal), signal, `service ${place}`)),
    );
  if (here.settings.service.url === there.settings.service.url)
    findings.push({
      subject: "service there",
      verdict: "problem",
      message: `both env files name ${here.settings.service.url}`,
      remedy: `Set SERVICE_URL in ${options.with} to the other service.`,
    });
  if (!findings.some(({ verdict }) => verdict === "problem")) {
    const pair = [ours, theirs] as const;
    findings.push(...compareDialects(here.settings.service.dialect, there.settings.service.dialect));
    findings.push(...(await attempt("service", () => compareNames(streams, pair, signal), signal, "names")));
    findings.push(...(await attempt("service", () => compareFields(streams, pair, signal), signal, "fields")));
  }
  if (options.json) printJson(io.stdout, { findings });
  else io.stdout.write(findingsText(findings));
  return findings.some(({ verdict }) => verdict === "problem") ? exitCode.needsPerson : exitCode.ok;
}

function open({ settings, secrets }: ReturnType<typeof loadSettings>, io: Io): Service {
  const hide = (...texts: string[]) => io.redaction.hide(...texts);
  const logger = operatorLogger(settings, io);
  return openUncached(settings.service, secrets, { logger, hide });
}

async function reached(service: Service, url: string, place: string, signal: AbortSignal): Promise<Finding[]> {
  await service.ping(signal);
  return [{ subject: `service ${place}`, verdict: "ok", message: `${url} accepts the credentials` }];
}
