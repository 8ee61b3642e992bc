import { existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";
import { systemClock } from "#model";
import { withIsoTimes } from "#operator";
import { redacted, type Redact } from "#telemetry";
import { openBundle } from "../../bundle/parts.ts";
import type { JsonOptions, Registration } from "../../command-context.ts";
import { failureText } from "../../output/failure-text.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

const FOLDER = "svcsync-bundle";

/** A text file of the archive, by name. */
interface ArchiveFile {
  readonly name: string;
  readonly text: string;
}

interface BundleOptions extends JsonOptions {
  readonly log?: string;
}

export const registerBundle: Registration = (cli) =>
  cli
    .command("bundle", "Collect what support needs to know into one file, without secrets or the contents of records")
    .argument("[file]", "file to write; it must not exist yet (default: svcsync-bundle-<time>.tar.gz)")
    .option("--log <file>", "add the last 1,000 lines of this log; - reads them from stdin")
    .option("--json", "as JSON")
    .action(cli.action(bundle));

/** The result for one part. */
interface Told {
  readonly name: string;
  /** Why it is missing. */
  readonly failure?: string;
}

/**
 * `svcsync bundle [FILE]`: writes one archive for support, from settings, sync file and store. It contacts neither the
 * ERP nor the service.
 */
async function bundle(given: string | undefined, options: BundleOptions, io: Io): Promise<number> {
  const now = systemClock.now();
  const path = given ?? `svcsync-bundle-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}.tar.gz`;
  if (existsSync(path)) throw new UsageError(`${path} already exists. Choose another name.`);
  if (!existsSync(dirname(path))) throw new UsageError(`${path}: there is no folder ${dirname(path)} to write it to.`);
  if (options.log !== undefined && !isReadable(options.log, io))
    throw new UsageError(`--log: found no file ${options.log}. Name a log, or pipe one in with --log -.`);
  const { files, told } = await collect(options, io);
  const { redact } = io.redaction;
  const archive = archiveOf([{ name: "parts.json", text: fileText({ parts: told }, redact) }, ...files], now);
  await writeFile(path, archive, { flag: "wx", mode: 0o600 });
  if (options.json) printJson(io.stdout, { file: path, sizeBytes: archive.length, parts: told });
  else io.stdout.write(asText(path, told));
  return exitCode.ok;
}

function isReadable(log: string, { stdin }: Io): boolean {
  if (log === "-") return stdin !== undefined;
  return statSync(log, { throwIfNoEntry: false })?.isDirectory() === false;
}

/** Reads everything before anything is redacted: by then the redaction knows every secret. */
async function collect(options: BundleOptions, io: Io): Promise<{ files: ArchiveFile[]; told: Told[] }> {
  await using opened = openBundle(options, io);
  const values: { name: string; value: unknown }[] = [];
  const told: Told[] = [];
  for (const { name, read } of opened.parts)
    try {
      values.push({ name, value: await read() });
      told.push({ name });
    } catch (thrown) {
      const failure = failureText(thrown).trimEnd();
      const first = told.find((each) => each.failure === failure);
      told.push({ name, failure: first === undefined ? failure : `for the same reason as ${first.name}` });
    }
  const { redact } = io.redaction;
  return { files: values.map(({ name, value }) => ({ name, text: fileText(value, redact) })), told };
}

function fileText(value: unknown, redact: Redact): string {
  if (typeof value === "string") return redact(value);
  return `${JSON.stringify(redacted(withIsoTimes(value), redact), undefined, 2)}\n`;
}

function asText(path: string, told: readonly Told[]): string {
  const missing = told.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`  ${name} is missing: ${failure}\n`],
  );
  return `Wrote ${path} with ${told.length - missing.length} of ${told.length} parts.\n${missing.join("")}It holds no secret of the settings and no rows. Read it before you send it: messages of the service may repeat a value.\n`;
}

/** The texts as a .tar.gz that unpacks into one folder. Only the owner may read the unpacked files. */
function archiveOf(files: readonly ArchiveFile[], now: number): Uint8Array {
  const attrs = { mode: "600", mtime: now };
  return gzipSync(createTar(files.map(({ name, text }) => ({ name: `${FOLDER}/${name}`, data: text, attrs }))));
}
