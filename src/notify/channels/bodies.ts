import { withIsoTimes } from "#operator";
import { textOf, type Digest } from "../digest.ts";

/** What each receiver understands. */
export type BodyFormat = "json" | "slack" | "teams";

/** The body of a webhook. */
export function bodyOf(digest: Digest, format: BodyFormat): string {
  return JSON.stringify(bodies[format](digest));
}

const bodies: Readonly<Record<BodyFormat, (digest: Digest) => unknown>> = {
  json: (digest) => withIsoTimes({ version: 1, ...digest, entries: digest.entries.map(withInstants) }),
  // Mattermost, Rocket.Chat and Google Chat read the same member.
  slack: (digest) => ({ text: `*${escaped(heading(digest))}*\n${escaped(textOf(digest))}` }),
  teams: (digest) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            { type: "TextBlock", text: heading(digest), weight: "bolder", size: "medium", wrap: true },
            ...textOf(digest)
              .trimEnd()
              .split("\n\n")
              .map((text) => ({ type: "TextBlock", text: text.replaceAll("\n", "\n\n"), wrap: true })),
          ],
        },
      },
    ],
  }),
};

function heading({ from, subject }: Digest): string {
  return `svcsync ${from}: ${subject}`;
}

/** `since` and `until` are instants too. */
function withInstants({ since, until, ...entry }: Digest["entries"][number]) {
  return { ...entry, sinceAt: since, untilAt: until };
}

/** Slack reads `<`, `>` and `&` as markup: no text of an ERP mentions a channel. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
