import { describe, expect, it } from "vitest";
import { now, sampleHour, sampleStatus, sampleStreams } from "./sample-status.ts";
import { sampleWeb } from "./web-server.ts";

const HOUR = 3_600_000;

async function pageOf(status = sampleStatus()): Promise<string> {
  await using web = await sampleWeb({ status });
  return (await fetch(web.url)).text();
}

/** A script tests the channels. */
async function testedBy(status: ReturnType<typeof sampleStatus>, token = "a-token-of-the-page") {
  await using web = await sampleWeb({ status, access: { token: "a-token-of-the-page" } });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${web.url}/api/notify/test`, { method: "POST", headers });
  return [answer.status, await answer.json()];
}

describe("freshness on the page", () => {
  it("is the age of the oldest change that is not delivered, where there is one", async () => {
    expect((await pageOf()).match(/oldest undelivered change: 4 min old/g)).toHaveLength(1);
  });
});

describe("upkeep on the page", () => {
  const [customers] = sampleStreams;
  const channel = { name: "mail", waiting: 3 };

  it("tells the last verified backup while all is well", async () => {
    const page = await pageOf(sampleStatus({ streams: [] }));

    expect(page).toContain("All is well.");
    expect(page).toContain("last verified backup: 1 h ago, /backups/1.db");
    expect(page).not.toContain('class="problem"');
  });

  it("has a button that tests the channels, and shows what each of them said", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const form =
      /action="\/notify\/test">\s*<input type="hidden" name="csrf" value="([^"]*)"[\s\S]*?Send a test message \(email, chat\)/;
    const csrf = form.exec(await (await fetch(web.url)).text())![1]!;
    const body = new URLSearchParams({ csrf });
    const answer = await fetch(`${web.url}/notify/test`, { method: "POST", headers: { origin: web.url }, body });
    const text = await answer.text();
    expect([answer.status, status.retried]).toEqual([200, ["test by page"]]);
    expect(text).toContain("email: delivered");
    expect(text).toContain("chat: [redacted] was &lt;refused&gt; (E_NOTIFY_REFUSED)");
    expect(text).toContain("correct the address");
    expect(await pageOf({ ...sampleStatus(), channels: [] })).not.toContain("/notify/test");
  });

  it("answers a test of the channels as JSON, and says what to set up where there is none", async () => {
    const all = sampleStatus();
    expect(await testedBy(all)).toEqual([
      200,
      {
        channels: [
          { channel: "email", isDelivered: true },
          expect.objectContaining({ channel: "chat", isDelivered: false, remedy: "correct the address" }),
        ],
      },
    ]);
    expect(await testedBy({ ...all, carryOut: async () => [] })).toEqual([
      409,
      { error: expect.stringContaining("No channel is set up. Set NOTIFY_EMAIL_TO") },
    ]);
    expect((await testedBy(sampleStatus(), "another"))[0]).toBe(401);
  });

  it("is amber where a backup, a comparison or a channel fails, for scripts too", async () => {
    const upkeep = {
      backup: { triedAt: now, failure: "disk full" },
      drift: { triedAt: now, comparedAt: now - HOUR, drifts: { customers: { changed: 2 } }, failure: "timeout" },
      channels: [{ ...channel, failure: { since: now - HOUR, attempts: 9, message: "no route to s3cret" } }],
    };
    await using web = await sampleWeb({ status: sampleStatus({ streams: [{ ...customers!, counts: {} }], upkeep }) });
    const page = await (await fetch(web.url)).text();
    const failures = [
      "the last backup failed: disk full",
      "the last comparison with the service failed: timeout",
      expect.stringMatching(/^messages by mail have not been delivered for 1 h \(3 waiting\): no route to (?!s3cret)/),
    ];

    expect(page).toContain("Records are delivered, but the upkeep fails.");
    expect(page).toContain("<p>The last backup failed: disk full.</p>");
    expect(page.match(/<li class="problem">/g)).toHaveLength(3);
    expect(page).toContain('2 differences, listed by <code class="command">svcsync reconcile</code>');
    expect(await (await fetch(`${web.url}/api/status`)).json()).toMatchObject({ problems: failures });
  });
});

describe("the bars of a stream", () => {
  it("show what was delivered in each of the last 24 hours, and say it in words", async () => {
    const page = await pageOf();
    const [bars] = /<svg[\s\S]*?<\/svg/.exec(page) ?? [];
    const heights = [...(bars ?? "").matchAll(/<rect [^>]*height="(\d+)"/g)].map(([, tall]) => Number(tall));

    expect(bars).toContain(
      "contacts: 1,203 records delivered in the last 24 hours, at most 1,200 in an hour, the last 2 hours ago",
    );
    // The highest bar is the whole height; three records beside 1,200 are still seen.
    expect(heights).toEqual([24, ...Array.from({ length: 20 }, () => 0), 1, 0, 0]);
  });

  it("count what reached the service alone", async () => {
    const hour = sampleHour(0, { created: 1, adopted: 1, updated: 1, deleted: 1, unchanged: 50, parked: 9 });
    const page = await pageOf({ ...sampleStatus(), history: () => Promise.resolve([hour]) });

    expect(page).toContain(
      "contacts: 4 records delivered in the last 24 hours, at most 4 in an hour, the last in this hour",
    );
    expect(page.match(/<svg/g)).toHaveLength(1);
  });
});
