import { createHmac } from "node:crypto";
import { json, text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openSmtp } from "../../src/notify/channels/smtp.ts";
import { openWebhook, type WebhookOptions } from "../../src/notify/channels/webhook.ts";
import type { Digest } from "../../src/notify/digest.ts";
import { localServer, pem } from "../kit/http.ts";
import { freePort } from "../setup/free-port.ts";
import { startMailServer } from "../setup/mail-server.ts";

const at = Date.parse("2026-11-20T22:15:00Z");
const clock = { now: () => at };
const { signal } = new AbortController();

const digest: Digest = {
  id: "abc-1-2",
  from: "Müller AG",
  at,
  severity: "problem",
  subject: "erp: the polls of 2 streams fail (and 1 other)",
  entries: [
    {
      change: "begun",
      kind: "failing",
      severity: "problem",
      title: "erp: the polls of 2 streams fail",
      cause: "the ERP refused the key <alice> & Co. (E_SOURCE_LOGIN)",
      affected: "customers, tickets",
      remedy: 'Correct it, then "svcsync check".',
      since: at - 60_000,
    },
    {
      change: "resolved",
      kind: "queue",
      severity: "warning",
      title: "the queue does not answer",
      affected: "all streams",
      since: at - 3_600_000,
      until: at - 1_800_000,
    },
  ],
  more: 0,
};

const lines = `erp: the polls of 2 streams fail
Cause: the ERP refused the key <alice> & Co. (E_SOURCE_LOGIN)
Affected: customers, tickets
Since: 2026-11-20 22:14 UTC (1 min)
What to do: Correct it, then "svcsync check".

Resolved: the queue does not answer
Affected: all streams
From 2026-11-20 21:15 UTC to 2026-11-20 21:45 UTC (30 min)
`;

const settings = (port: number, more = {}) => ({
  min: "warning" as const,
  quiet: undefined,
  host: "localhost",
  port,
  implicitTls: false,
  username: undefined,
  from: "svcsync@example.com",
  to: ["one@example.com", "two@example.com"],
  caFile: pem("authority"),
  ...more,
});

const options = (url: string, more: Partial<WebhookOptions> = {}): WebhookOptions => ({
  name: "webhook",
  url,
  format: "json",
  key: undefined,
  proxy: undefined,
  userAgent: "svcsync/1",
  clock,
  ...more,
});

describe("e-mail", () => {
  it("is one message to all receivers, with cause, remedy and command", async () => {
    await using server = await startMailServer({ login: { user: "svcsync", password: "s3cret pass" } });
    using channel = openSmtp(settings(server.port, { username: "svcsync" }), "s3cret pass");
    await channel.send(digest, signal);
    expect(server.mails).toMatchObject([
      {
        from: "svcsync@example.com",
        to: ["one@example.com", "two@example.com"],
        subject: "[svcsync Müller AG] erp: the polls of 2 streams fail (and 1 other)",
      },
    ]);
    const [mail] = server.mails;
    expect(mail!.text.trimEnd()).toBe(lines.trimEnd());
    expect(mail!.headers).toContain("Auto-Submitted: auto-generated");
    expect(mail!.headers).toContain("Message-ID: <abc-1-2@svcsync.example.com>");
  });

  it("says that the password is wrong, without it", async () => {
    await using server = await startMailServer({ login: { user: "svcsync", password: "right" } });
    using channel = openSmtp(settings(server.port, { username: "svcsync" }), "wrong-password");
    const sending = channel.send(digest, signal);
    await expect(sending).rejects.toMatchObject({
      code: "E_NOTIFY_LOGIN",
      message: expect.stringMatching(
        /^the mail server localhost:\d+ refused the login: .*Invalid username or password/,
      ),
    });
    await expect(sending).rejects.not.toThrow(/wrong-password/);
    expect(server.mails).toEqual([]);
  });

  it("names the receiver that the server refuses", async () => {
    await using server = await startMailServer({ refuses: "one@example.com" });
    using channel = openSmtp(settings(server.port, { to: ["one@example.com"] }), undefined);
    await expect(channel.send(digest, signal)).rejects.toMatchObject({
      code: "E_NOTIFY_REFUSED",
      message: expect.stringContaining("No such user here"),
    });
  });

  it("says that nothing listens there", async () => {
    const port = await freePort();
    using channel = openSmtp(settings(port), undefined);
    await expect(channel.send(digest, signal)).rejects.toMatchObject({
      code: "E_NOTIFY_UNREACHABLE",
      message: expect.stringMatching(`^the mail server localhost:${port} cannot be used: .*ECONNREFUSED`),
    });
  });

  it("does not trust a certificate of an unknown authority", async () => {
    await using server = await startMailServer();
    using channel = openSmtp(settings(server.port, { caFile: undefined }), undefined);
    await expect(channel.send(digest, signal)).rejects.toMatchObject({ code: "E_NOTIFY_UNREACHABLE" });
    expect(server.mails).toEqual([]);
  });
});

describe("a webhook", () => {
  it("carries a signature over timestamp and body that a receiver can verify", async () => {
    const got: Record<"body" | "timestamp" | "signature" | "id", unknown>[] = [];
    await using server = await localServer((request, response) => {
      void text(request).then((body) => {
        const {
          "x-svcsync-timestamp": timestamp,
          "x-svcsync-signature": signature,
          "x-svcsync-id": id,
        } = request.headers;
        got.push({ body, timestamp, signature, id });
        return response.writeHead(204).end();
      });
    });
    using channel = openWebhook(options(`${server.url}/in`, { key: "0123456789abcdef" }));
    await channel.send(digest, signal);
    const { body, timestamp, signature, id } = got[0]!;
    // What docs/notifications.md tells a receiver to do.
    const expected = createHmac("sha256", "0123456789abcdef")
      .update(`${String(timestamp)}.${String(body)}`)
      .digest("hex");
    expect(signature).toBe(`sha256=${expected}`);
    expect(Number(timestamp) * 1000).toBe(at);
    expect(id).toBe("abc-1-2");
    expect(JSON.parse(String(body))).toMatchObject({
      version: 1,
      id: "abc-1-2",
      from: "Müller AG",
      at: "2026-11-20T22:15:00.000Z",
      severity: "problem",
      entries: [
        {
          change: "begun",
          kind: "failing",
          sinceAt: "2026-11-20T22:14:00.000Z",
          remedy: 'Correct it, then "svcsync check".',
        },
        { change: "resolved", kind: "queue", untilAt: "2026-11-20T21:45:00.000Z" },
      ],
    });
  });

  it("speaks to Slack in text without markup of its own, and to Teams in an Adaptive Card", async () => {
    const got: unknown[] = [];
    await using server = await localServer((request, response) => {
      void json(request).then((body) => {
        got.push(body);
        return response.end("ok");
      });
    });
    using slack = openWebhook(options(server.url, { name: "chat", format: "slack" }));
    using teams = openWebhook(options(server.url, { name: "chat", format: "teams" }));
    await slack.send(digest, signal);
    await teams.send(digest, signal);
    expect(got[0]).toEqual({
      text: `*svcsync Müller AG: ${digest.subject}*\n${lines.replace("<alice> & Co.", "&lt;alice&gt; &amp; Co.")}`,
    });
    expect(got[1]).toMatchObject({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            body: [
              { text: `svcsync Müller AG: ${digest.subject}` },
              { text: expect.stringContaining("Cause: the ERP refused the key") },
              { text: expect.stringContaining("Resolved: the queue") },
            ],
          },
        },
      ],
    });
  });

  const hostile =
    "@channel @here, <!channel> <@U123> <#C1|x> <https://evil.example|log in>, *bold* _italic_ ~gone~ `code` [log in](https://evil.example) ![x](https://evil.example/x.png)\n# Heading\n> quote\n- list";

  it.each(["slack", "teams"] as const)("lets no text of the service mention or format: %s", async (format) => {
    const got: string[] = [];
    await using server = await localServer((request, response) => {
      void text(request).then((body) => {
        got.push(body);
        return response.end("ok");
      });
    });
    using chat = openWebhook(options(server.url, { name: "chat", format }));
    const [entry] = digest.entries;
    const keys = 'svcsync retry "customers/a_b@example.com" (E_SOURCE_LOGIN)';
    const texts = { title: hostile, cause: hostile, affected: hostile, remedy: `${keys} ${hostile}` };
    await chat.send({ ...digest, from: hostile, subject: hostile, entries: [{ ...entry!, ...texts }] }, signal);

    const body = got[0]!.replace(/^\{"text":"\*/, "").replace("*\\n", "");
    for (const markup of [
      "@channel",
      "@here",
      "<!",
      "<@",
      "<#",
      "*",
      "~",
      "`",
      "_italic",
      "italic_",
      "](",
      "\\n#",
      "\\n>",
      "\\n&gt;",
      "\\n-",
    ])
      expect(body).not.toContain(markup);
    // What people copy stays as it is.
    expect(body).toContain('svcsync retry \\"customers/a_b@example.com\\" (E_SOURCE_LOGIN)');
  });

  it.each([
    ["slack", (body: string) => JSON.parse(body).text.length, 4_000],
    ["teams", (body: string) => Buffer.byteLength(body), 28_000],
  ] as const)(
    "cuts a message at what the chat takes, and says how much is left out: %s",
    async (format, sizeOf, limit) => {
      const got: string[] = [];
      await using server = await localServer((request, response) => {
        void text(request).then((body) => {
          got.push(body);
          return response.end("ok");
        });
      });
      using chat = openWebhook(options(server.url, { name: "chat", format }));
      const [entry] = digest.entries;
      const many = Array.from({ length: 20 }, (_, at) => ({
        ...entry!,
        title: `cause ${at}`,
        cause: "ü<&>".repeat(500),
      }));
      await chat.send({ ...digest, entries: many, more: 7 }, signal);
      await chat.send({ ...digest, entries: [{ ...entry!, cause: "ü😀<".repeat(30_000) }, many[1]!] }, signal);

      for (const body of got) expect(sizeOf(body)).toBeLessThanOrEqual(limit);
      const shown = new Set(got[0]!.match(/cause \d+/g)).size;
      expect(shown).toBeLessThan(20);
      expect(got[0]).toContain(`And ${27 - shown} more causes: \\"svcsync records\\" lists them.`);
      expect(got[1]).toMatch(/… \([\d,]+ characters left out\)/);
      expect(got[1]).toContain("And 1 more cause: ");
      // As much as fits is shown.
      expect(sizeOf(got[1]!)).toBeGreaterThan(limit * 0.99);
    },
  );

  it.each([
    [404, "E_NOTIFY_REFUSED"],
    [302, "E_NOTIFY_REFUSED"],
    [403, "E_NOTIFY_LOGIN", "; expected 2xx: correct NOTIFY_WEBHOOK_KEY or NOTIFY_WEBHOOK_URL"],
    [429, "E_NOTIFY_UNREACHABLE"],
    [502, "E_NOTIFY_UNREACHABLE"],
  ])("that answers %d is not delivered: %s, without the secret path", async (status, code, remedy = "") => {
    await using server = await localServer((_, response) => {
      response.writeHead(status, { location: "https://example.com/" });
      response.end();
    });
    using channel = openWebhook(options(`${server.url}/services/T000/SECRET`));
    const sending = channel.send(digest, signal);
    const message = `localhost:${server.port} answered ${status} to the webhook message${remedy}`;
    await expect(sending).rejects.toMatchObject({ code, message });
  });

  it("that cannot be reached is named by its host alone", async () => {
    const port = await freePort();
    using channel = openWebhook(options(`http://localhost:${port}/services/T000/SECRET`));
    const sending = channel.send(digest, signal);
    await expect(sending).rejects.toMatchObject({
      code: "E_NOTIFY_UNREACHABLE",
      message: expect.stringMatching(`^localhost:${port} cannot be reached: no connection`),
    });
    await expect(sending).rejects.not.toThrow(/SECRET/);
  });
});
