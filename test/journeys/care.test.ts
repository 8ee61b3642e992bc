import { expect, it, describe } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage, until } from "./stage.ts";

const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

describe("a backup to a disk that hangs", () => {
  it("keeps the daemon from ending for its grace and no longer", async () => {
    const environment = { BACKUP_EVERY: "1d", STOP_GRACE_SECONDS: "0.2" };
    await using stage = await setStage({ syncFile, environment });
    const running = await stage.start({ upkeepEveryMs: 20 });
    let isHanging = false;
    const backup = () => {
      isHanging = true;
      return new Promise<never>(() => {});
    };
    Object.assign(running.store, { backup });
    await until("the backup hangs", () => isHanging);
    await running[Symbol.asyncDispose]();
    expect(running.log.text).not.toContain("backup was made and verified");
  });
});
