import { describe, expect, it } from "vitest";
import { RetryError } from "#model";
import { Notifier, type Condition, type OpenChannel } from "#notify";
import type { Store } from "#store";
import { Redaction } from "#telemetry";
import { quietHours } from "../../src/settings/schema/quiet-hours.ts";
import type { Digest } from "../../src/notify/digest.ts";
import { SetClock } from "../kit/clock.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";
import { sqlitePlace, type SqlitePlace } from "../store/sqlite-place.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { signal } = new AbortController();

function condition(id: string, more: Partial<Condition> = {}): Condition {
  const facts = { kind: "held", severity: "problem", title: `${id} is held`, affected: id, patienceMs: 0 } as const;
  return { id, ...facts, ...more };
}

/** A channel that keeps what it is given, and refuses while it is dead. */
function channel(name: "email" | "chat", more: Partial<OpenChannel> = {}) {
  const got: Digest[] = [];
  const self = { isDead: false, attempts: 0, got };
  const open: OpenChannel = {
    min: "warning",
    quiet: undefined,
    ...more,
    channel: {
      name,
      send: async (digest) => {
        self.attempts += 1;
        if (self.isDead) throw new RetryError("E_NOTIFY_UNREACHABLE", "mail.example.com cannot be reached");
        got.push(digest);
      },
      [Symbol.dispose]: () => {},
    },
  };
  return Object.assign(self, { open });
}

interface Scene extends AsyncDisposable {
  readonly place: SqlitePlace;
  readonly clock: SetClock;
  readonly store: Store;
}

async function scene(...secrets: string[]): Promise<Scene> {
  const place = await sqlitePlace();
  const clock = new SetClock();
  const { redact } = new Redaction(secrets);
  const store = await place.open({ as: "daemon", clock, logger: silentLogger, redact });
  return {
    place,
    clock,
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

function notifierOf(
  { store, clock }: Pick<Scene, "store" | "clock">,
  channels: OpenChannel[],
  logger = memoryLogger(),
) {
  const redaction = new Redaction(["hunter2"]);
  const notifier = new Notifier({
    store: store.notices,
    channels,
    policy: { remindMs: 24 * HOUR, timezone: "UTC" },
    name: "Example",
    clock,
    logger,
    redact: redaction.redact,
  });
  const look = async (...conditions: Condition[]) => {
    await notifier.look(conditions);
    notifier.deliver(signal);
    await notifier.settled();
  };
  return { notifier, look, logger };
}

const said = ({ got }: { got: Digest[] }) =>
  got.map(({ entries }) => entries.map(({ change, title }) => `${change} ${title}`));

describe("messages", () => {
  it("are not repeated by a restart, and what was queued before it is not lost", async () => {
    await using place = await sqlitePlace();
    const clock = new SetClock();
    const email = channel("email");
    const open = () => place.open({ as: "daemon", clock, logger: silentLogger });
    {
      await using store = await open();
      const { look, notifier } = notifierOf({ store, clock }, [email.open]);
      await look(condition("customers"));
      // The kill comes between the look and the delivery.
      await notifier.look([condition("customers"), condition("tickets")]);
    }
    await using store = await open();
    const { look } = notifierOf({ store, clock }, [email.open]);
    await look(condition("customers"), condition("tickets"));
    await look(condition("customers"), condition("tickets"));
    expect(said(email)).toEqual([["begun customers is held"], ["begun tickets is held"]]);
  });

  it("tell nothing that ended while their channel was not in the settings", async () => {
    await using stage = await scene();
    const email = channel("email");
    email.isDead = true;
    await notifierOf(stage, [email.open]).look(condition("old"), condition("lasting"));
    email.isDead = false;
    const without = notifierOf(stage, []);
    await without.look(condition("lasting"));
    stage.clock.advance(3 * MINUTE);
    await without.look(condition("lasting"));
    const again = notifierOf(stage, [email.open]);
    await again.look(condition("lasting"));
    expect(said(email)).toEqual([["begun lasting is held"]]);
  });

  it("are none where all of it ended while their channel was not in the settings", async () => {
    await using stage = await scene();
    const email = channel("email");
    email.isDead = true;
    await notifierOf(stage, [email.open]).look(condition("old"));
    email.isDead = false;
    const without = notifierOf(stage, []);
    await without.look();
    stage.clock.advance(3 * MINUTE);
    await without.look();
    const again = notifierOf(stage, [email.open]);
    await again.look();
    expect(email.got).toEqual([]);
    expect(await stage.store.notices.queuedEvents("email")).toEqual([]);
  });

  it("are sent once where a weak password is the name of a stream", async () => {
    await using stage = await scene("customers", "email");
    const email = channel("email");
    const { look, notifier } = notifierOf(stage, [email.open]);
    for (let minute = 0; minute < 5; minute++) {
      await look(condition("held/customers"));
      stage.clock.advance(MINUTE);
    }
    expect(said(email)).toEqual([["begun held/[redacted] is held"]]);
    expect(await notifier.states()).toMatchObject([{ name: "email" }]);
  });

  it("hold no secret", async () => {
    await using stage = await scene();
    const email = channel("email");
    const { look } = notifierOf(stage, [email.open]);
    await look(condition("customers", { cause: "login with hunter2 failed", remedy: "see https://u:hunter2@erp/" }));
    expect(JSON.stringify(email.got)).not.toContain("hunter2");
    expect(email.got[0]!.entries[0]!.cause).toBe("login with [redacted] failed");
  });

  it("begin with what happened where it was too slight for the channel before, and say that it is worse elsewhere", async () => {
    await using stage = await scene();
    const all = channel("email", { min: "note" });
    const some = channel("chat", { min: "warning" });
    const { look } = notifierOf(stage, [all.open, some.open]);
    await look(condition("customers", { severity: "note" }));
    stage.clock.advance(MINUTE);
    await look(condition("customers"));
    expect(said(all)).toEqual([["begun customers is held"], ["grown customers is held"]]);
    expect(said(some)).toEqual([["begun customers is held"]]);
  });

  it("go to the channels whose least severity they reach", async () => {
    await using stage = await scene();
    const email = channel("email", { min: "problem" });
    const chat = channel("chat", { min: "note" });
    const { look } = notifierOf(stage, [email.open, chat.open]);
    await look(condition("a", { severity: "warning" }), condition("b"));
    expect(said(email)).toEqual([["begun b is held"]]);
    expect(said(chat)).toEqual([["begun b is held", "begun a is held"]]);
    expect(chat.got[0]!.subject).toBe("b is held (and 1 other)");
  });

  it("wait for the end of the quiet hours and are one then; what came and went meanwhile is said as over", async () => {
    await using stage = await scene();
    const { clock } = stage;
    const email = channel("email", { quiet: quietHours.parse("22:00-07:00") });
    const chat = channel("chat");
    const { look } = notifierOf(stage, [email.open, chat.open]);
    clock.advance(15 * HOUR);
    await look(condition("night"), condition("lasting"));
    clock.advance(HOUR);
    await look(condition("lasting"));
    clock.advance(3 * MINUTE);
    await look(condition("lasting"));
    expect(email.got).toEqual([]);
    expect(said(chat)).toHaveLength(2);
    clock.advance(8 * HOUR);
    await look(condition("lasting"));
    expect(said(email)).toEqual([["begun lasting is held", "resolved night is held"]]);
    expect(email.got[0]).toMatchObject({ severity: "problem", subject: "lasting is held" });
  });
});

describe("a channel that is dead", () => {
  it("keeps no other one waiting, is tried again with growing pauses, and tells all in one message when it is back", async () => {
    await using stage = await scene();
    const { clock } = stage;
    const email = channel("email");
    const chat = channel("chat");
    const { look, logger, notifier } = notifierOf(stage, [email.open, chat.open]);
    email.isDead = true;
    await look(condition("one"));
    expect(said(chat)).toEqual([["begun one is held"]]);
    for (let minute = 0; minute < 12 * 60; minute++) {
      clock.advance(MINUTE);
      await look(condition("one"), condition("two"));
    }
    // 30 s, 1 min, 2 min … an hour at most.
    expect(email.attempts).toBeGreaterThan(12);
    expect(email.attempts).toBeLessThan(40);
    expect(await notifier.states()).toMatchObject([
      { name: "chat" },
      { name: "email", failure: { message: "mail.example.com cannot be reached (E_NOTIFY_UNREACHABLE)" } },
    ]);
    expect(logger.count("notification was not delivered")).toBe(1);

    email.isDead = false;
    clock.advance(HOUR);
    await look(condition("one"), condition("two"));
    expect(said(email)).toEqual([["begun one is held", "begun two is held"]]);
    expect((await notifier.states()).find(({ name }) => name === "email")?.failure).toBeUndefined();
    expect(logger.count("notifications are delivered again")).toBe(1);
  });

  it("is tried again after the clock was set back", async () => {
    await using stage = await scene();
    const email = channel("email");
    const { look } = notifierOf(stage, [email.open]);
    email.isDead = true;
    await look(condition("one"));
    stage.clock.advance(-24 * HOUR);
    email.isDead = false;
    await look(condition("one"));
    expect(said(email)).toEqual([["begun one is held"]]);
  });

  it("is told by the others, not by itself", async () => {
    await using stage = await scene();
    const email = channel("email");
    const chat = channel("chat");
    const { look } = notifierOf(stage, [email.open, chat.open]);
    await look(condition("channel/email", { kind: "channel", severity: "warning", title: "e-mail is dead" }));
    expect([said(email), said(chat)]).toEqual([[], [["begun e-mail is dead"]]]);
  });

  it("does not hold up a look while it hangs", async () => {
    await using stage = await scene();
    const chat = channel("chat");
    const { promise: never, resolve: release } = Promise.withResolvers<void>();
    const hanging = {
      ...channel("email").open,
      channel: { name: "email" as const, send: () => never, [Symbol.dispose]() {} },
    };
    const { notifier } = notifierOf(stage, [hanging, chat.open]);
    const delivered = () => {
      notifier.deliver(signal);
      return said(chat);
    };
    await notifier.look([condition("one")]);
    await expect.poll(delivered).toEqual([["begun one is held"]]);
    await notifier.look([condition("one"), condition("two")]);
    await expect.poll(delivered).toEqual([["begun one is held"], ["begun two is held"]]);
    release();
    await notifier.settled();
  });
});
