import { existsSync, readFileSync } from "node:fs";
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

it("no script of package.json that builds or shows svcsync needs a certain shell", () => {
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(read("package.json"));
  for (const name of ["build", "demo"]) expect(scripts[name]).toMatch(/^node [\w./ -]+$/);
});

describe("npm ci", () => {
  const manifest = z.object({ allowScripts: z.record(z.string(), z.boolean()) }).parse(read("package.json"));
  const entry = z.object({ hasInstallScript: z.boolean().optional(), gypfile: z.boolean().optional() });
  const { packages } = z.object({ packages: z.record(z.string(), entry) }).parse(read("package-lock.json"));
  const compilable = Object.keys(packages).filter((path) => path !== "" && existsSync(`${path}/binding.gyp`));

  // npm would run node-gyp for them, which needs Python, a compiler and the headers of Node.js, even where nothing is left to compile.
  // npm 10 knows no allowScripts, and takes `gypfile` from the lock alone: npm itself never writes it there.
  it("compiles nothing, with npm 10 either", () => {
    expect(compilable).toContain("node_modules/better-sqlite3");
    for (const path of compilable) {
      const { hasInstallScript = false, gypfile = true } = packages[path] ?? {};
      expect([path, hasInstallScript || !gypfile]).toEqual([path, true]);
      expect(manifest.allowScripts).toHaveProperty([path.replace(/^.*node_modules\//, "")], false);
    }
  });
});

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
