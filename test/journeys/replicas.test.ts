import { describe, expect, it } from "vitest";
import { until } from "./stage.ts";
import { CUSTOMERS, replicaServers, Three } from "./three-replicas.ts";

const servers = replicaServers();
const [FIRST, SECOND] = [0, 1] as const;

describe("three replicas over one store in PostgreSQL", () => {
  it("lose nothing and double nothing when the leader and then a worker is killed", async () => {
    await using three = await Three.start(await servers.of("killed"));
    const { all } = three;
    three.load();
    await until("the load is under way", () => three.numbers().length > 40);
    const [leader] = await three.replicas();
    if (!leader?.isLeader) throw new Error("the first replica does not lead");
    all[FIRST]!.kill("SIGKILL");
    await until("another one leads", async () =>
      (await three.replicas()).some(({ isLeader, startedAt }) => isLeader && startedAt > leader.startedAt),
    );
    await until("a third is loaded", () => three.numbers().length > CUSTOMERS / 3);
    all[SECOND]!.kill("SIGKILL");
    await three.untilLoaded();
    expect([three.duplicates, three.numbers().length]).toEqual([[], CUSTOMERS]);
    three.stage.erp.insertCustomer({ customer_no: "late" });
    await until("the last one polls and delivers", () => three.numbers().includes("late"));
  });
});
