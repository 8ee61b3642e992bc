import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { argumentsAt, filesUnder, importsOf, readSources, root, type Import } from "./architecture/source-files.ts";

/** From top to bottom. A module imports only from layers below its own. */
const layers = [
  ["main.ts"],
  ["cli"],
  ["daemon"],
  ["web"],
  ["notify"],
  ["operator"],
  ["pipeline", "returns"],
  ["sources", "service", "store", "queue", "sandbox"],
  ["mapping", "settings", "telemetry", "http", "server"],
  ["model"],
];

/**
 * The rooms of the pipeline, each importing only from those before it: what a record should be, what the service has of it, what is decided,
 * and what is done about it. The files beside the rooms belong to all of them; its door shows all.
 */
const pipelineRooms = [
  "",
  "wanted",
  "match",
  "approve",
  "counterpart",
  "decide",
  "stage",
  "compare",
  "holds",
  "deliver/failures",
  "deliver/update",
  "deliver/create",
  "deliver/delete",
  "deliver",
  "plan",
  "guards",
  "poll",
  "wake",
  "explain",
];

/** Where a library may be imported that has more than one way in. All others have one module. */
const vendorPlaces: Readonly<Record<string, readonly string[]>> = {
  got: ["src/http/"],
  bullmq: ["src/queue/"],
  ioredis: ["src/queue/"],
  pino: ["src/telemetry/"],
  pg: ["src/queue/", "src/sources/sql/", "src/store/postgres/"],
  yaml: ["src/mapping/", "src/cli/init/"],
  "csv-parse": ["src/sources/files/", "src/cli/"],
  "better-sqlite3": ["src/store/sqlite/", "src/sources/sql/", "src/sandbox/"],
};
/** What a value looks like, wherever one enters, and what the language itself will have. */
const everywhere = new Set(["zod", "temporal-polyfill"]);

/** Several processes on one store are an idea of these folders alone; all others know only the `Cluster` of the store. */
const clusterFolders = ["src/store/postgres/cluster/", "src/daemon/cluster/"];
/** What people read calls those processes replicas: the pages of the errors, the commands about them, one sentence of the status. */
const replicaTexts = [
  "src/cli/command-list.ts",
  "src/cli/commands/acts/fence.ts",
  "src/cli/commands/views/replicas.ts",
  "src/operator/text/cluster-text.ts",
];
const maxLines = 300;

const sources = readSources();
const imports = sources.flatMap(importsOf);

const layerOf = (room: string) => layers.findIndex((rooms) => rooms.includes(room));
const isVendor = ({ from }: Import) => !from.startsWith("#") && !from.startsWith(".") && !from.startsWith("node:");
const packageOf = (from: string) =>
  from
    .split("/")
    .slice(0, from.startsWith("@") ? 2 : 1)
    .join("/");
/** A file's room inside its module, and its place among those of the pipeline. */
const insideOf = (path: string) => path.split("/").slice(2, -1).join("/");
const rank = (path: string) => pipelineRooms.indexOf(insideOf(path));
const told = ({ file, from }: Import) => `${file.path} imports ${from}`;

describe("the reader of imports", () => {
  it("sees every way to import, and no comment", () => {
    const code = `import a from "a"; import type { B } from './b.ts'; export * from "c"; import "d"; await import("e");`;
    const file = { path: "src/x/y.ts", room: "x", text: code, code };

    expect(importsOf(file).map(({ from, path }) => path ?? from)).toEqual(["a", "src/x/b.ts", "c", "d", "e"]);
    expect(imports.length).toBeGreaterThan(sources.length);
  });

  it("takes the arguments of a call apart", () => {
    const code = 'log.info({ a: f(1, "x)"), b: `${g({ c: "`" })}` }, "it was") + more()';
    expect(argumentsAt(code, code.indexOf("("))).toEqual(['{ a: f(1, "x)"), b: `${g({ c: "`" })}` }', '"it was"']);
  });
});

describe("the architecture", () => {
  it("has every module in a layer", () => {
    expect(sources.filter(({ room }) => layerOf(room) === -1).map(({ path }) => path)).toEqual([]);
  });

  it("is imported only downward, never from another module of the same layer", () => {
    const upward = imports.filter(
      ({ file, from }) => from.startsWith("#") && layerOf(from.slice(1)) <= layerOf(file.room),
    );
    expect(upward.map(told)).toEqual([]);
  });

  it("exports each name from one module, so that a search finds what is meant", () => {
    const owners = Map.groupBy(
      sources.flatMap(({ path, code }) =>
        [...code.matchAll(/^export (?:abstract |async )*(?:class|interface|type|const|function\*?|enum) (\w+)/gm)].map(
          ([, name = ""]) => ({ name, path }),
        ),
      ),
      ({ name }) => name,
    );
    const shared = [...owners].filter(([, places]) => places.length > 1);
    expect(shared.map(([name, places]) => `${name}: ${places.map(({ path }) => path).join(", ")}`)).toEqual([]);
  });

  it("survives being put together: one module knows where files lie, and none is imported for what it does by that", () => {
    const located = sources.filter(({ code }) => code.includes("import.meta."));
    expect(located.map(({ path }) => path)).toEqual(["src/model/program-files.ts"]);
    expect(sources.filter(({ code }) => /^import ["']/m.test(code)).map(({ path }) => path)).toEqual([]);
  });

  it("is entered only through doors: by name across modules, by a relative path inside one", () => {
    const broken = imports.filter(({ file, from, path }) => {
      if (from.startsWith("#")) return from.includes("/");
      // The process's own file stands beside the modules and takes their doors by name.
      return path !== undefined && (path.split("/")[1] !== file.room || path.endsWith(`src/${file.room}/index.ts`));
    });
    expect(broken.map(told)).toEqual([]);
  });

  it("has rooms inside the pipeline that import one way", () => {
    const inside = imports.flatMap(({ file, path }) =>
      file.room === "pipeline" && file.path !== "src/pipeline/index.ts" && path !== undefined ? [{ file, path }] : [],
    );
    const unknown = sources.filter(({ room, path }) => room === "pipeline" && rank(path) === -1);
    expect(unknown.map(({ path }) => path)).toEqual([]);
    const upward = inside.filter(
      ({ file, path }) => insideOf(file.path) !== insideOf(path) && rank(path) >= rank(file.path),
    );
    expect(upward.map(({ file, path }) => `${file.path} imports ${path}`)).toEqual([]);
  });

  it("has no room inside the pipeline with more than twelve files", () => {
    const counts = Map.groupBy(
      sources.filter(({ room }) => room === "pipeline"),
      ({ path }) => path.split("/").slice(0, -1).join("/"),
    );
    expect([...counts].filter(([, files]) => files.length > 12).map(([room]) => room)).toEqual([]);
  });

  it("writes to the service where a delivery performs what was decided, and nowhere else", () => {
    const steps = /^src\/pipeline\/deliver\/(create|update|delete)\//;
    const pipeline = sources.filter(({ room }) => room === "pipeline");
    const writes = /\bservice\s*\.\s*(create|update|remove)\s*\(|Pick<\s*Service\s*,[^>]*"(create|update|remove)"/;
    const writers = pipeline.filter(({ path, code }) => writes.test(code) && !steps.test(path));
    expect(writers.map(({ path }) => path)).toEqual([]);
    // What takes the whole service could write as well: only the synchronizer does, which hands it to the steps.
    const whole = pipeline.filter(({ code }) => /:\s*Service\b(?!\[)/.test(code));
    expect(whole.map(({ path }) => path)).toEqual(["src/pipeline/deliver/synchronizer.ts"]);
    const users = imports.filter(
      ({ file, path }) => path !== undefined && steps.test(path) && !file.path.startsWith("src/pipeline/deliver/"),
    );
    expect(users.map(told)).toEqual([]);
  });

  it("has no circle of files, not even of types", () => {
    const next = new Map<string, string[]>();
    for (const { file, path } of imports)
      if (path !== undefined) next.set(file.path, [...(next.get(file.path) ?? []), path]);
    const isClear = new Set<string>();
    const circleFrom = (path: string, above: readonly string[]): readonly string[] | undefined => {
      if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
      if (isClear.has(path)) return undefined;
      for (const target of next.get(path) ?? []) {
        const circle = circleFrom(target, [...above, path]);
        if (circle !== undefined) return circle;
      }
      isClear.add(path);
      return undefined;
    };
    const circles = sources.map(({ path }) => circleFrom(path, [])).filter((circle) => circle !== undefined);
    expect(circles).toEqual([]);
  });

  it("knows of replicas in the folders of the cluster and in what people read, nowhere else", () => {
    const named = [...filesUnder("src", ".ts"), ...filesUnder("src", ".md")].filter((path) => {
      // Published codes keep their names; replication is another matter.
      const text = readFileSync(join(root, path), "utf8").replace(/\bE_REPLICA_[A-Z]+/g, "");
      return /replica(?!t)/i.test(`${path} ${text}`);
    });
    const elsewhere = named.filter(
      (path) => ![...clusterFolders, "src/model/error-catalogue/"].some((folder) => path.startsWith(folder)),
    );
    expect(elsewhere.toSorted()).toEqual(replicaTexts);
  });

  it("has no path that climbs more than two steps", () => {
    expect(imports.filter(({ from }) => from.startsWith("../../..")).map(told)).toEqual([]);
  });

  it("has doors without logic", () => {
    const doors = sources.filter(({ path }) => /^src\/[^/]+\/index\.ts$/.test(path));
    const withLogic = doors.filter(({ code }) => {
      const rest = code.replace(/export\s+(type\s+)?(\*|\{[^}]*\})\s+from\s+"[^"]+";/g, "").trim();
      return rest !== "";
    });

    expect(doors.map(({ room }) => room).toSorted()).toEqual(
      layers
        .flat()
        .filter((room) => room !== "main.ts")
        .toSorted(),
    );
    expect(withLogic.map(({ path }) => path)).toEqual([]);
  });

  it("has each library enter through one module", () => {
    const vendors = imports.filter(isVendor);
    const names = new Set(vendors.map(({ from }) => packageOf(from)));
    const broken = [...names].flatMap((name) => {
      const found = vendors.filter(({ from }) => packageOf(from) === name);
      const places = vendorPlaces[name];
      if (places !== undefined)
        return found.filter(({ file }) => !places.some((place) => file.path.startsWith(place))).map(told);
      const rooms = new Set(found.map(({ file }) => file.room));
      return rooms.size > 1 && !everywhere.has(name) ? found.map(told) : [];
    });
    expect(broken).toEqual([]);
  });

  it("reads the environment in settings alone", () => {
    const readers = sources.filter(
      ({ room, code }) => room !== "settings" && /\bprocess\s*\.\s*env\b|\benv\s*\}\s*from\s*"node:process"/.test(code),
    );
    expect(readers.map(({ path }) => path)).toEqual([]);
  });

  it("ends the process and hears signals in the main of a process alone", () => {
    const pattern = /\bprocess\s*\.\s*(exit|exitCode|abort|on|once|addListener)\b/;
    expect(
      sources.filter(({ path, code }) => !/(^|[/-])main\.ts$/.test(path) && pattern.test(code)).map(({ path }) => path),
    ).toEqual([]);
  });

  it(`has no file of more than ${maxLines} lines, and half of them are below 100`, () => {
    const sizes = sources.map(({ path, text }) => ({ path, lines: text.trimEnd().split("\n").length }));
    const sorted = sizes.map(({ lines }) => lines).toSorted((a, b) => a - b);

    expect(sizes.filter(({ lines }) => lines > maxLines)).toEqual([]);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
  });

  it("has a README of at most 40 lines in each module", () => {
    const rooms = layers.flat().filter((room) => room !== "main.ts");
    const long = rooms.filter((room) => {
      const readme = readFileSync(join(root, "src", room, "README.md"), "utf8");
      return readme.trimEnd().split("\n").length > 40;
    });
    expect(long).toEqual([]);
  });

  it("has kebab-case files without names that say nothing", () => {
    const bad = sources.filter(({ path }) => {
      const name = path.split("/").at(-1) ?? "";
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(name) || /^(utils?|helpers?|common|misc|manager|handler)\.ts$/.test(name)
      );
    });
    expect(bad.map(({ path }) => path)).toEqual([]);
  });

  it("leaves no work behind", () => {
    expect(sources.filter(({ text }) => /\b(TODO|FIXME|XXX)\b/.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe("adapters", () => {
  const folders = [
    ...new Set(
      sources
        .filter(({ path, code }) => path.startsWith("src/sources/") && /\bdefineAdapter\(/.test(code))
        .map(({ path }) => path.split("/")[2] ?? ""),
    ),
  ];

  it("are there", () => {
    expect(folders).not.toEqual([]);
  });

  it.each(folders)("%s has a README of its quirks", (folder) => {
    expect(existsSync(join(root, "src/sources", folder, "README.md"))).toBe(true);
  });

  it.each(folders)("%s is in the register", (folder) => {
    const register = sources.find(({ path }) => path === "src/sources/register.ts");
    const registered = register === undefined ? [] : importsOf(register).map(({ from }) => from);
    expect(registered.some((from) => from.startsWith(`./${folder}/`))).toBe(true);
  });

  it.each(folders)("%s runs the conformance suite", (folder) => {
    const runs = filesUnder("test", ".test.ts").filter((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return /\bdescribeSource\(/.test(text) && (path.includes(`/${folder}/`) || text.includes(`sources/${folder}`));
    });
    expect(runs).not.toEqual([]);
  });
});
