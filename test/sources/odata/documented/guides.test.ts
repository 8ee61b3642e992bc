import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sourceCount, type Behaviours } from "../server/behaviours/behaviour.ts";
import { businessCentral } from "../server/behaviours/business-central.ts";
import { businessOne } from "../server/behaviours/business-one.ts";
import { s4hana } from "../server/behaviours/s4hana.ts";

const servers: Readonly<Record<string, Behaviours>> = {
  "business-central": businessCentral,
  s4hana,
  "business-one": businessOne,
};

const read = (path: string) =>
  readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), "utf8").replaceAll(/\s+/g, " ");

describe.each(Object.entries(servers))("the guide %s", (name, behaviours) => {
  const [count, sources] = [Object.keys(behaviours).length, sourceCount(behaviours)];

  it("names a server of which each behaviour is proven", () => {
    const proofs = readFileSync(new URL(`${name}.test.ts`, import.meta.url), "utf8").replaceAll(String.raw`\"`, '"');
    const titles = Object.values(behaviours).map(({ says }) => says);
    expect(titles.filter((says) => !proofs.includes(says))).toEqual([]);
  });

  it("says how many behaviours its server has, and from how many sources", () => {
    expect(read(`erps/${name}.md`)).toContain(
      `${count} behaviours, each with its source (${sources} documents and public programs`,
    );
    expect(read("erps.md")).toContain(`${count} behaviours from ${sources} sources`);
  });
});
