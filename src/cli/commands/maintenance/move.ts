import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { counted, secretsInAddress, systemClock } from "#model";
import { loadLocalSettings, secretTexts, storeLocation } from "#settings";
import { move as moveStore, openStore, type MovedStore, type MoveStep, type StoreLocation } from "#store";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { operatorLogger, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";

interface MoveOptions extends ActOptions {
  readonly to: Target;
}

/** A folder, or a database whose schema the settings name. */
type Target = { readonly folder: string } | { readonly url: string };

const PROGRESS_EVERY_MS = 2_000;

export const registerMove: Registration = (cli) =>
  withActor(
    cli
      .command("move", "Move the store from SQLite to PostgreSQL or back; stop the daemon first")
      .requiredOption("--to <address>", "postgres://HOST/DATABASE (into STORE_SCHEMA), or sqlite:FOLDER", target),
  ).action(cli.action(move));

/** `svcsync move --to ADDRESS`: copies the store that the settings name, compares the two, and marks the old one as moved. */
async function move({ to, json, ...options }: MoveOptions, io: Io): Promise<number> {
  const { settings, secrets } = loadLocalSettings(options);
  io.redaction.hide(...secretTexts(secrets), ...("url" in to ? secretsInAddress(to.url) : []));
  const target: StoreLocation = "url" in to ? { url: to.url, schema: settings.store.schema } : to.folder;
  const logger = operatorLogger(settings, io);
  const report = progress(io);
  const moved = await moveStore(storeLocation(settings, secrets), target, { clock: systemClock, logger, report });
  await using store = await openStore(target, { as: "operator", clock: systemClock, logger });
  await store.acts.save("", { action: "move", outcome: `from ${moved.from}` }, commandActor(options));
  if (json) printJson(io.stdout, moved);
  else io.stdout.write(movedText(moved, to));
  return exitCode.ok;
}

function target(address: string): Target {
  const folder = /^sqlite:(.+)$/.exec(address)?.[1];
  if (folder !== undefined) return { folder: resolve(folder) };
  if (/^postgres(ql)?:\/\/[^/]/.test(address) && URL.canParse(address)) return { url: address };
  throw new InvalidArgumentError("expected postgres://HOST/DATABASE or sqlite:FOLDER");
}

/** Prints a line at intervals, because copying a million records takes minutes. */
function progress(io: Io): (step: MoveStep) => void {
  let toldAt = Date.now();
  return (step) => {
    if (!("rows" in step) || Date.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = Date.now();
    io.stderr.write(`${step.step} ${step.table}: ${counted(step.rows, "row")}\n`);
  };
}

function movedText({ from, to, tables }: MovedStore, target: Target): string {
  const heads = ["table", "rows", "hash", "rows of the copy", "hash of the copy"];
  const compared = table(
    heads,
    tables.map((each) => [each.table, each.from.rows, each.from.hash, each.to.rows, each.to.hash]),
  );
  const next =
    "url" in target
      ? "Set STORE_URL to the new address"
      : `Remove STORE_URL from the settings, and set DATA_DIR=${target.folder}`;
  return (
    (tables.length === 0 ? "The copy was compared before the move was interrupted.\n" : `${compared}\n`) +
    `The store was moved from ${from} to ${to}. ${next}, then "svcsync check" and start the daemon.\n` +
    "The old store is marked as moved and can no longer be opened. Keep it until you have backed up the new one.\n"
  );
}
