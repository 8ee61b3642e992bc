import { describe, expect, it } from "vitest";
import { canonicalJson, type Json } from "#model";
import { DEFAULT_ACCOUNT, startSandbox, type Sandbox, type SandboxOptions } from "#sandbox";
import type { KeptSession, SessionCell } from "#service";
import { SetClock } from "../kit/clock.ts";
import { never, thrownBy } from "../kit/outcome.ts";
import { open, passwordLogin, secrets, type Opened } from "./stand-in.ts";

const MINUTE_MS = 60_000;
const password = DEFAULT_ACCOUNT.password;

/** What a store keeps: text, replaced only by who knows it. */
class Cell implements SessionCell {
  kept: string | undefined;
  /** Called before each replacement. */
  meanwhile: (() => void) | undefined;

  load(): Promise<KeptSession | undefined> {
    return Promise.resolve(this.kept === undefined ? undefined : JSON.parse(this.kept));
  }

  replace(known: KeptSession | undefined, next: KeptSession): Promise<boolean> {
    this.meanwhile?.();
    const isKnown = textOf(known) === textOf(this.kept === undefined ? undefined : JSON.parse(this.kept));
    if (isKnown) this.kept = textOf(next);
    return Promise.resolve(isKnown);
  }

  /** What the store does when it frees the records of a lost daemon. */
  revoke(): void {
    this.kept = JSON.stringify({ ...JSON.parse(this.kept ?? "{}"), revoked: true });
  }
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const plain: Json = JSON.parse(JSON.stringify(value));
  return canonicalJson(plain);
}

interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly cell: Cell;
  readonly daemon: (more?: Parameters<typeof open>[2], username?: string) => Opened;
  readonly logins: () => number;
}

async function stage(options: SandboxOptions = {}): Promise<Stage> {
  const sandbox = await startSandbox(options);
  const cell = new Cell();
  const daemons: Opened[] = [];
  return {
    sandbox,
    cell,
    daemon: (more = {}, username = DEFAULT_ACCOUNT.username) => {
      const given = { ...secrets, servicePassword: password };
      const opened = open(
        sandbox.url,
        { login: { ...passwordLogin, username } },
        { secrets: given, session: cell, ...more },
      );
      daemons.push(opened);
      return opened;
    },
    logins: () => sandbox.ledger.count({ method: "POST", resource: "login" }),
    async [Symbol.asyncDispose]() {
      for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

const toldFence = ({ log }: Opened) =>
  log
    .filter(({ message }) => message === "fence against late writes of a lost daemon")
    .map(({ fields }) => fields["fence"]);

describe("a session that daemons share", () => {
  it("takes one login, and one more to prove the fence; a restart takes none", async () => {
    await using scene = await stage();
    const daemons = [scene.daemon(), scene.daemon(), scene.daemon()];
    await Promise.all(daemons.map(({ service }) => service.ping(never)));
    expect(scene.logins()).toBe(2);
    expect(daemons.map(toldFence)).toEqual([["logout"], ["logout"], ["logout"]]);
    const restarted = scene.daemon();
    await restarted.service.ping(never);
    expect(scene.logins()).toBe(2);
  });

  it("is kept so that who reads the store learns no token", async () => {
    await using scene = await stage();
    const hidden: string[] = [];
    await scene.daemon({ hide: (...texts) => void hidden.push(...texts) }).service.ping(never);
    for (const secret of [...hidden, password]) expect(scene.cell.kept).not.toContain(secret);
    expect(hidden.length).toBeGreaterThan(0);
  });

  it("is renewed once when its token dies, and the others take the new one", async () => {
    await using scene = await stage();
    const daemons = [scene.daemon(), scene.daemon(), scene.daemon()];
    await Promise.all(daemons.map(({ service }) => service.ping(never)));
    scene.sandbox.tokens.revoke();
    await Promise.all(daemons.map(({ service }) => service.ping(never)));
    expect(scene.logins()).toBe(3);
  });

  it("is begun anew by who has another password, and a refusal of the old one does not count for that one", async () => {
    await using scene = await stage();
    await scene.daemon().service.ping(never);
    const kept = scene.cell.kept;
    const mistaken = scene.daemon({ secrets: { ...secrets, servicePassword: "wrong" } });
    expect(await thrownBy(mistaken.service.ping(never))).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
    expect(scene.cell.kept).not.toBe(kept);
    await scene.daemon().service.ping(never);
    expect(scene.logins()).toBe(3);
  });

  it("never sends a password that was refused again, whichever daemon asks, until an hour has passed", async () => {
    await using scene = await stage();
    const clock = new SetClock(Date.now());
    const wrong = { secrets: { ...secrets, servicePassword: "wrong" }, clock };
    for (let turn = 0; turn < 5; turn++) {
      const thrown = await thrownBy(scene.daemon(wrong).service.ping(never));
      expect(thrown).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
    }
    expect(scene.logins()).toBe(1);
    clock.at += 61 * MINUTE_MS;
    await thrownBy(scene.daemon(wrong).service.ping(never));
    expect(scene.logins()).toBe(2);
  });

  it("leaves one token behind when it is renewed, also where logins end no other: a lost daemon may still use the former one", async () => {
    await using scene = await stage({ tokenName: "shared" });
    const clock = new SetClock(Date.now());
    const mine = () => scene.sandbox.tokens.list().filter(({ name }) => name === "svcsync");
    const { service } = scene.daemon({ clock });
    await service.ping(never);
    expect(mine()).toHaveLength(1);
    const logins = scene.logins();
    clock.at += 24 * 60 * MINUTE_MS;
    await service.ping(never);
    expect(scene.logins()).toBe(logins + 1);
    await expect.poll(() => mine().length).toBe(1);
  });

  it("keeps the former token until it has ended: one that could not be logged out is ended with the session", async () => {
    await using scene = await stage({ tokenName: "shared" });
    const clock = new SetClock(Date.now());
    const mine = () => scene.sandbox.tokens.list().filter(({ name }) => name === "svcsync");
    const [lost, next] = [scene.daemon({ clock }), scene.daemon()];
    await lost.service.ping(never);
    // The daemon is lost, or cut off from the service, before the former token is logged out.
    scene.sandbox.faults.add({ kind: "cut", resource: "logout", when: "before" });
    clock.at += 24 * 60 * MINUTE_MS;
    await lost.service.ping(never);
    await expect.poll(() => scene.sandbox.ledger.count({ resource: "logout" })).toBeGreaterThan(1);
    expect(mine()).toHaveLength(2);
    scene.sandbox.faults.clear();
    const former = mine();
    scene.cell.revoke();
    await next.service.fence();
    expect(next.log.map(({ message }) => message)).toContain("ended the session of a lost daemon");
    for (const token of former) expect(mine()).not.toContainEqual(token);
    expect(mine()).toHaveLength(1);
  });

  it("forgets the former token once it has ended", async () => {
    await using scene = await stage({ tokenName: "shared" });
    const clock = new SetClock(Date.now());
    const { service } = scene.daemon({ clock });
    await service.ping(never);
    clock.at += 24 * 60 * MINUTE_MS;
    await service.ping(never);
    await expect.poll(() => scene.cell.kept).not.toContain("former");
  });

  it("counts as open until it expires where a daemon with another login may still use its own token", async () => {
    const another = { username: "another", password: "another password" };
    await using scene = await stage({ accounts: [DEFAULT_ACCOUNT, another] });
    const lost = scene.daemon({ secrets: { ...secrets, servicePassword: another.password } }, another.username);
    await lost.service.ping(never);
    const next = scene.daemon();
    await next.service.ping(never);
    scene.cell.revoke();
    await next.service.fence();
    expect(next.log.map(({ message }) => message)).not.toContain("ended the session of a lost daemon");
    expect(next.service.exposedMs()).toBeGreaterThan(0);
  });

  it("is not stored by a login during which it was revoked: that one's token is ended", async () => {
    await using scene = await stage();
    const one = scene.daemon();
    let replacements = 0;
    // The first replacement takes the right to log in, the second brings the token.
    scene.cell.meanwhile = () => {
      if (++replacements === 2) scene.cell.revoke();
    };
    await one.service.ping(never);
    expect(JSON.parse(scene.cell.kept ?? "")).not.toHaveProperty("revoked");
    expect(scene.sandbox.tokens.list().filter(({ kind }) => kind === "login")).toHaveLength(1);
  });
});

describe("the fence", () => {
  it.each([
    { switches: {}, fence: "logout" },
    { switches: { logout: "ignored" }, fence: "token name" },
    { switches: { logout: "ignored", tokenName: "shared" }, fence: "expiry 5 min" },
  ] as const)("is proven by logins of its own: $fence", async ({ switches, fence }) => {
    await using scene = await stage(switches);
    await using alone = open(
      scene.sandbox.url,
      { login: passwordLogin },
      { secrets: { ...secrets, servicePassword: password } },
    );
    await alone.service.ping(never);
    const [mine] = scene.sandbox.tokens.list().filter(({ name }) => name === "svcsync");
    expect(await alone.service.proveFence()).toBe(fence);
    expect(scene.sandbox.tokens.list()).toContainEqual(mine);
    expect(scene.logins()).toBeLessThanOrEqual(3);
  });

  it.each([{}, { logout: "ignored" }] as const)(
    "ends the token of a lost daemon, and no other is lost: %j",
    async (switches) => {
      await using scene = await stage(switches);
      const [lost, next] = [scene.daemon(), scene.daemon()];
      await Promise.all([lost.service.ping(never), next.service.ping(never)]);
      const [token] = scene.sandbox.tokens.list().filter(({ name }) => name === "svcsync");
      scene.cell.revoke();
      await next.service.fence();
      expect(next.service.exposedMs()).toBe(0);
      expect(next.log.map(({ message }) => message)).toContain("ended the session of a lost daemon");
      expect(scene.sandbox.tokens.list()).not.toContainEqual(token);
      const before = scene.logins();
      await next.service.fence();
      await lost.service.ping(never);
      expect(scene.logins()).toBe(before);
    },
  );

  it("is carried out by the first request of a daemon that takes over", async () => {
    await using scene = await stage();
    await scene.daemon().service.ping(never);
    scene.cell.revoke();
    const next = scene.daemon();
    await next.service.ping(never);
    expect(next.log.map(({ message }) => message)).toContain("ended the session of a lost daemon");
    const requests = scene.sandbox.ledger.requests({}).map(({ resource, status }) => [resource, status]);
    expect(requests.slice(-4)).toEqual([
      ["logout", 200],
      ["login", 200],
      ["customer", 401],
      ["customer", 200],
    ]);
  });

  it("is the end of a short life where nothing ends a token", async () => {
    await using scene = await stage({ logout: "ignored", tokenName: "shared" });
    const [lost, next] = [scene.daemon(), scene.daemon()];
    await Promise.all([lost.service.ping(never), next.service.ping(never)]);
    const lives = scene.sandbox.tokens.list().filter(({ name }) => name === "svcsync");
    expect(lives).toHaveLength(1);
    expect((lives[0]?.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(5 * MINUTE_MS);
    scene.cell.revoke();
    await next.service.fence();
    const exposedMs = next.service.exposedMs();
    expect(exposedMs).toBeGreaterThan(4 * MINUTE_MS);
    expect(exposedMs).toBeLessThan(6 * MINUTE_MS);
    expect(next.log.map(({ message }) => message)).toContain("session of a lost daemon stays valid until it expires");
  });

  it("is none with a static token, and says so", async () => {
    await using scene = await stage();
    const opened = scene.daemon({ secrets });
    await using plain = open(scene.sandbox.url, {}, { secrets, session: scene.cell });
    expect(toldFence(plain)).toEqual(["none (static SERVICE_TOKEN)"]);
    await plain.service.fence();
    expect(plain.service.exposedMs()).toBe(0);
    expect(await plain.service.proveFence()).toBe("none (static SERVICE_TOKEN)");
    expect(scene.logins()).toBe(0);
    expect(toldFence(opened)).toEqual([]);
  });
});
