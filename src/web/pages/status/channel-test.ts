import { errorText } from "#model";
import { channelTestAct, type ChannelTest } from "#operator";
import { html, type Html } from "#server";
import { addressOf } from "../frame/act-form.ts";
import { csrfField, page, type Frame } from "../frame/layout.ts";
import { sentence } from "../frame/wording.ts";

/** Sends a test message through every channel. */
export function channelTestForm(channels: readonly string[], { visitor }: Frame): Html | undefined {
  if (channels.length === 0 || visitor?.role !== "act") return undefined;
  return html`<form class="acts" method="post" action="${addressOf(channelTestAct, undefined)}">
    ${csrfField(visitor)}<button>Send a test message (${channels.join(", ")})</button>
  </form>`;
}

/** Which channels accepted the test message, and what to do about the others. */
export function testedPage({
  channels,
  frame,
}: {
  readonly channels: readonly ChannelTest[];
  readonly frame: Frame;
}): Html {
  return page({
    title: "svcsync: test message",
    frame,
    main: html`<h1>Test message</h1>
      <ul>
        ${channels.map((test) => html`<li>${resultOf(test)}</li>`)}
      </ul>
      <p><a href="/">Status</a></p>`,
  });
}

function resultOf(test: ChannelTest): Html {
  if (test.isDelivered) return html`${test.channel}: delivered`;
  return html`<span class="problem">${test.channel}: ${errorText(test.error)}</span><br />
    <strong>What to do:</strong> ${sentence(test.remedy)}`;
}
