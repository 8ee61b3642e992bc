import { describe, expect, it } from "vitest";
import { HttpAnswer } from "#http";
import { countedPages } from "../../../src/sources/rest/paging.ts";

describe("a Link header", () => {
  const pages = countedPages({ kind: "link", first: 1, size: 10 });
  const next = (link: string) => {
    const answer = new HttpAnswer(200, { link }, Buffer.alloc(0), 0, "GET http://erp.example/rows");
    return pages.next({ query: { order: "key", keysOnly: false }, json: [], answer, rows: [], full: true });
  };

  it.each([
    ['<rows?page=2>; rel="next"', "http://erp.example/rows?page=2"],
    ['<rows?page=1>; rel="prev", <rows?page=3>; title="a"; rel=next', "http://erp.example/rows?page=3"],
    ['<rows?page=1>; rel="prev"', undefined],
  ])("%s leads to %s", (link, page) => {
    expect(next(link)).toBe(page);
  });

  /** With work that grows with the square of the length, each takes longer than a test may. */
  it.each(["<", "<a>;", "<a>; rel="])("of nothing but %s is read at once", (part) => {
    expect(next(part.repeat(500_000))).toBeUndefined();
  });
});
