import { readFileSync } from "node:fs";
import { asError, codeOf, isLoopback, ParkError, RetryError } from "#model";
import type { NotifySettings } from "#settings";
import { textOf, type Digest } from "../digest.ts";
import type { Channel } from "./channel.ts";

const CONNECT_MS = 15_000;
const ANSWER_MS = 30_000;

/**
 * Sends e-mail through one SMTP server. A password is only sent over TLS: a server without TLS is refused, except on this machine.
 * @throws {ParkError} E_NOTIFY_REFUSED when SMTP_CA_FILE cannot be read.
 */
export function openSmtp(settings: NonNullable<NotifySettings["email"]>, password: string | undefined): Channel {
  const { host, port, implicitTls, username, from, to, caFile } = settings;
  const tls = caFile === undefined ? {} : { tls: { ca: authorities(caFile) } };
  // Loaded with the first message: most installations send none for weeks, and the library takes 8 MB.
  const connect = async () =>
    (await import("nodemailer")).createTransport({
      host,
      port,
      secure: implicitTls,
      requireTLS: !implicitTls && username !== undefined && !isLoopback(host),
      ...(username === undefined ? {} : { auth: { user: username, pass: password ?? "" } }),
      ...tls,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: ANSWER_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  let transport: ReturnType<typeof connect> | undefined;
  return {
    name: "email",
    async send(digest) {
      try {
        await (await (transport ??= connect())).sendMail(mailOf(digest, from, to));
      } catch (thrown) {
        throw smtpFailure(thrown, `${host}:${port}`);
      }
    },
    [Symbol.dispose]: () => void transport?.then((opened) => opened.close()),
  };
}

function mailOf(digest: Digest, from: string, to: readonly string[]) {
  return {
    from: { name: `svcsync ${digest.from}`, address: from },
    to: [...to],
    subject: `[svcsync ${digest.from}] ${digest.subject}`,
    text: textOf(digest),
    messageId: `<${digest.id}@svcsync.${from.split("@").at(-1)}>`,
    // RFC 3834: no out-of-office answers to a machine.
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

function authorities(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ParkError("E_NOTIFY_REFUSED", `SMTP_CA_FILE ${path} cannot be read`, { cause });
  }
}

/** Turns an error of nodemailer into ours, by its stable code. */
function smtpFailure(thrown: unknown, server: string): Error {
  const cause = asError(thrown);
  const code = codeOf(cause);
  const said = cause.message;
  if (code === "EAUTH" || code === "ENOAUTH")
    return new ParkError("E_NOTIFY_LOGIN", `the mail server ${server} refused the login: ${said}`, { cause });
  if (code === "EENVELOPE" || code === "EMESSAGE")
    return new ParkError("E_NOTIFY_REFUSED", `the mail server ${server} refused the message: ${said}`, { cause });
  return new RetryError("E_NOTIFY_UNREACHABLE", `the mail server ${server} cannot be used: ${said}`, { cause });
}
