import { gzipSync } from "node:zlib";
import { json, shown, withBody, type Mutation, type Shown } from "../exchange.ts";
import { hostileText } from "../hostile.ts";

/** Statuses that prove "not carried out": for a write they are drawn before it is carried out, see refusals.ts. */
const AFTERWARDS = [200, 201, 202, 204, 205, 206, 300, 304, 408, 418, 499, 500, 502, 503, 504, 511, 520, 599, 999];
const READS_ONLY = [400, 402, 403, 404, 405, 409, 410, 422, 429, 501];

export const status: Mutation = (answer, { dice, asked }) => {
  const statuses = asked.method === "GET" ? [...AFTERWARDS, ...READS_ONLY] : AFTERWARDS;
  const body = dice.chance(0.5)
    ? answer.body
    : Buffer.from(dice.pick(["", "{}", "<html><title>Gateway</title></html>"]));
  return shown({ ...answer, status: dice.pick(statuses), body });
};

/** Nothing, in all its forms. */
export const empties: Mutation = (answer, { dice }) =>
  shown({
    ...answer,
    status: dice.pick([200, 200, 200, 204]),
    body: Buffer.from(dice.pick(["", "null", "[]", "{}", '""', "0", "false", '{"success":false,"errors":[]}', " "])),
  });

/** Bytes that are no JSON any more: what still reads as JSON could be a lie that nobody can see. */
export const bytes: Mutation = (answer, { dice }) => {
  const { body } = answer;
  const at = dice.between(0, body.length);
  const broken = dice.weighted<() => Buffer>([
    [4, () => body.subarray(0, at)],
    [
      2,
      () => Buffer.concat([body.subarray(0, at), Buffer.from([dice.between(0, 255), 0xff, 0xc0]), body.subarray(at)]),
    ],
    [1, () => Buffer.concat([Buffer.from("\ufeff"), body, Buffer.from("}")])],
    [1, () => Buffer.from(body.toString("utf8"), "utf16le")],
    [1, () => Buffer.concat([body, body])],
    [1, () => Buffer.concat([body.subarray(0, at), Buffer.alloc(50), body.subarray(at)])],
  ])();
  return isJson(broken) ? undefined : shown(withBody(answer, broken));
};

export const headers: Mutation = (answer, { dice }) => {
  const [name, value] = dice.pick<readonly [string, string]>([
    ["content-type", "text/html"],
    ["content-type", "application/json; charset=utf-16"],
    ["content-type", "application/json; charset=no-such-charset"],
    ["content-type", ";;;"],
    ["content-encoding", "gzip"],
    ["content-encoding", "br"],
    ["content-encoding", "snappy"],
    ["retry-after", "-1"],
    ["retry-after", "1e9"],
    ["retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"],
    ["date", "Thu, 01 Jan 1970 00:00:00 GMT"],
    ["date", "Fri, 31 Dec 9999 23:59:59 GMT"],
    ["date", "soon"],
    ["location", "/restApi/v1/customer/1e30"],
    ["location", "/restApi/v1/customer/0"],
    ["link", '<>; rel="next"'],
    ["set-cookie", `a=${"b".repeat(5_000)}`],
    ["x-large", "x".repeat(12_000)],
    ["connection", "close"],
    ["transfer-encoding", "chunked"],
  ]);
  return shown({ ...answer, headers: { ...answer.headers, [name]: value } });
};

const headOf = (bodyLength: number) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${bodyLength}\r\n\r\n`;

/** What happens to bytes on their way. */
export const transport: Mutation = (answer, { dice }) => {
  const raw = (head: string, body = answer.body) =>
    ({ kind: "raw", bytes: Buffer.concat([Buffer.from(head), body]) }) as const;
  return dice.weighted<Shown>([
    [3, { kind: "cut" }],
    [2, { kind: "slow", answer, ms: dice.between(200, 2_500) }],
    [1, { kind: "silence" }],
    [2, raw(headOf(answer.body.length + 100))],
    [1, raw(headOf(Math.floor(answer.body.length / 2)))],
    [1, raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZZ\r\n")],
    [1, raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffff\r\n")],
    [1, raw(`${"HTTP/1.1 100 Continue\r\n\r\n".repeat(500)}${headOf(answer.body.length)}`)],
    [1, raw(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}\r\n\r\n`)],
    [1, raw("SSH-2.0-OpenSSH_9.6\r\n")],
    [1, raw("HTTP/1.1 200 OK\r\nbad header\r\n\r\n")],
    [1, raw("HTTP/1.1 999999 \r\n\r\n")],
  ]);
};

/** Bodies that cost more to read than to send. */
export const large: Mutation = (answer, { dice }) => {
  const body = dice.weighted<() => Buffer>([
    [2, () => Buffer.from(`{"customer":[${'{"id":1,"name":"a b c","n":12345.6789},'.repeat(8_000)}`)],
    [2, () => Buffer.from("[".repeat(dice.between(1_000, 200_000)))],
    [1, () => Buffer.from(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)],
    [1, () => Buffer.from('{"a":'.repeat(50_000))],
    [1, () => Buffer.from(" ".repeat(3_000_000))],
    [1, () => Buffer.from(`{"id":${"9".repeat(300_000)}}`)],
    [1, () => Buffer.from(`{"id":${"9".repeat(300_000)}`)],
    [1, () => Buffer.from(`{"name":"${"\\\\".repeat(200_000)}`)],
    [1, () => Buffer.from(`"${'\\"'.repeat(200_000)}`)],
    [1, () => Buffer.from(`<html><title>${"<".repeat(300_000)}`)],
    [1, () => Buffer.from(`<!--${"<title ".repeat(60_000)}`)],
    [1, () => Buffer.from(`{"customer":[${"1.0,".repeat(100_000)}`)],
  ])();
  const status = dice.pick([answer.status, answer.status, 500, 502]);
  if (dice.chance(0.15))
    return shown({
      status,
      headers: { ...answer.headers, "content-encoding": "gzip" },
      body: gzipSync(Buffer.alloc(48 * 2 ** 20, 0x20)),
    });
  return shown({ ...answer, status, body });
};

/** A server that repeats what it was sent, credentials and all, into what becomes error messages. */
export const echo: Mutation = (answer, { asked, dice }) => {
  const said = `no: ${JSON.stringify(asked.headers)} ${asked.url} ${asked.body.toString("utf8").slice(0, 2_000)}`;
  const body = dice.pick<unknown>([
    { errorMessage: said },
    { message: said },
    { error: { code: "x", message: said } },
    { errors: [said] },
    { customer: [{ id: 7, name: said }], said },
    said,
  ]);
  return shown({
    status: dice.pick([500, 502, 503, 200]),
    headers: { ...answer.headers, "x-echo": said.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 500) },
    body: json(body),
  });
};

export const redirects: Mutation = (answer, { dice, asked, thiefUrl }) => {
  const to = dice.pick([
    `${thiefUrl}${asked.url}`,
    thiefUrl.replace("http:", ""),
    asked.url,
    "/",
    "//evil.invalid/",
    "https://127.0.0.1:1/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    hostileText(dice).replaceAll(/[^\x21-\x7e]/g, "?"),
  ]);
  const status = dice.pick([300, 301, 302, 303, 305, 307, 308]);
  return shown({ status, headers: { ...answer.headers, location: to }, body: Buffer.alloc(0) });
};

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
