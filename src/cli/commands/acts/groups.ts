import { counted, localTime, textLines } from "#model";
import { actorText, knownGroup, notedGroups, noteGroup, type NotedGroup } from "#operator";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { momentArgument } from "../../arguments.ts";
import { causeLines } from "../views/records.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface GroupsOptions extends ActOptions {
  readonly note?: string;
  readonly owner?: string;
  readonly snooze?: number | "none";
}

export const registerGroups: Registration = (cli) =>
  withActor(
    cli
      .command("groups", "List blocked records, grouped by cause; set a note, an owner or a snooze for a cause")
      .argument("[id]", "one group, by its id (default: all)")
      .option("--note <text>", "a note for colleagues; an empty text removes the note")
      .option("--owner <name>", "the person responsible; an empty text removes the owner")
      .option(
        "--snooze <time>",
        "send no message about it until then, for example 18:00 or 2026-11-22 18:00; none ends it",
        (text) => (text === "none" ? text : momentArgument(text)),
      ),
  ).action(cli.action(run));

/** `svcsync groups [ID] [--note …]`: lists causes with their notes, or changes the notes of one. */
async function run(id: string | undefined, options: GroupsOptions, io: Io): Promise<number> {
  const { note, owner, snooze: snoozeUntil } = options;
  const isNoted = note !== undefined || owner !== undefined || snoozeUntil !== undefined;
  if (id === undefined && isNoted) throw new UsageError('Name the group: "svcsync groups" lists them with their ids.');
  await using context = await openStoreContext(options, io);
  const streams = context.syncFile.streams.map(({ name }) => name);
  const shown =
    id === undefined
      ? await notedGroups(context, streams)
      : [
          isNoted
            ? await noteGroup(context, streams, { id, note, owner, snoozeUntil }, commandActor(options))
            : await knownGroup(context, streams, id),
        ];
  if (options.json) printJson(io.stdout, { groups: shown });
  else io.stdout.write(shown.length === 0 ? "No record is blocked.\n" : shown.map(asText).join("\n"));
  return exitCode.ok;
}

function asText(group: NotedGroup): string {
  const { id, stream, state, count, error, noted } = group;
  const code = error === undefined ? "" : ` (${error.code})`;
  const lines = [`${id}  ${counted(count, "record")} of ${stream} ${state}${code}`, ...causeLines(group)];
  if (state !== "waiting" && count > 1) lines.push(`  -> all of them: "svcsync retry --group ${id}"`);
  if (noted?.owner !== undefined) lines.push(`  owner: ${noted.owner}`);
  if (noted?.note !== undefined) lines.push(`  note: ${noted.note}`);
  if (noted?.snooze !== undefined) lines.push(`  snoozed until ${localTime(noted.snooze.until)}`);
  if (noted !== undefined) lines.push(`  written down ${localTime(noted.at)} ${actorText(noted.by)}`);
  return textLines(lines);
}
