import { readFileSync } from "node:fs";
import { XMLParser } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const parsed = new XMLParser().parse(readFileSync("deploy/windows/svcsync.xml", "utf8"));
const { service } = z
  .object({
    service: z.object({
      executable: z.string(),
      arguments: z.string(),
      stoptimeout: z.string(),
      serviceaccount: z.object({ username: z.string() }),
    }),
  })
  .parse(parsed);

describe("the Windows service", () => {
  it("starts Node.js as the first line of the program does, and never as the system's own account", () => {
    const [, options] = /^#!\/usr\/bin\/env -S node (.*)$/m.exec(readFileSync("src/main.ts", "utf8")) ?? [];
    expect(service.executable).toMatch(/\\node\.exe$/);
    expect(service.arguments).toContain(`${options} dist\\main.js --env-file `);
    expect(service.arguments).toMatch(/ run$/);
    expect(service.serviceaccount.username).toBe("NT AUTHORITY\\LocalService");
  });

  it("is stopped after the deliveries had their time: 20 seconds, and 15 for closing", () => {
    expect(Number.parseInt(service.stoptimeout, 10)).toBeGreaterThan(35);
  });
});

it("no script of package.json that builds, shows or tests svcsync needs a certain shell", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync("package.json", "utf8")));
  for (const name of ["build", "demo", "test", "test:unit"]) expect(scripts[name]).toMatch(/^(node|vitest) [\w./ -]+$/);
});
