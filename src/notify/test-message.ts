import { errorFacts, type Actor } from "#model";
import { remedyOf, type ChannelTest } from "#operator";
import type { NotifySettings } from "#settings";
import type { ActStore } from "#store";
import { redacted, type Redact } from "#telemetry";
import type { Channel } from "./channels/channel.ts";
import { testDigest, type Digest } from "./digest.ts";
import type { OpenChannel } from "./notifier.ts";
import { openChannels, type ChannelContext } from "./open.ts";

export interface TestContext extends ChannelContext {
  readonly settings: NotifySettings;
  readonly store: { readonly acts: ActStore };
  readonly redact: Redact;
}

type NamedChannel = Pick<OpenChannel, "min" | "quiet"> & { readonly name: string };

/** Sends a test message through every channel now, even during quiet hours, and writes down who did it. Empty if there is no channel. */
export async function testChannels(context: TestContext, by: Actor, signal: AbortSignal): Promise<ChannelTest[]> {
  const { settings, store, clock, redact } = context;
  const digest = redacted(testDigest(settings.name, clock.now()), redact);
  const channels = openChannels(settings, context);
  const tests = await Promise.all(channels.map(({ channel }) => testOf(channel, digest, signal)));
  close(channels);
  const ends = tests.map((test) => `${test.channel}: ${test.isDelivered ? "delivered" : test.error.code}`);
  if (ends.length > 0) await store.acts.save("", { action: "notify", outcome: `test, ${ends.join(", ")}` }, by);
  return tests;
}

async function testOf(channel: Channel, digest: Digest, signal: AbortSignal): Promise<ChannelTest> {
  const { name } = channel;
  try {
    await channel.send(digest, signal);
    return { channel: name, isDelivered: true };
  } catch (thrown) {
    const error = errorFacts(thrown);
    return { channel: name, isDelivered: false, error, remedy: remedyOf(error, { stream: "STREAM" }) };
  }
}

/** The configured channels and what they receive; nothing stays open. */
export function namedChannels(settings: NotifySettings, context: ChannelContext): NamedChannel[] {
  const channels = openChannels(settings, context);
  close(channels);
  return channels.map(({ channel: { name }, min, quiet }) => ({ name, min, quiet }));
}

function close(channels: readonly OpenChannel[]): void {
  for (const { channel } of channels) channel[Symbol.dispose]();
}
