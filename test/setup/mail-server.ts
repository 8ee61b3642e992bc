import { readFileSync } from "node:fs";
import { SMTPServer } from "smtp-server";
import { listen } from "./listen.ts";
import { pem } from "../kit/http.ts";

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** Without line breaks that mail adds, and with its characters decoded. */
  readonly subject: string;
  readonly text: string;
  readonly headers: string;
}

/** A real SMTP server for `localhost`, with the certificate of the tests' authority. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly Mail[];
}

export interface MailServerOptions {
  /** The only login that it takes; without one it asks for none. */
  readonly login?: { readonly user: string; readonly password: string };
  /** False: it offers no TLS. */
  readonly tls?: boolean;
  /** Whom it takes no mail for. */
  readonly refuses?: string;
}

export async function startMailServer({ login, tls = true, refuses }: MailServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    key: readFileSync(pem("server-key")),
    cert: readFileSync(pem("server")),
    hideSTARTTLS: !tls,
    allowInsecureAuth: true,
    authOptional: login === undefined,
    logger: false,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.password;
      done(isRight ? null : new Error("Invalid username or password"), { user: username ?? "" });
    },
    onRcptTo({ address }, _session, done) {
      done(address === refuses ? new Error("No such user here") : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const raw = Buffer.concat(chunks).toString("utf8");
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...partsOf(raw) });
        done();
      });
    },
  });
  server.on("error", () => {});
  const port = await listen(server.server);
  return {
    port,
    mails,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  };
}

function partsOf(raw: string): Pick<Mail, "subject" | "text" | "headers"> {
  const at = raw.indexOf("\r\n\r\n");
  const headers = raw.slice(0, at);
  const unfolded = headers.replaceAll(/\r\n[ \t]+/g, " ");
  const subject = /^Subject: (.*)$/im.exec(unfolded)?.[1] ?? "";
  const body = raw.slice(at + 4).replaceAll("\r\n", "\n");
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable$/im.test(unfolded);
  const isBase64 = /^Content-Transfer-Encoding: base64$/im.test(unfolded);
  const decoded = isQuoted ? unquoted(body) : isBase64 ? Buffer.from(body, "base64").toString("utf8") : body;
  return { subject: decodedWords(subject), text: decoded, headers };
}

function unquoted(body: string): string {
  const bytes = body
    .replaceAll("=\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** RFC 2047. */
function decodedWords(subject: string): string {
  return subject.replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=\s*/gi, (_, how: string, word: string) =>
    how.toUpperCase() === "B" ? Buffer.from(word, "base64").toString("utf8") : unquoted(word.replaceAll("_", " ")),
  );
}
