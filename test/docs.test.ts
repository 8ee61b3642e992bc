import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import {
  anchorsOf,
  chapters,
  codesOf,
  linksOf,
  logCallsOf,
  messageRowsOf,
  readDocuments,
  type Document,
} from "./architecture/documents.ts";
import { writtenErrorPages } from "./architecture/error-pages.ts";
import { errorPages } from "../src/model/error-catalogue/error-catalogue.ts";
import type { ErrorPage } from "../src/model/error-catalogue/error-page.ts";
import { readSources, root } from "./architecture/source-files.ts";

const sources = readSources();

const named = ({ level, message }: { level: string; message: string | undefined }) => `${level} ${message}`;

describe("the catalogue of errors", () => {
  const pages = Object.values<ErrorPage>(errorPages);
  const listed = pages.flatMap(({ entries }) => Object.keys(entries));

  it("has no code that the program never gives", () => {
    const given = new Set(sources.flatMap(codesOf));
    expect(listed.filter((code) => !given.has(code))).toEqual([]);
  });

  it("has each code once", () => {
    expect(listed.filter((code, at) => listed.indexOf(code) !== at)).toEqual([]);
  });

  it("is what docs/errors shows; npm run docs:errors writes it", () => {
    expect(chapters("docs/errors")).toEqual(writtenErrorPages().toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  });
});

describe("the catalogue of messages", () => {
  const calls = sources.flatMap(logCallsOf);
  const rows = chapters("docs/messages").flatMap(messageRowsOf);

  it("is of static, lower-case messages without an end stop", () => {
    const bad = calls.filter(({ message }) => message === undefined || !/^[a-z][^\n]*[^.\s]$/.test(message));
    expect(bad).toEqual([]);
  });

  it("lists every message that the program can log, at its level", () => {
    const listed = new Set(rows.map(named));
    expect(calls.filter((call) => !listed.has(named(call))).map((call) => `${call.path}: ${named(call)}`)).toEqual([]);
  });

  it("lists no message that does not exist", () => {
    const logged = new Set(calls.map(named));
    expect(rows.filter((row) => !logged.has(named(row))).map((row) => `${row.path}: ${named(row)}`)).toEqual([]);
  });
});

describe("documents", () => {
  const documents = [...readDocuments("docs"), ...readDocuments("src"), ...topDocuments()];

  it.each(documents.map((document) => [document.path, document] as const))(
    "%s has links that lead somewhere",
    (_, document) => {
      expect(linksOf(document).filter((target) => !leadsSomewhere(document, target))).toEqual([]);
    },
  );

  it.each(["docs/errors", "docs/messages"])("%s has a way into each of its chapters", (folder) => {
    const readme = documents.find(({ path }) => path === `${folder}/README.md`);
    const linked = readme === undefined ? [] : linksOf(readme).map((target) => join(folder, target));

    expect(
      chapters(folder)
        .map(({ path }) => path)
        .filter((path) => !linked.includes(path)),
    ).toEqual([]);
  });
});

function topDocuments(): Document[] {
  return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ".env.example"]
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function leadsSomewhere(document: Document, target: string): boolean {
  const [file = "", anchor] = target.split("#", 2);
  const path = file === "" ? document.path : normalize(join(dirname(document.path), file));
  if (!existsSync(join(root, path))) return false;
  if (anchor === undefined || statSync(join(root, path)).isDirectory()) return true;
  return anchorsOf({ path, text: readFileSync(join(root, path), "utf8") }).has(anchor);
}

describe("the guided tour", () => {
  const tour = readFileSync(join(root, "docs/develop/follow-one-record.md"), "utf8");
  const hops = [...tour.matchAll(/\[`([\w.]+)`\]\(([^)]+)\)/g)].map(([, symbol = "", path = ""]) => ({ symbol, path }));

  it("names symbols that are in the file it links to", () => {
    const lost = hops.filter(({ symbol, path }) => {
      const file = join(root, "docs/develop", path);
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      return !symbol.split(".").every((part) => new RegExp(`\\b${part}\\b[ (<:=]`).test(text));
    });
    expect(hops.length).toBeGreaterThan(15);
    expect(lost).toEqual([]);
  });
});

describe("plain English", () => {
  /** Each phrase and what to write instead. A space also matches a line break inside a comment. */
  const oldTone = {
    "by (?:itself|themselves)": "automatically, separately, or nothing",
    "(?:say|says|said|saying) what": "state, describe, or the thing itself",
    nobody: "the passive, or name who: unbound, unused, unknown",
    somebody: "a person, a user, another client, or the passive",
    "for ever": "forever, without limit",
    "(?:go|goes|going|went) on": "continue, resume",
    anew: "again",
    whoever: "the caller, the reader, no matter who",
    "(?:stand|stands|stood|standing) in": "is in, appears in",
    "lets? svcsync in": "accepts the credentials",
    "given a rest": "circuit breaker opened",
    "in vain": "without a result",
    "made whole": "completed, repaired",
    "be it (?:an?|by|from|in|of|that|the|through)": "even if it is, whether it is, or the thing itself",
    "(?:what|it) (?:\\w+ ){0,6}came to": "the result of",
  };
  /** A name in the code, and messages of an earlier version that the changelog quotes. */
  const allowed = /"noBody"|`noBody`|`service was given a rest`|`daemon cannot go\s+on`/g;
  const phrases = Object.entries(oldTone).map(([phrase, instead]) => ({
    pattern: new RegExp(`\\b(?:${phrase.replaceAll(" ", "[\\s*/#]+")})\\b`, "gi"),
    instead,
  }));

  it("no text brings the old tone back", () => {
    const texts = [...sources, ...readDocuments("src"), ...readDocuments("docs"), ...topDocuments()];
    expect(texts.flatMap(oldToneOf)).toEqual([]);
  });

  function oldToneOf({ path, text }: Document): string[] {
    const judged = text.replace(allowed, (quoted) => quoted.replace(/\S/g, "_"));
    return phrases.flatMap(({ pattern, instead }) =>
      [...judged.matchAll(pattern)].map(({ 0: found, index }) => {
        const line = judged.slice(0, index).split("\n").length;
        return `${path}:${line}: "${found}"; write instead: ${instead}`;
      }),
    );
  }
});
