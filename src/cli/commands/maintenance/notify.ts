import { counted, errorFacts, oneLine, systemClock, errorText } from "#model";
import { version } from "#daemon";
import { openChannels, testDigest, type OpenChannel } from "#notify";
import { duration, remedyOf } from "#operator";
import type { ChannelState } from "#store";
import { redacted } from "#telemetry";
import type { Registration } from "../../command.ts";
import { openStoreContext, type GlobalOptions, type StoreContext } from "../../command-context.ts";
import { exitCode } from "../../output/exit-code.ts";
import type { Io } from "../../output/io.ts";
import { printJson } from "../../output/json.ts";

interface NotifyOptions extends GlobalOptions {
  readonly test?: boolean;
  readonly json?: boolean;
}

export const registerNotify: Registration = (cli) =>
  cli
    .command("notify", "Show the notification channels and whether they accept messages")
    .option("--test", "send a test message through every channel now, even during quiet hours")
    .option("--json", "as JSON")
    .action(cli.action(notify));

/** `svcsync notify [--test]`: the channels of the settings, and how they are doing. */
async function notify(options: NotifyOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const channels = openChannels(context.settings.notify, { secrets: context.secrets, clock: systemClock, version });
  try {
    if (channels.length === 0) {
      io.stderr.write(
        "No channel is set up. Set NOTIFY_EMAIL_TO and SMTP_URL, NOTIFY_CHAT_URL or NOTIFY_WEBHOOK_URL; docs/notifications.md explains them.\n",
      );
      return exitCode.settings;
    }
    return options.test ? await test(channels, context, options, io) : await show(channels, context, options, io);
  } finally {
    for (const { channel } of channels) channel[Symbol.dispose]();
  }
}

async function test(
  channels: readonly OpenChannel[],
  { settings }: StoreContext,
  { json }: NotifyOptions,
  io: Io,
): Promise<number> {
  const digest = redacted(testDigest(settings.notify.name, systemClock.now()), io.redaction.redact);
  const results = await Promise.all(
    channels.map(async ({ channel }) => {
      try {
        await channel.send(digest, io.signal);
        return { channel: channel.name, isDelivered: true } as const;
      } catch (thrown) {
        const error = errorFacts(thrown);
        return {
          channel: channel.name,
          isDelivered: false,
          error,
          remedy: remedyOf(error, { stream: "STREAM" }),
        } as const;
      }
    }),
  );
  if (json) printJson(io.stdout, { channels: results });
  else
    for (const result of results)
      io.stdout.write(
        result.isDelivered
          ? `${result.channel}: delivered\n`
          : `${oneLine(`${result.channel}: ${errorText(result.error)}`)}\n  -> ${result.remedy}\n`,
      );
  return results.every(({ isDelivered }) => isDelivered) ? exitCode.ok : exitCode.needsPerson;
}

async function show(
  channels: readonly OpenChannel[],
  { store }: StoreContext,
  { json }: NotifyOptions,
  io: Io,
): Promise<number> {
  const states = new Map((await store.notices.channels()).map((state) => [state.name, state]));
  const shown = channels.map(({ channel, min, quiet }) => ({
    waiting: 0,
    ...states.get(channel.name),
    name: channel.name,
    min,
    hasQuietHours: quiet !== undefined,
  }));
  if (json) printJson(io.stdout, { channels: shown });
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
  if (failure) return `failing for ${duration(now - failure.since)}: ${failure.message}${pending}`;
  const last =
    deliveredAt === undefined ? "nothing delivered yet" : `last delivered ${duration(now - deliveredAt)} ago`;
  return `${last}${pending}`;
}
