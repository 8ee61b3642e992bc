import { z } from "zod";
import { duration, timeLimit } from "#model";
import { secret } from "../../secret.ts";
import { timezone } from "../../time/timezone.ts";

/** The text of a header. A file may end in a line break: with it no request could be sent, so no server could refuse it. */
export const headerText = z.string().regex(/^[^\r\n]*$/, "expected one line, without a line break at its end");

const basic = z.strictObject({
  kind: z.literal("basic"),
  username: z.string().min(1).describe("User name"),
  password: secret(z.string()).describe("Password, or the web service access key that stands for it"),
});
const bearer = z.strictObject({
  kind: z.literal("bearer"),
  token: secret(headerText.min(1)).describe("Sent as `Authorization: Bearer …`"),
});
const header = z.strictObject({
  kind: z.literal("header"),
  name: z.string().min(1).describe("Name of the header that carries the key, e.g. AuthenticationToken or DOLAPIKEY"),
  value: secret(headerText.min(1)).describe("Its whole value, e.g. `token key:secret`"),
});
const oauth = z.strictObject({
  kind: z.literal("oauth"),
  tokenUrl: z.url().describe("The token endpoint; client credentials are exchanged there"),
  clientId: z.string().min(1).describe("Client id"),
  clientSecret: secret(z.string().min(1)).describe("Client secret"),
  scope: z.string().optional().describe("Scope, where the endpoint wants one"),
});
const login = z.strictObject({
  kind: z.literal("login"),
  url: z.string().min(1).describe("Where to log in, absolute or below `url`; its cookies are the session"),
  body: secret(z.record(z.string(), z.string())).describe("What is posted there as JSON"),
});

export const authSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  basic,
  bearer,
  header,
  oauth,
  login,
]);
export type AuthSettings = z.infer<typeof authSchema>;

/** The settings of every source that is read over HTTP. */
export const webSettings = {
  url: z
    .url({ protocol: /^https?$/, error: "expected an address that begins with https:// or http://" })
    .describe("Base address; paths of streams are below it"),
  auth: authSchema.default({ kind: "none" }).describe("How to log in: none, basic, bearer, header, oauth or login"),
  headers: secret(z.record(z.string(), headerText)).default({}).describe("Headers to send with every request"),
  timezone: timezone.default("UTC").describe("Zone of stamps that carry none themselves, e.g. Europe/Berlin"),
  timeout: timeLimit.default(90_000).describe("Longest time for one answer"),
  answerLimitMb: z
    .int()
    .min(1)
    .max(512)
    .default(32)
    .describe("Largest answer in megabytes, unpacked: a page needs some five times as much memory"),
  connections: z.int().min(1).max(16).default(2).describe("Requests at once"),
  caFile: z.string().optional().describe("PEM file with authorities to trust beside the system's"),
  proxy: z.url().optional().describe("Address of a forward proxy"),
};
const webSettingsSchema = z.object(webSettings);
export type WebSettings = z.infer<typeof webSettingsSchema>;

/** Where a poll begins and ends. Every adapter uses the same names. */
export const pollSettings = {
  overlap: duration
    .default(900_000)
    .describe("How far before the last poll's end a poll begins: longer than the longest transaction"),
  margin: duration.default(2_000).describe("How far behind the server's clock a poll ends"),
};
