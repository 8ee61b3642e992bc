import { scryptSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { hashPassword, type PageAccess } from "#web";
import { runCommand } from "#cli";
import { Readable, Writable } from "node:stream";
import { sampleStatus } from "./sample-status.ts";
import { EndedSessions } from "../../src/web/access/ended-sessions.ts";
import { Sessions } from "../../src/web/access/sessions.ts";
import { now } from "./sample-status.ts";
import { formOf, memoryNotes, sampleWeb } from "./web-server.ts";

const token = "a token of the page";
const records = "/records/tickets/T-2";

const [anna, rolf] = await Promise.all(["anna's password", "rolf's password"].map(hashPassword));
const users: PageAccess["users"] = [
  { name: "anna", role: "act", hash: anna! },
  { name: "rolf", role: "read", hash: rolf! },
];

/** The same people, whose passwords take no time to check. */
const cheapUsers: PageAccess["users"] = users.map(({ name, role }) => {
  const salt = Buffer.from("salt");
  const key = scryptSync(`${name}'s password`, salt, 32, { N: 16, r: 1, p: 1 });
  return { name, role, hash: `scrypt.4.1.1.${salt.toString("base64url")}.${key.toString("base64url")}` };
});

/** Logs in as a browser does; resolves to the answer and its cookie. */
async function login(url: string, fields: Readonly<Record<string, string>>, headers = {}) {
  const response = await fetch(`${url}/login`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { origin: url, ...headers },
    redirect: "manual",
  });
  const cookie = response.headers.get("set-cookie") ?? "";
  return { status: response.status, location: response.headers.get("location"), text: await response.text(), cookie };
}

const sent = (cookie: string) => ({ cookie: cookie.split(";")[0]! });

const proxied = (addresses: string[]): PageAccess => ({ proxy: { header: "x-user", addresses, role: "read" } });

/** Runs `svcsync page-password` with a pipe as its input. */
async function run(argv: readonly string[], input: string) {
  let stdout = "";
  let stderr = "";
  const code = await runCommand(["page-password", ...argv], {
    stdout: new Writable({ write: (chunk, _, done) => ((stdout += String(chunk)), done()) }),
    stderr: new Writable({ write: (chunk, _, done) => ((stderr += String(chunk)), done()) }),
    stdin: Readable.from([input]),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}

describe("a page with credentials", () => {
  it("leads to the login and back to where one wanted to go", async () => {
    await using web = await sampleWeb({ access: { token } });
    const asked = await fetch(`${web.url}/records?stream=a%26b`, { redirect: "manual" });
    expect([asked.status, asked.headers.get("location")]).toEqual([303, "/login?next=%2Frecords%3Fstream%3Da%2526b"]);

    const { status, location, cookie } = await login(web.url, { password: token, next: "/records?stream=a%26b" });
    expect([status, location]).toEqual([303, "/records?stream=a%26b"]);
    expect(cookie).toMatch(/^svcsync_session_[\w-]{8}=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect((await fetch(web.url, { headers: sent(cookie) })).status).toBe(200);
  });

  it("keeps the cookie for https where the browser came over it", async () => {
    await using web = await sampleWeb({ access: { token } }, { names: ["sync.example.com"] });
    const headers = { origin: "https://sync.example.com", "sec-fetch-site": "same-origin" };

    expect((await login(web.url, { password: token }, headers)).cookie).toMatch(/; Secure$/);
  });

  it.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/a b", ""])(
    "leads to no other site: %j",
    async (next) => {
      await using web = await sampleWeb({ access: { token } });
      expect((await login(web.url, { password: token, next })).location).toBe("/");
    },
  );

  it("tells programs what to send, and takes the token from them", async () => {
    await using web = await sampleWeb({ access: { token } });
    const ask = (authorization: string) => fetch(`${web.url}/api/status`, { headers: { authorization } });
    const refused = await fetch(`${web.url}/api/status`);

    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("PAGE_TOKEN")]);
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
    expect((await ask(`Bearer ${token}x`)).status).toBe(401);
  });

  it("lets the right token in after any number of wrong ones from its address, a login too", async () => {
    await using web = await sampleWeb({ access: { token } });
    const ask = async (authorization: string) =>
      (await fetch(`${web.url}/api/status`, { headers: { authorization } })).status;
    for (let turn = 0; turn < 12; turn++) expect(await ask("Bearer a-stale-token-of-a-script")).toBe(401);

    expect(await ask(`Bearer ${token}`)).toBe(200);
    expect((await login(web.url, { password: token })).status).toBe(303);
  });

  it("answers a thousand guesses with one clear sentence, and lets the rightful user in", async () => {
    let now = 0;
    const proxy = { header: "x-user", addresses: ["127.0.0.1"], role: "read" } as const;
    await using web = await sampleWeb({ access: { token, proxy }, clock: { now: () => now } });
    const guess = (password: string, from: string) => login(web.url, { password }, { "x-forwarded-for": from });
    const statuses = new Map<number, number>();
    for (let turn = 0; turn < 1000; turn++) {
      const { status } = await guess(`guess ${turn}`, "203.0.113.9");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }

    expect([...statuses]).toEqual([
      [401, 10],
      [429, 990],
    ]);
    expect((await guess("one more", "203.0.113.9")).text).toBe(
      "Too many failed logins with this name from your address. Try again in 15 minutes.\n",
    );
    expect((await guess("one more", "198.51.100.7")).status).toBe(401);
    // Everybody behind a proxy may have one address: the token, which programs may send too, is never locked out.
    expect((await guess(token, "203.0.113.9")).status).toBe(303);
    now += 15 * 60_000;
    expect((await guess("one more", "203.0.113.9")).status).toBe(401);
  });

  it("locks out one user at one address, and neither others there nor that user elsewhere", async () => {
    let at = 0;
    const proxy = { header: "x-user", addresses: ["127.0.0.1"], role: "read" } as const;
    await using web = await sampleWeb({ access: { users: cheapUsers, proxy }, clock: { now: () => at } });
    const enter = async (user: string, password: string, from: string) =>
      (await login(web.url, { user, password }, { "x-forwarded-for": from })).status;
    for (let turn = 0; turn < 10; turn++) await enter("anna", `guess ${turn}`, "203.0.113.9");

    expect(await enter("anna", "anna's password", "203.0.113.9")).toBe(429);
    expect(await enter("rolf", "rolf's password", "203.0.113.9")).toBe(303);
    expect(await enter("anna", "anna's password", "198.51.100.7")).toBe(303);
    at += 15 * 60_000;
    expect(await enter("anna", "anna's password", "203.0.113.9")).toBe(303);
  });

  it("counts by the address of the connection where no proxy is set, whatever a header says", async () => {
    await using web = await sampleWeb({ access: { users: cheapUsers } });
    const statuses: number[] = [];
    for (let turn = 0; turn < 11; turn++) {
      const headers = { "x-forwarded-for": `203.0.113.${turn}`, forwarded: `for=203.0.113.${turn}` };
      statuses.push((await login(web.url, { user: "anna", password: "guess" }, headers)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it("checks no more guesses that come at the same moment", async () => {
    await using web = await sampleWeb({ access: { users } });
    const guesses = Array.from({ length: 14 }, (_, turn) =>
      login(web.url, { user: "anna", password: `guess ${turn}` }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);

    expect([401, 429].map((status) => statuses.filter((each) => each === status).length)).toEqual([10, 4]);
  });

  it("knows people by name, and says no more of an unknown one than of a wrong password", async () => {
    await using web = await sampleWeb({ access: { users } });
    const answers = await Promise.all([
      login(web.url, { user: "anna", password: "wrong" }),
      login(web.url, { user: "nobody", password: "anna's password" }),
      login(web.url, { user: "", password: "" }),
    ]);

    for (const { status, text } of answers) expect([status, text]).toEqual([401, answers[0].text]);
    expect((await login(web.url, { user: "anna", password: "anna's password" })).status).toBe(303);
  });

  it("ends a session after twelve hours, and takes no cookie that it did not sign", async () => {
    let now = 0;
    await using web = await sampleWeb({ access: { token }, clock: { now: () => now } });
    const { cookie } = await login(web.url, { password: token });
    const status = async (headers: { cookie: string }) =>
      (await fetch(web.url, { headers, redirect: "manual" })).status;
    const [name, content = "", signature = ""] = sent(cookie).cookie.split(/[=.]/);
    const changed = Buffer.from(
      Buffer.from(content, "base64url")
        .toString()
        .replace(/"endsAt":\d+/, '"endsAt":9e15'),
    );

    expect(await status(sent(cookie))).toBe(200);
    expect(await status({ cookie: `${name}=${changed.toString("base64url")}.${signature}` })).toBe(303);
    expect(await status({ cookie: `${name}=` })).toBe(303);
    now = 12 * 3_600_000;
    expect(await status(sent(cookie))).toBe(303);
  });

  it("lets the role read look, and not act", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ access: { users }, status });
    const { cookie } = await login(web.url, { user: "rolf", password: "rolf's password" });
    const page = await fetch(web.url + records, { headers: sent(cookie) });
    const act = await fetch(`${web.url}${records}/retry`, {
      method: "POST",
      headers: { origin: web.url, ...sent(cookie) },
    });

    expect(await page.text()).not.toContain("/retry");
    expect([act.status, await act.text()]).toEqual([403, "your login may read; acting needs the role act\n"]);
    expect(status.retried).toEqual([]);
  });

  it("takes a form with the mark of its own session alone", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ access: { users, token }, status });
    const mine = await login(web.url, { user: "anna", password: "anna's password" });
    const other = await login(web.url, { password: token });
    const form = await formOf(`${web.url}${records}`, sent(mine.cookie));
    const post = (cookie: string, fields: Readonly<Record<string, string>>) =>
      fetch(web.url + form.action, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { origin: web.url, ...sent(cookie) },
        redirect: "manual",
      });

    for (const csrf of ["", "forged", form.fields["csrf"]!.slice(1)])
      expect((await post(mine.cookie, { ...form.fields, csrf })).status).toBe(403);
    expect((await post(other.cookie, form.fields)).status).toBe(403);
    expect(status.retried).toEqual([]);
    expect((await post(mine.cookie, form.fields)).status).toBe(303);
    expect(status.retried).toEqual(["tickets/T-2"]);
  });

  it("tells a person whose login ended before a form was sent that nothing was done, and leads back", async () => {
    for (const isPublic of [false, true]) {
      let at = 0;
      const status = sampleStatus();
      await using web = await sampleWeb({ access: { token, isPublic }, status, clock: { now: () => at } });
      const { cookie } = await login(web.url, { password: token });
      const form = await formOf(web.url + records, sent(cookie));
      at = 12 * 3_600_000;
      const answer = await fetch(web.url + form.action, {
        method: "POST",
        body: new URLSearchParams(form.fields),
        headers: { origin: web.url, referer: web.url + records, accept: "text/html", ...sent(cookie) },
      });
      const page = await answer.text();

      expect(answer.status).toBe(401);
      expect(page).toContain("nothing was done: your login has ended");
      expect(page).toContain('href="/login?next=%2Frecords%2Ftickets%2FT-2"');
      expect(status.retried).toEqual([]);
    }
  });

  it("leads back from a form that does not count any more: to load its answer would send it again", async () => {
    await using web = await sampleWeb();
    const answer = (referer: string) =>
      fetch(`${web.url}${records}/retry`, {
        method: "POST",
        body: new URLSearchParams({ csrf: "of other credentials" }),
        headers: { origin: web.url, referer, accept: "text/html" },
      }).then((response) => response.text());

    const page = await answer(web.url + records);
    expect(page).toContain("<h1>This was not done</h1>");
    expect(page).toContain("who may log in was changed");
    expect(page).toContain(`href="${records}"`);
    expect(await answer("https://evil.example//evil.example")).not.toContain('href="//evil.example"');
  });

  it("takes no session that was signed with what the store alone holds", async () => {
    const access = proxied(["127.0.0.1"]);
    await using web = await sampleWeb({ access });
    const clock = { now: () => now };
    const sessions = new Sessions(access, "of this store", clock, new EndedSessions(memoryNotes(), clock));
    const cookie = `${sessions.cookieName}=${sessions.begin({ name: "eve", role: "act" })}`;
    expect((await fetch(web.url, { headers: { cookie } })).status).not.toBe(200);
  });

  it("believes a proxy's header only from the proxy's address", async () => {
    const headers = { "x-user": "anna" };
    await using trusted = await sampleWeb({ access: proxied(["127.0.0.1"]) });
    await using foreign = await sampleWeb({ access: proxied(["10.0.0.5"]) });

    expect((await fetch(trusted.url, { headers })).status).toBe(200);
    expect((await fetch(trusted.url)).status).toBe(401);
    expect((await fetch(foreign.url, { headers })).status).toBe(401);
  });

  it("takes the sessions and forms of another replica with the same credentials and store alone", async () => {
    const status = sampleStatus();
    const shared = { access: { token }, status, pageSecret: "of one store" };
    await using mine = await sampleWeb(shared);
    await using replica = await sampleWeb(shared);
    await using elsewhere = await sampleWeb({ ...shared, pageSecret: "of another store" });
    await using renewed = await sampleWeb({ ...shared, access: { token: "another-token-of-the-page" } });
    const { cookie } = await login(mine.url, { password: token });
    const form = await formOf(mine.url + records, sent(cookie));
    const post = (url: string) =>
      fetch(url + form.action, {
        method: "POST",
        body: new URLSearchParams(form.fields),
        headers: { origin: url, ...sent(cookie) },
        redirect: "manual",
      });

    expect([(await post(elsewhere.url)).status, (await post(renewed.url)).status]).toEqual([401, 401]);
    expect(status.retried).toEqual([]);
    expect((await post(replica.url)).status).toBe(303);
    expect(status.retried).toEqual(["tickets/T-2"]);
  });

  it("lets a browser be logged in at two installations of one machine, whose cookies know no ports", async () => {
    await using one = await sampleWeb({ access: { token } });
    await using other = await sampleWeb({ access: { token }, pageSecret: "of another store" });
    const jar = new Map<string, string>();
    for (const { url } of [one, other]) {
      const [name = "", value = ""] = sent((await login(url, { password: token })).cookie).cookie.split("=");
      jar.set(name, value);
    }
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");

    for (const { url } of [one, other])
      expect((await fetch(url, { headers: { cookie }, redirect: "manual" })).status).toBe(200);
  });

  it("ends a session when asked", async () => {
    await using web = await sampleWeb({ access: { token } });
    const ended = await fetch(`${web.url}/logout`, {
      method: "POST",
      headers: { origin: web.url },
      redirect: "manual",
    });

    expect(ended.headers.get("set-cookie")).toMatch(/^svcsync_session_[\w-]{8}=; Path=\/; Max-Age=0;/);
  });

  it("takes no copy of a cookie after its owner logged out, at no replica and not after a restart", async () => {
    let at = 0;
    const notes = memoryNotes();
    const shared = { access: { token }, notes, clock: { now: () => at } };
    await using mine = await sampleWeb(shared);
    await using replica = await sampleWeb(shared);
    const [ended, other] = [await login(mine.url, { password: token }), await login(mine.url, { password: token })];
    const status = async (url: string, { cookie }: { cookie: string }) =>
      (await fetch(url, { headers: sent(cookie), redirect: "manual" })).status;
    const logout = (cookie: string) =>
      fetch(`${mine.url}/logout`, {
        method: "POST",
        headers: { origin: mine.url, cookie },
        redirect: "manual",
      });

    await logout(sent(ended.cookie).cookie);
    await logout(`${sent(other.cookie).cookie}x`);
    expect([await status(mine.url, ended), await status(replica.url, ended)]).toEqual([303, 303]);
    expect([await status(mine.url, other), await status(replica.url, other)]).toEqual([200, 200]);

    // Entries of sessions that have expired anyway are dropped.
    at = 12 * 3_600_000;
    const late = await login(mine.url, { password: token });
    await logout(sent(late.cookie).cookie);
    const kept = await notes.note({ name: "page/ended-sessions", schema: z.record(z.string(), z.number()) });
    expect(Object.values(kept ?? {})).toEqual([24 * 3_600_000]);
  });
});

describe("a page without credentials", () => {
  it("is closed where others reach the port, and says why; probes are answered", async () => {
    await using web = await sampleWeb({}, { host: "0.0.0.0" });
    const url = web.url.replace("0.0.0.0", "127.0.0.1");
    const closed = await fetch(url);

    expect([closed.status, await closed.text()]).toEqual([
      403,
      expect.stringMatching(/^The page is closed: .*PAGE_TOKEN/),
    ]);
    expect((await fetch(`${url}/api/records`)).status).toBe(403);
    for (const probe of ["healthz", "readyz", "metrics"]) expect((await fetch(`${url}/${probe}`)).status).toBe(200);
    expect(web.logger.lines).toMatchObject([{ level: "warn", message: "status page closed: it has no credentials" }]);
  });

  it("may be read by everybody if the operator says so; acting needs a login", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ access: { isPublic: true, token }, status }, { host: "0.0.0.0" });
    const url = web.url.replace("0.0.0.0", "127.0.0.1");

    const page = await fetch(url + records);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<a href="/login?next=%2Frecords%2Ftickets%2FT-2">Log in</a>'),
    ]);
    const act = await fetch(`${url}${records}/retry`, { method: "POST", headers: { origin: url } });
    expect(act.status).toBe(401);
    const { cookie } = await login(url, { password: token });
    expect(await (await fetch(url + records, { headers: sent(cookie) })).text()).toContain("/retry");
  });

  it("keeps probes to logins where the operator says so", async () => {
    await using web = await sampleWeb({ access: { token, probes: "alive" } });
    const headers = { authorization: `Bearer ${token}` };

    expect((await fetch(`${web.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${web.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${web.url}/metrics`, { headers })).status).toBe(200);
  });
});

describe("svcsync page-password", () => {
  it("prints a line with which one can log in", async () => {
    const { code, stdout } = await run(["maria", "--role", "read"], "a long password\n");
    const [name = "", role, hash = ""] = stdout.trim().split(":");
    await using web = await sampleWeb({ access: { users: [{ name, role: "read", hash }] } });

    expect([code, name, role]).toEqual([0, "maria", "read"]);
    expect(hash).toMatch(/^scrypt\.15\.8\.3\.[\w-]{22}\.[\w-]{43}$/);
    expect((await login(web.url, { user: "maria", password: "a long password" })).status).toBe(303);
  });

  it("refuses a short password and a name that a line cannot hold", async () => {
    expect(await run(["maria"], "short\n")).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining("at least 12"),
    });
    expect(await run(["ma:ria"], "a long password\n")).toMatchObject({ code: 64, stdout: "" });
  });
});
