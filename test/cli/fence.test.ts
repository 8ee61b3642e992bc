import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScene, type Scene } from "./scene.ts";

describe("svcsync fence, over a store that only one daemon uses", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene();
    await scene.run("sync");
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  it("knows no replica, and says where they are listed", async () => {
    const { code, stdout, stderr } = await scene.run("fence", "process 1 on nowhere", "--why", "it burnt");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain('no replica is called "process 1 on nowhere"; "svcsync replicas" lists them');
    expect(stderr).toContain("E_REPLICA_UNKNOWN");
  });
});
