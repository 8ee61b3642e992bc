import { expect, it } from "vitest";
import { MatchProof } from "../../src/pipeline/match/match-proof.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { load } from "../mapping/sample.ts";
import { memoryPlace } from "../store/memory-place.ts";

const syncFile = `
sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }
streams:
  customers:
    source: erp
    read: { table: customers, key: number }
    resource: customer
    match: [customerId]
    fields: { customerId: number }
`;

it("tells when no create runs any more that only the leader may make, and that its result is known", async () => {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  const happened: string[] = [];
  const note = (what: string) => void happened.push(what);
  const read = async () => {
    note("read back");
    return { id: 1, customerId: "K1" };
  };
  const proof = new MatchProof({ store, service: { read }, logger: silentLogger, close: () => Promise.resolve() });
  const begun = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const create = async () => {
    begun.resolve();
    await answered.promise;
    note("created");
    return { serviceId: 1, dropped: [], status: 200, durationMs: 1 };
  };
  const [stream] = load(syncFile).streams;
  const created = proof.create(stream!, { customerId: "K1" }, create, never);
  await begun.promise;
  const ended = proof.trialsEnded().then(() => note("ended"));
  answered.resolve();
  await Promise.all([created, ended]);
  expect(happened).toEqual(["created", "read back", "ended"]);
  await proof.trialsEnded();
});
