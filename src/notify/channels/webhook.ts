import { createHmac } from "node:crypto";
import { HttpFailure, openHttp, type HttpClient, type HttpSettings } from "#http";
import { ParkError, RetryError, type Clock } from "#model";
import { withIsoTimes } from "#operator";
import type { Digest } from "../digest.ts";
import type { Channel } from "./channel.ts";
import { chatText, type ChatText } from "./chat-text.ts";

const CALL_MS = 30_000;
const ANSWER_LIMIT_BYTES = 65_536;

export interface WebhookOptions {
  readonly name: "chat" | "webhook";
  readonly url: string;
  readonly format: BodyFormat;
  /** The key that signs each body; absent: unsigned. */
  readonly key: string | undefined;
  readonly proxy: HttpSettings["proxy"];
  readonly userAgent: string;
  readonly clock: Clock;
}

/** An HTTP client that reports to another system and needs little of its answer. */
export function tellingHttp({
  url,
  proxy,
  userAgent,
}: Pick<WebhookOptions, "url" | "proxy" | "userAgent">): HttpClient {
  return openHttp({
    url,
    proxy,
    userAgent,
    connectTimeoutMs: CALL_MS / 2,
    answerTimeoutMs: CALL_MS,
    callTimeoutMs: CALL_MS,
    responseLimitBytes: ANSWER_LIMIT_BYTES,
    connections: 1,
  });
}

/** Sends each message as JSON to one address. Any 2xx status means accepted. */
export function openWebhook(options: WebhookOptions): Channel {
  const { name, url, format, key, clock } = options;
  const http = tellingHttp(options);
  const { host } = new URL(url);
  return {
    name,
    async send(digest, signal) {
      const body = bodyOf(digest, format);
      const proof = key === undefined ? {} : signed(body, key, clock.now());
      const headers = { "content-type": "application/json", "x-svcsync-id": digest.id, ...proof };
      const { status } = await http.call({ method: "POST", url, headers, body, signal }).catch((thrown: unknown) => {
        throw thrown instanceof HttpFailure ? unreachable(thrown, host) : thrown;
      });
      if (status >= 200 && status < 300) return;
      // Name only the host, because the path may be the secret.
      const message = `${host} answered ${status} to the ${name} message`;
      if (status === 401 || status === 403)
        throw new ParkError("E_NOTIFY_LOGIN", `${message}; expected 2xx: ${whatProves(name)}`);
      if (status >= 500 || status === 429) throw new RetryError("E_NOTIFY_UNREACHABLE", message);
      throw new ParkError("E_NOTIFY_REFUSED", message);
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

/** How the receiver recognises the sender. */
function whatProves(name: string): string {
  const url = `NOTIFY_${name.toUpperCase()}_URL`;
  return name === "webhook" ? `correct NOTIFY_WEBHOOK_KEY or ${url}` : `correct ${url}`;
}

function unreachable(cause: HttpFailure, host: string): RetryError {
  const reason = cause.message.split(": ").slice(1).join(": ");
  return new RetryError("E_NOTIFY_UNREACHABLE", `${host} cannot be reached: ${reason}`, { cause });
}

/** The headers that prove who sent a webhook and when. */
interface SignedHeaders {
  readonly "x-svcsync-timestamp": string;
  readonly "x-svcsync-signature": string;
}

/**
 * Signs a body: HMAC-SHA256 over the timestamp in seconds, a full stop and the body, in hexadecimal digits. The receiver computes the same
 * value, compares in constant time and refuses timestamps older than a few minutes.
 */
function signed(body: string, key: string, at: number): SignedHeaders {
  const timestamp = String(Math.floor(at / 1000));
  const digits = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
  return { "x-svcsync-timestamp": timestamp, "x-svcsync-signature": `sha256=${digits}` };
}

/** The body format of a receiver. */
type BodyFormat = "json" | "slack" | "teams";

/** The body of a webhook. */
function bodyOf(digest: Digest, format: BodyFormat): string {
  return JSON.stringify(bodies[format](digest));
}

const bodies: Readonly<Record<BodyFormat, (digest: Digest) => unknown>> = {
  json: (digest) => withIsoTimes({ version: 1, ...digest, entries: digest.entries.map(withInstants) }),
  slack: (digest) => slackBody(chatText(digest, (text) => slackBody(text).text.length <= SLACK_CHARACTERS)),
  teams: (digest) =>
    teamsBody(chatText(digest, (text) => Buffer.byteLength(JSON.stringify(teamsBody(text))) <= TEAMS_BYTES)),
};

/**
 * Most characters of a text. Slack advises 4,000 and cuts what is longer, Google Chat takes 4,096, Rocket.Chat 5,000 and Mattermost 16,383
 * (their documentation, November 2026).
 */
const SLACK_CHARACTERS = 4_000;
/** Most bytes of a card: Teams refuses messages above 28 KB (its documentation, November 2026). */
const TEAMS_BYTES = 28_000;

/** Mattermost, Rocket.Chat and Google Chat read the same member. */
function slackBody({ heading, blocks }: ChatText): { readonly text: string } {
  return { text: `*${escaped(heading)}*\n${escaped(blocks.join("\n\n"))}\n` };
}

function teamsBody({ heading, blocks }: ChatText): object {
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            { type: "TextBlock", text: heading, weight: "bolder", size: "medium", wrap: true },
            ...blocks.map((text) => ({ type: "TextBlock", text: text.replaceAll("\n", "\n\n"), wrap: true })),
          ],
        },
      },
    ],
  };
}

/** Renames `since` and `until`, because names of instants end in `At`. */
function withInstants({ since, until, ...entry }: Digest["entries"][number]) {
  return { ...entry, sinceAt: since, untilAt: until };
}

/** Escapes `<`, `>` and `&`, which Slack reads as markup. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
