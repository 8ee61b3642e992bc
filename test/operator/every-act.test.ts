import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { errorFacts, type Return } from "#model";
import { testChannels } from "#notify";
import { acts, commandOf, givenBy, notedGroups, type Act, type DaemonSystems, type Targets } from "#operator";
import { loadSettings } from "#settings";
import { keepReports } from "../../src/pipeline/refused-files.ts";
import { heldNote } from "../../src/pipeline/notes.ts";
import { DeleteGuard } from "../../src/pipeline/holds/delete-guard.ts";
import { runCaptured } from "../cli/scene.ts";
import { written } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { openRigScene, streamsOf } from "../pipeline/delivery-rig.ts";
import { compared, sampleDeletions, samplePlan } from "../web/sample-decisions.ts";
import { sampleGroup, sampleRecords, sampleStatus, sampleStreams } from "../web/sample-status.ts";
import { heldReturns } from "../web/sample-returns.ts";
import { sampleWeb } from "../web/web-server.ts";
import { actsTable } from "./acts-table.ts";

const token = "a-token-of-the-page";

describe("the register of acts", () => {
  it("has each address once", () => {
    const addresses = acts.map(({ target, name, path }) => path ?? `${target} ${name}`);
    expect(new Set(addresses).size).toBe(acts.length);
  });
});

const named = acts.map((act) => [`${act.target} ${act.name}`, act] as const);

describe("every act in the command line", () => {
  it.each(named)("%s", async (_, act) => {
    const [name = "", option] = commandOf(act).split(" ");
    const { code, stdout } = await runCaptured([name, "--help"]);
    expect([code, stdout.split("\n")[0]]).toEqual([0, expect.stringMatching(new RegExp(`^Usage: svcsync ${name} `))]);
    for (const flag of ["--why", "--as", "--json", option].filter((flag) => flag !== undefined))
      expect(stdout).toMatch(new RegExp(`^ +${flag}[ \n]`, "m"));
  });
});

/** A status page on which every act may be done now. */
function busyStatus() {
  const [customers, contacts, tickets] = sampleStreams;
  const hold = { reason: "r", remedy: "m", needsPerson: true, polls: false } as const;
  const file = { name: "a.csv", code: "E_SOURCE_FILE", place: "line 1", reason: "x", at: 0 } as const;
  const streams = [
    { ...customers!, attention: ["a"], refusedFiles: [file], holds: [{ ...hold, kind: "change" as const }] },
    { ...contacts!, holds: [{ ...hold, kind: "pause" as const }] },
    tickets!,
  ];
  return {
    ...sampleStatus({ streams, returns: heldReturns }),
    adoption: () => compared,
    heldDeletions: async () => sampleDeletions,
  };
}

/** An address of the act on something that the sample has. */
const samples: Readonly<Record<Act["target"], string>> = {
  record: "/records/tickets/T-1",
  group: `/groups/${sampleGroup}`,
  stream: "/streams/customers",
  return: "/returns/reports/2",
  returnStream: "/returns/reports",
  installation: "/acts",
};
const addressOf = ({ target, name, path }: Act) =>
  path ?? `${samples[target]}/${name}${target === "return" ? "?subject=4711" : ""}`;

/** The addresses of all forms that a visitor is offered anywhere. */
async function offered(access: object): Promise<readonly string[]> {
  await using web = await sampleWeb({ status: busyStatus(), access });
  const records = sampleRecords.map(({ id }) => `/records/${id.stream}/${encodeURIComponent(id.key)}`);
  const returns = ["/returns/reports/2?subject=4711", "/returns/reports/1?subject=..%2F4712"];
  const paths = ["/", ...returns, "/adoption", "/streams/customers/plan", "/streams/customers/deletions", ...records];
  const pages = await Promise.all(paths.map(async (path) => (await fetch(web.url + path)).text()));
  return pages.flatMap((page) => [...page.matchAll(/method="post" action="([^"]+)"/g)].map(([, action]) => action!));
}

describe("every act on the page", async () => {
  const forms = await offered({});
  const own: Readonly<Record<Act["target"], string>> = {
    record: "/records/[^/]+/[^/]+",
    group: "/groups/[^/]+",
    stream: "/streams/[^/]+",
    return: "/returns/[^/]+/[^/]+",
    returnStream: "/returns/[^/]+",
    installation: "/acts",
  };

  it.each(named)("is offered: %s", (_, { target, name, path }) => {
    expect(forms).toContainEqual(
      expect.stringMatching(new RegExp(`^${path ?? `${own[target]}/${name}`}([?]subject=.*)?$`)),
    );
  });

  it("is offered to no one who may only read", async () => {
    expect(await offered({ token, isPublic: true })).toEqual([]);
  });
});

describe("every act as JSON", () => {
  it.each(named)("takes its own members, and needs the permission to act: %s", async (title, act) => {
    const done: Act[] = [];
    const status = busyStatus();
    const carryOut: typeof status.carryOut = async (...asked) => {
      done.push(asked[0]);
      return status.carryOut(...asked);
    };
    await using web = await sampleWeb({ status: { ...status, carryOut }, access: { token, isPublic: true } });
    const send = async (body: object, headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(`${web.url}/api${addressOf(act)}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const mayAct = { authorization: `Bearer ${token}` };
    const { sent } = preparations[title] ?? {};

    expect((await send({ ...sent, why: "looked", confirm: true }, {})).status).toBe(403);
    expect((await send({ ...sent, why: "looked", confirm: true, more: 1 }, mayAct)).text).toContain(
      "more: not known here",
    );
    expect((await send({ ...sent }, mayAct)).text.includes("give the reason (why)")).toBe(act.isFinal ?? false);
    done.length = 0;
    expect((await send({ ...sent, why: "looked", confirm: true }, mayAct)).status).toBe(200);
    expect(done).toEqual([act]);
  });
});

const id = { stream: "customers", key: "1" };

/** A store with one record, the service that it is delivered to, and what a daemon gives to acts. */
async function actingScene() {
  const scene = await openRigScene();
  const { rig, sandbox } = scene;
  const { store, service, clock } = rig;
  const streams = streamsOf(`
sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }
streams:
  customers:
    { source: erp, read: { table: customers, key: no }, resource: customer, match: [customerId], fields: { customerId: no, name: name } }
`);
  await rig.stage("customers", [{ kind: "upsert", key: "1", row: { no: "1", name: "One" } }]);
  const { settings, secrets } = loadSettings({
    envFile: "/dev/null",
    environment: { SERVICE_URL: sandbox.url, SERVICE_TOKEN: "t", NOTIFY_CHAT_URL: "http://127.0.0.1:1/" },
  });
  const source: DaemonSystems["sources"]["streams"] extends ReadonlyMap<string, infer Source> ? Source : never = {
    capabilities: { deletions: "feed" },
    async *changes() {},
    readOne: async () => ({ no: "1", name: "Uno" }),
    async *keys() {},
    keyless: async () => [],
    check: async () => [],
  };
  const systems: DaemonSystems = {
    store,
    service,
    streams,
    returns: [{ name: "reports", resource: "svcDocument", of: undefined }],
    sources: { streams: new Map([["customers", source]]) },
    matcher: { blindFields: async () => [] },
    planNow: async () => ({ ...samplePlan, stream: "customers" }),
    compareAdoption: async () => {},
    testChannels: (by, signal) => {
      const context = {
        settings: settings.notify,
        secrets,
        store,
        clock,
        version: "1",
        redact: (text: string) => text,
      };
      return testChannels(context, by, signal);
    },
  };
  const parked = async () => {
    const claim = await store.claim(id);
    await store.end(claim!, { kind: "park", error: { code: "E_SERVICE_REFUSED", message: "no", details: {} } });
  };
  const bound = async () => {
    const claim = (await store.claim(id))!;
    await store.begin(claim, { resource: "customer", projection: {} });
    await store.end(claim, {
      kind: "bind",
      binding: { resource: "customer", serviceId: 5 },
      applied: written({ name: "One" }, [], { outcome: "created" }),
    });
  };
  return { rig, systems, parked, bound, sandbox, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

type Acting = Awaited<ReturnType<typeof actingScene>>;

const itsReturn: Return = {
  stream: "reports",
  subject: "4711",
  version: 1,
  kind: "fact",
  serviceId: 4711,
  replaces: undefined,
  hash: "h",
  content: { fields: {}, lines: [] },
};

const aReturnIn =
  (kind: "held" | "uncertain") =>
  async ({ systems: { store } }: Acting) => {
    await store.returns.prepare(itsReturn, { state: "prepared" });
    await store.returns.ended(itsReturn, { kind, error: { code: "E_RETURN_UNCERTAIN", message: "no", details: {} } });
  };

/** How each act becomes possible, and what is sent with it. */
const preparations: Readonly<Record<string, { sent?: object; prepare?: (scene: Acting) => Promise<unknown> }>> = {
  "record retry": { prepare: ({ parked }) => parked() },
  "record bind": {
    sent: { serviceId: 4712 },
    prepare: async ({ sandbox }) => sandbox.seed("customer", [{ id: 4712, customerId: "1", name: "One" }]),
  },
  "record create": { prepare: ({ parked }) => parked() },
  "record skip": { prepare: ({ parked }) => parked() },
  "record unbind": { prepare: ({ bound }) => bound() },
  "record reread": {},
  "record watch": { sent: { minutes: 10 } },
  "record forget": { prepare: ({ bound }) => bound() },
  "group retry": { prepare: ({ parked }) => parked() },
  "group skip": { prepare: ({ parked }) => parked() },
  "group note": { sent: { note: "ask Ben" }, prepare: ({ parked }) => parked() },
  "stream resume": {
    prepare: ({ systems: { store } }) => {
      const since = store.clock.now();
      return store.acts.pause(["customers"], { since, until: since + 1_000, polls: false, by: ben });
    },
  },
  "stream files": {
    sent: { name: "a.csv" },
    prepare: ({ systems: { store } }) => {
      const fault = { code: "E_SOURCE_FILE", place: "line 1", reason: "x" } as const;
      return keepReports(store, "customers", [{ name: "a.csv", fault }], 0);
    },
  },
  "stream poll": {},
  "stream pause": { sent: { hours: 1 } },
  "stream reread": {},
  "stream plan": { sent: { plan: samplePlan.plan } },
  "stream deletions": {
    sent: { count: 1 },
    async prepare({ bound, rig, systems: { store } }) {
      await bound();
      await rig.stage("customers", [{ kind: "delete", key: "1" }]);
      const claim = (await store.claim(id))!;
      const guard = new DeleteGuard({
        store,
        clock: rig.clock,
        logger: silentLogger,
        guard: { percent: 0, count: 0, floor: 0 },
      });
      const error = errorFacts(await guard.expectAllowed(claim).catch((thrown: unknown) => thrown));
      await store.end(claim, { kind: "wait", error });
    },
  },
  "stream adopt": {
    prepare: ({ systems: { store } }) => store.saveNote(heldNote("customers"), { reason: "r", remedy: "m" }),
  },
  "return send": { prepare: aReturnIn("held") },
  "return arrived": { prepare: aReturnIn("uncertain") },
  "return withdraw": { prepare: aReturnIn("held") },
  "returnStream release": {
    prepare: ({ systems: { store } }) =>
      store.returns.saveMark("reports", { beginAt: 0, held: { at: 0, count: 9, usual: 1 } }),
  },
  "returnStream resume": {
    prepare: ({ systems: { store } }) => store.returns.saveMark("reports", { beginAt: 0, paused: { at: 0, by: ben } }),
  },
  "returnStream pause": {},
  "installation compare": {},
  "installation test": {},
};

const ben = { name: "ben", via: "cli" } as const;
const by = { name: "anna", via: "api", why: "looked" } as const;

async function groupIn(store: Acting["systems"]["store"]): Promise<string> {
  const [group] = await notedGroups({ store }, ["customers"]);
  return group!.id;
}

describe("every act in the history", () => {
  it.each(named)("is written down with who and why: %s", async (title, act) => {
    await using scene = await actingScene();
    const { store } = scene.systems;
    const { sent = {}, prepare } = preparations[title] ?? {};
    await prepare?.(scene);
    const group = act.target === "group" ? await groupIn(store) : "";
    const targets: Targets = {
      record: id,
      group,
      stream: "customers",
      return: itsReturn,
      returnStream: "reports",
      installation: undefined,
    };
    await act.run(scene.systems, givenBy(act, targets[act.target], { ...sent, why: by.why, confirm: true }, never), by);

    const acted = (await store.acts.recent({ since: 0, limit: 99 })).filter((each) => each.by.name === by.name);
    const expected = act.audit === undefined ? [] : [{ action: act.audit, by }];
    expect(acted.map(({ action, by }) => ({ action, by }))).toEqual(expected);
  });
});

describe("every act in the documents", () => {
  it("is in the table of docs/api.md; -u writes it", async () => {
    const [text, table] = [await readFile("docs/api.md", "utf8"), actsTable(acts)];
    const written = text.replace(
      /(<!-- acts -->\n)[\s\S]*?(<!-- end of acts -->)/,
      (_, from, to) => `${from}\n${table}\n\n${to}`,
    );
    expect(written).toContain(table);
    await expect(written).toMatchFileSnapshot("../../docs/api.md");
  });
});
