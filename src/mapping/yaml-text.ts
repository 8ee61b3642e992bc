import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node, type Pair } from "yaml";
import { pathText, type FilePath, type PlacedProblem, type Problem } from "./problem.ts";

/** A YAML text that knows where each of its values stands. Anchors, aliases and `<<` merges are understood. */
export class YamlText {
  /** What keeps the text from being read at all: bad syntax, a key twice, an unknown anchor. */
  readonly problems: readonly PlacedProblem[];
  /** The file as plain values; undefined while there are problems. */
  readonly value: unknown;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(text: string) {
    this.#text = text;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, merge: true });
    const problems = [...this.#document.errors, ...this.#document.warnings].map((error) => ({
      ...this.#position(error.pos[0]),
      path: "",
      message: error.message,
    }));
    if (problems.length === 0)
      try {
        this.value = this.#document.toJS();
      } catch (error) {
        // Thrown for aliases that would unfold without end, and those without an anchor.
        problems.push({ line: 1, column: 1, path: "", message: (error as Error).message });
      }
    this.problems = problems;
  }

  /** The problem with its line and column. A path that is not there leads to the nearest name above it. */
  place(problem: Problem): PlacedProblem {
    return {
      ...this.#position(this.#offset(problem)),
      path: pathText(problem.path),
      message: problem.message,
    };
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #offset({ path, atName, offset }: Problem): number {
    let node: Node | null | undefined = this.#document.contents;
    let nameAt = 0;
    for (const part of path) {
      const pair = this.#child(node, part);
      if (pair === undefined) return nameAt;
      nameAt = pair.nameAt ?? pair.value?.range?.[0] ?? nameAt;
      node = pair.value;
    }
    const valueAt = node?.range?.[0] ?? nameAt;
    if (atName) return nameAt;
    // An empty value (`name:`) has no text of its own: its name is the better place to point at.
    if (isScalar(node) && node.source === "") return nameAt;
    return offset === undefined ? valueAt : valueAt + this.#inside(node, valueAt, offset);
  }

  /** How far into the file's text the value's character `offset` is; 0 where escapes or folding make that unclear. */
  #inside(node: Node | null | undefined, valueAt: number, offset: number): number {
    const value = isScalar(node) && typeof node.value === "string" ? node.value : "";
    for (const quote of [0, 1]) if (this.#text.startsWith(value, valueAt + quote)) return quote + offset;
    return 0;
  }

  #child(node: Node | null | undefined, part: string | number): { nameAt?: number; value: Node | null } | undefined {
    const target = isAlias(node) ? node.resolve(this.#document) : node;
    if (isSeq(target)) {
      const item = target.items[Number(part)];
      return item === undefined ? undefined : { value: item as Node };
    }
    if (!isMap(target)) return undefined;
    const pairs = target.items as Pair<Node, Node | null>[];
    const pair = pairs.find(({ key }) => isScalar(key) && String(key.value ?? "") === String(part));
    if (pair) return { nameAt: pair.key.range?.[0] ?? 0, value: pair.value };
    for (const { key, value } of pairs) {
      if (!isScalar(key) || (key.value !== "<<" && typeof key.value !== "symbol")) continue;
      const merged = isAlias(value) ? value.resolve(this.#document) : value;
      for (const source of isSeq(merged) ? (merged.items as Node[]) : [merged]) {
        const found = this.#child(source, part);
        if (found) return found;
      }
    }
    return undefined;
  }
}
