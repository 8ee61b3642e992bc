import { describe, expect, it } from "vitest";
import { now, sampleGroup, sampleNote, sampleRecord, sampleSides, sampleStatus } from "./sample-status.ts";
import { formOf, sampleWeb } from "./web-server.ts";

const token = "a-token-of-the-page";

/** Sends a form as a page of the server would. */
async function send(url: string, path: string, fields: Readonly<Record<string, string>>) {
  const { fields: mark } = await formOf(`${url}/records/tickets/T-2`);
  const body = new URLSearchParams({ csrf: mark["csrf"]!, ...fields });
  const response = await fetch(url + path, { method: "POST", headers: { origin: url }, body, redirect: "manual" });
  return { status: response.status, location: response.headers.get("location"), text: await response.text() };
}

/** Sends JSON as a script would. */
async function call(url: string, path: string, body: object, headers = {}) {
  const response = await fetch(`${url}/api${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe("acts on the page", () => {
  it("offer to create again what was deleted in the service, although it is still bound", async () => {
    const error = { code: "E_RECORD_GONE", message: "customer 4711 no longer exists", details: {} } as const;
    const parked = sampleRecord({ stream: "customers", key: "10023" }, { state: "parked", error });
    const record = async (state: typeof parked, create?: "never") => {
      const sides = { obstacles: [], sides: sampleSides(state, false), history: [], exchanges: [] };
      await using web = await sampleWeb({
        status: { ...sampleStatus(), record: async () => ({ record: state, create, ...sides }) },
      });
      return (await fetch(`${web.url}/records/customers/10023`)).text();
    };

    expect(await record(parked)).toMatch(/Create it again[\s\S]*action="\/records\/customers\/10023\/create"/);
    expect(await record({ ...parked, error: { ...error, code: "E_SERVICE_REFUSED" } })).not.toContain("/10023/create");
    expect(await record(parked, "never")).not.toContain("/10023/create");
  });

  it.each([
    ["/records/tickets/T-2/skip", { why: "not ours" }, "skip tickets/T-2 by page: not ours", "/records/tickets/T-2"],
    ["/records/customers/10023/reread", {}, "reread customers/10023 by page", "/records/customers/10023"],
    [
      "/records/tickets/T-1/create",
      { why: "looked", confirm: "yes" },
      "create tickets/T-1 by page: looked",
      "/records/tickets/T-1",
    ],
    [
      "/records/customers/10023/unbind",
      { why: "wrong", confirm: "yes" },
      "unbind customers/10023 by page: wrong",
      "/records/customers/10023",
    ],
    [
      "/records/customers/10023/watch",
      { minutes: "10" },
      'watch customers/10023 {"minutes":10} by page',
      "/records/customers/10023",
    ],
    [
      "/records/customers/10023/forget",
      { why: "request 17", confirm: "yes" },
      "forget customers/10023 by page: request 17",
      "/records/customers/10023",
    ],
    [
      "/streams/customers/files",
      { name: "a.csv", why: "typed in by hand", confirm: "yes" },
      'files customers {"name":"a.csv"} by page: typed in by hand',
      "/",
    ],
    [`/groups/${sampleGroup}/retry`, {}, `retry ${sampleGroup} by page`, "/"],
    [
      `/groups/${sampleGroup}/note`,
      { note: "ask Ben", owner: "", snoozeHours: "24" },
      `note ${sampleGroup} {"note":"ask Ben","owner":"","snoozeHours":24} by page`,
      "/",
    ],
    [
      `/groups/${sampleGroup}/note`,
      { owner: "ben", notedAt: "" },
      `note ${sampleGroup} {"owner":"ben","notedAt":"none"} by page`,
      "/",
    ],
    [`/groups/${sampleGroup}/note`, { note: "", snoozeHours: "same" }, `note ${sampleGroup} {"note":""} by page`, "/"],
    [
      "/streams/tickets/pause",
      { hours: "4", why: "upgrade" },
      'pause tickets {"hours":4,"polls":false} by page: upgrade',
      "/",
    ],
    ["/streams/tickets/pause", { hours: "1", polls: "yes" }, 'pause tickets {"hours":1,"polls":true} by page', "/"],
    ["/streams/tickets/poll", {}, "poll tickets by page", "/"],
    ["/streams/tickets/reread", {}, "reread tickets by page", "/"],
    ["/streams/tickets/resume", {}, "resume tickets by page", "/"],
    [
      "/streams/customers/deletions",
      { count: "60", why: "closed", confirm: "yes" },
      'deletions customers {"count":60} by page: closed',
      "/?act=deletions&count=60&stream=customers",
    ],
    [
      "/streams/customers/plan",
      { plan: "0a1b2c3d4e5f", why: "new names", confirm: "yes" },
      'plan customers {"plan":"0a1b2c3d4e5f"} by page: new names',
      "/?act=plan&count=3980&stream=customers",
    ],
    [
      "/streams/tickets/adopt",
      { why: "looked", confirm: "yes" },
      'adopt tickets {"decision":"adopt"} by page: looked',
      "/",
    ],
    [
      "/streams/tickets/adopt",
      { decision: "create-all", why: "all new", confirm: "yes" },
      'adopt tickets {"decision":"create-all"} by page: all new',
      "/",
    ],
    ["/adoption/compare", {}, "compare by page", "/adoption"],
  ])("are done once and lead back: %s", async (path, fields: Record<string, string>, done, next) => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const answer = await send(web.url, path, fields);

    expect([answer.status, answer.location]).toEqual([303, next]);
    expect(status.retried).toEqual([done]);
  });

  it.each([
    "/records/tickets/T-1/create",
    "/records/customers/10023/unbind",
    "/records/customers/10023/forget",
    "/streams/customers/deletions",
    "/streams/customers/plan",
    "/streams/tickets/adopt",
  ])("that are not simply undone want a reason and a second yes: %s", async (path) => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });

    expect(await send(web.url, path, { confirm: "yes" })).toMatchObject({
      status: 409,
      text: expect.stringMatching(/nothing was done: give the reason/),
    });
    expect(await send(web.url, path, { why: "x" })).toMatchObject({
      status: 409,
      text: expect.stringMatching(/nothing was done: the confirmation is missing/),
    });
    expect(status.retried).toEqual([]);
  });

  it("are sent with what the page showed: the create that was looked for, the wrong binding, the note of then", async () => {
    const pages = ["/records/tickets/T-1", "/records/customers/10023", "/"];
    await using web = await sampleWeb();
    const [uncertain, bound, start] = await Promise.all(
      pages.map(async (path) => (await fetch(web.url + path)).text()),
    );
    const begunAt = new Date(now - 20 * 60_000).toISOString();

    expect(uncertain).toMatch(
      new RegExp(`T-1/create"[^/]*/>\\s*<input type="hidden" name="begunAt" value="${begunAt}"`),
    );
    expect(start).toContain(`name="notedAt" value="${new Date(sampleNote.at).toISOString()}"`);
    expect(bound).toMatch(/10023\/unbind"[^/]*\/>\s*<input type="hidden" name="serviceId" value="4711"/);
  });

  it.each([
    [
      "tickets/T-1/create",
      { begunAt: "2026-01-05T08:00:00.000Z" },
      `create tickets/T-1 {"begunAt":${Date.UTC(2026, 0, 5, 8)}}`,
    ],
    ["tickets/T-1/create", { begunAt: "" }, 'create tickets/T-1 {"begunAt":"none"}'],
    ["customers/10023/unbind", { serviceId: "4711" }, 'unbind customers/10023 {"serviceId":4711}'],
  ])("say what they are about: %s %o", async (path, fields: Record<string, string>, done) => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const answer = await send(web.url, `/records/${path}`, { why: "looked", confirm: "yes", ...fields });

    expect([answer.status, status.retried]).toEqual([303, [`${done} by page: looked`]]);
  });

  it("show both sides before anything is bound", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const path = "/records/tickets/T-1/bind";
    const shown = await send(web.url, path, { serviceId: "900", why: "same" });

    expect([shown.status, status.retried]).toEqual([200, []]);
    expect(shown.text).toContain("Are these the same?");
    expect(shown.text).toContain("Pump leaks!");
    expect((await send(web.url, path, { serviceId: "900", why: "same", confirm: "yes" })).status).toBe(303);
    expect(status.retried).toEqual(['bind tickets/T-1 {"serviceId":900} by page: same']);
  });

  it("say why something was not done", async () => {
    await using web = await sampleWeb();
    const path = "/records/tickets/T-1/bind";

    expect(await send(web.url, path, { serviceId: "4711" })).toMatchObject({
      status: 409,
      text: expect.stringContaining("already belongs to customers/10023"),
    });
    expect(await send(web.url, path, { serviceId: "x" })).toMatchObject({
      status: 400,
      text: expect.stringContaining("whole number"),
    });
  });

  it.each([
    ["/records/tickets/T-9/skip", {}],
    ["/records/tickets/T-2/explode", {}],
    ["/streams/nothing/pause", { hours: "1" }],
    ["/groups/00000000/explode", {}],
  ])("know what there is: %s", async (path, fields: Record<string, string>) => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });

    expect((await send(web.url, path, fields)).status).toBe(404);
    expect(status.retried).toEqual([]);
  });

  it("show what people wrote down about a cause, with forms for those who may act", async () => {
    await using web = await sampleWeb();
    const page = await (await fetch(web.url)).text();

    expect(page).toContain(`<code>${sampleGroup}</code>`);
    expect(page).toContain("asked &lt;b&gt;Ben&lt;/b&gt;");
    expect(page).toMatch(/<dt>Owner<\/dt>\s*<dd>anna<\/dd>/);
    expect(page).toMatch(/Snoozed until[\s\S]*in 24 h/);
    expect(page).toContain(`action="/groups/${sampleGroup}/note"`);
    await using closed = await sampleWeb({ access: { token, isPublic: true } });
    const read = await (await fetch(closed.url)).text();
    expect(read).toContain("asked &lt;b&gt;Ben");
    expect(read).not.toContain('action="/groups/');
  });

  it("say that they may not be done where they failed on their way, and lead to where one sees it", async () => {
    const error = new Error("the disk failed");
    await using web = await sampleWeb({ status: { ...sampleStatus(), carryOut: () => Promise.reject(error) } });
    const { action, fields } = await formOf(`${web.url}/records/tickets/T-2`);
    const page = `${web.url}/records/tickets/T-2`;
    const answer = await fetch(web.url + action.replace("/retry", "/skip"), {
      method: "POST",
      headers: { origin: web.url, referer: page, accept: "text/html" },
      body: new URLSearchParams(fields),
    });

    const text = await answer.text();
    expect([answer.status, text]).toEqual([500, expect.stringContaining("This failed, and may not have been done")]);
    expect(text).toContain("Check whether it was done");
    expect(text).toContain('href="/records/tickets/T-2"');
    expect(text).not.toContain("cannot be shown");
  });

  it("send back what a form was filled with to the last mark", async () => {
    const text = '\u200fשלום "Ben" <b>\u200b';
    const filled = 'value="\u200fשלום &quot;Ben&quot; &lt;b&gt;\u200b"';
    const noted = async () => new Map([[sampleGroup, { ...sampleNote, note: text, owner: text }]]);
    await using web = await sampleWeb({ status: { ...sampleStatus(), groupNotes: noted } });
    const pageOf = async (path: string) => (await fetch(web.url + path)).text();

    expect(await pageOf("/")).toContain(`name="note" maxlength="500" ${filled}`);
    expect(await pageOf("/")).toMatch(new RegExp(`name="owner"[^>]* ${filled}`));
    expect(await pageOf(`/search?${new URLSearchParams({ q: text }).toString()}`)).toContain(filled);
    const bind = await send(web.url, "/records/tickets/T-1/bind", { serviceId: "900", why: text });
    expect(bind.text).toContain(`name="why" ${filled}`);
  });

  it.each([
    ["/groups/00000000/retry", {}, "there is no group 00000000", 409],
    ["/groups/00000000/note", { note: "x" }, "there is no group 00000000", 409],
    [`/groups/${sampleGroup}/note`, { snoozeHours: "soon" }, "expected a number of hours", 400],
    [`/groups/${sampleGroup}/note`, { snoozeHours: "-1" }, "expected a number of hours", 400],
    [`/groups/${sampleGroup}/note`, { note: "x".repeat(501) }, "at most 500 characters", 400],
    [`/groups/${sampleGroup}/note`, {}, "expected a note, an owner or snoozeHours", 400],
  ])("refuse what a group cannot take, and say why: %s", async (path, fields: Record<string, string>, text, code) => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });

    expect(await send(web.url, path, fields)).toMatchObject({ status: code, text: expect.stringContaining(text) });
    expect(status.retried).toEqual([]);
  });

  it.each([
    ["/records/tickets/T-2/retry", "nojson", "body: expected a JSON object"],
    ["/records/tickets/T-2/retry", "[]", "body: expected a JSON object"],
    ["/records/tickets/T-2/skip", '{"whyy":"x"}', "whyy: not known here, expected why, confirm"],
    ["/records/tickets/T-2/skip", '{"why":7}', "why: found 7, expected a text of at most 500 characters"],
    ["/records/tickets/T-2/watch", "", "minutes: found nothing, expected a number of minutes"],
    ["/streams/tickets/pause", '{"until":"18:00"}', "hours: found nothing, expected a number of hours"],
    [
      "/streams/tickets/pause",
      '{"hours":1,"until":"18:00"}',
      "until: not known here, expected hours, polls, why, confirm",
    ],
    ["/streams/tickets/pause", '{"hours":1,"polls":"no"}', 'polls: found "no", expected true, false or "yes"'],
    [`/groups/${sampleGroup}/note`, '{"snoozeHours":null}', "snoozeHours: found null, expected a number of hours"],
    [
      "/streams/customers/deletions",
      '{"count":"all","why":"x","confirm":true}',
      'count: found "all", expected a whole number from 0',
    ],
  ])("do nothing for a script that sends what they do not take: %s %s", async (path, body, error) => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${web.url}/api${path}`, { method: "POST", headers, body });

    expect([answer.status, await answer.json()]).toEqual([400, { error }]);
    expect(status.retried).toEqual([]);
  });

  it("are JSON for scripts with the token", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status, access: { token } });

    expect((await call(web.url, "/records/tickets/T-2/skip", { why: "by script" })).status).toBe(200);
    expect(status.retried).toEqual(["skip tickets/T-2 by PAGE_TOKEN: by script"]);
    const refused = await call(web.url, "/records/tickets/T-1/create", {});
    expect([refused.status, JSON.parse(refused.text)]).toEqual([409, { error: expect.stringContaining("reason") }]);
    expect((await call(web.url, "/records/tickets/T-2/skip", {}, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await call(web.url, "/records/tickets/T-2/skip", {}, { origin: "https://evil.example" })).status).toBe(403);
    expect((await call(web.url, "/records/tickets/T-2/skip", {}, { "content-type": "text/plain" })).status).toBe(403);
    expect(status.retried.length).toBe(1);
  });
});
