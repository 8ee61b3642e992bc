import { counted, errorText, oneLine, systemClock } from "#model";
import { namedChannels, testChannels } from "#notify";
import { roughDuration, noChannel } from "#operator";
import type { ChannelState } from "#store";
import { version } from "#telemetry";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration, type StoreContext } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

interface NotifyOptions extends ActOptions {
  readonly test?: boolean;
}

export const registerNotify: Registration = (cli) =>
  withActor(
    cli
      .command("notify", "Show the notification channels and whether they accept messages")
      .option("--test", "send a test message through every channel now, even during quiet hours"),
  ).action(cli.action(notify));

/** `svcsync notify [--test]`: the channels of the settings, and whether they accept messages. */
async function notify(options: NotifyOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  return options.test ? await test(context, options, io) : await show(context, options, io);
}

async function test({ settings, secrets, store }: StoreContext, options: NotifyOptions, io: Io): Promise<number> {
  const { redact } = io.redaction;
  const parts = { settings: settings.notify, secrets, store, clock: systemClock, version, redact };
  const results = await testChannels(parts, commandActor(options), io.signal);
  if (results.length === 0) {
    io.stderr.write(`${noChannel}\n`);
    return exitCode.settings;
  }
  if (options.json) printJson(io.stdout, { channels: results });
  else
    for (const result of results)
      io.stdout.write(
        result.isDelivered
          ? `${result.channel}: delivered\n`
          : `${oneLine(`${result.channel}: ${errorText(result.error)}`)}\n  -> ${result.remedy}\n`,
      );
  return results.every(({ isDelivered }) => isDelivered) ? exitCode.ok : exitCode.needsPerson;
}

async function show({ settings, secrets, store }: StoreContext, { json }: NotifyOptions, io: Io): Promise<number> {
  const channels = namedChannels(settings.notify, { secrets, clock: systemClock, version });
  const states = new Map((await store.notices.channels()).map((state) => [state.name, state]));
  const shown = channels.map(({ name, min, quiet }) => ({
    waiting: 0,
    ...states.get(name),
    name,
    min,
    hasQuietHours: quiet !== undefined,
  }));
  if (json) printJson(io.stdout, { channels: shown });
  else if (shown.length === 0) io.stdout.write(`${noChannel}\n`);
  else for (const each of shown) io.stdout.write(`${oneLine(`${each.name}: ${stateText(each)}`)}\n`);
  return shown.some(({ failure }) => failure !== undefined) ? exitCode.needsPerson : exitCode.ok;
}

function stateText({
  failure,
  deliveredAt,
  waiting,
}: Pick<ChannelState, "failure" | "deliveredAt"> & { waiting: number }) {
  const now = systemClock.now();
  const pending = waiting === 0 ? "" : `; ${counted(waiting, "change")} waiting`;
  if (failure) return `failing for ${roughDuration(now - failure.since)}: ${failure.message}${pending}`;
  const last =
    deliveredAt === undefined ? "nothing delivered yet" : `last delivered ${roughDuration(now - deliveredAt)} ago`;
  return `${last}${pending}`;
}
