import { describe, expect, it } from "vitest";
import { DAY_MS } from "#model";
import { Matcher, Presence, DuplicateWatch } from "#pipeline";
import { lostCreatesNote } from "#store";
import { Redaction } from "#telemetry";
import { twinsNote } from "../../src/pipeline/notes.ts";
import { openTenant } from "../conformance/service-tenant.ts";
import { customer, upsert } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";
import { customersFile } from "./customer-stream.ts";

const stream = customersFile({ match: "[[customerId]]" }).streams[0]!;

describe("the watch for second records", () => {
  it("names one until it is gone, also where a weak password is a part of the record's key", async () => {
    const id = customer("10001-7");
    const clock = new SetClock();
    const { redact } = new Redaction(["10001"]);
    await using tenant = await openTenant();
    await using place = await memoryPlace();
    await using store = await place.open({ as: "daemon", clock, logger: silentLogger, redact });
    const { sandbox, service } = tenant;
    const fields = { ...tenant.customer(1), customerId: id.key };
    const [ours, late] = sandbox.seed("customer", [fields, fields]);
    const changes = [upsert(id.key, { number: id.key })];
    await store.stage(stream.name, { changes, cursor: null, backfill: false, complete: true });
    const binding = { resource: "customer", serviceId: ours!.id };
    const projection = { customerId: id.key };
    await store.end((await store.claim(id))!, {
      kind: "bind",
      binding,
      applied: { projection, outcome: "created", parents: [], again: false },
    });
    const deps = { store, service, clock, logger: silentLogger, settleMs: 0 };
    const watch = new DuplicateWatch({
      ...deps,
      matcher: new Matcher({ ...deps, maxAgeMs: 0 }, [stream]),
      presence: new Presence(store, service),
      streams: [stream],
    });
    const earlier = { ...customer("2"), lostAt: clock.now() - DAY_MS };
    const lost = { ...id, lostAt: clock.now() };
    await store.saveNote(lostCreatesNote, [earlier, lost]);

    const twins = [{ ...id, ...binding, twin: late!.id }];
    await watch.look(never);
    expect(await store.note(lostCreatesNote)).toEqual([lost]);
    expect(await store.note(twinsNote(stream.name))).toEqual(twins);
    clock.advance(DAY_MS);
    await watch.look(never);
    expect(await store.note(lostCreatesNote)).toBeUndefined();
    expect(await store.note(twinsNote(stream.name))).toEqual(twins);
    sandbox.vanish("customer", late!.id);
    await watch.look(never);
    expect(await store.note(twinsNote(stream.name))).toBeUndefined();
  });
});
