import { messageOf } from "#model";
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  Pair,
  parseDocument,
  Scalar,
  visit,
  type Document,
  type Node,
  type YAMLParseError,
} from "yaml";
import { camelCase } from "./adapter-words.ts";
import { syntaxProblem, type SyntaxProblem } from "./yaml-syntax.ts";
import { excessOf } from "./yaml-size.ts";
import { pathText, type PlacedProblem, type Problem } from "./problem.ts";

/** A value of the file and, for a member, the position of its name. */
interface Found {
  readonly nameAt: number | undefined;
  readonly value: Node | undefined;
}

/** A YAML text that knows the position of each of its values. Anchors, aliases and `<<` merges are supported. */
export class YamlText {
  /** Why the text cannot be read at all: bad syntax, a repeated key, an unknown anchor. */
  readonly problems: readonly PlacedProblem[];
  /** The file as plain values; undefined while there are problems. */
  readonly value: unknown;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(text: string) {
    const excess = excessOf(text);
    // Otherwise comparing all names with one another could take minutes.
    this.#text = excess === undefined ? text : "";
    this.#document = parseDocument(this.#text, { lineCounter: this.#lines, prettyErrors: false, merge: true });
    if (excess !== undefined) {
      this.problems = [excess];
      return;
    }
    const { warnings, errors } = this.#document;
    const found = [...withoutEchoes(errors), ...warnings];
    const problems = found.map((fault) => {
      const twice = fault.code === "DUPLICATE_KEY" ? this.#twice(fault.pos[0]) : undefined;
      const { offset, message } = twice ?? syntaxProblem(fault, text, errors[errors.indexOf(fault) + 1]);
      return this.#unreadable(offset, message);
    });
    visit(this.#document, {
      Alias: (_, alias) => {
        if (!alias.resolve(this.#document))
          problems.push(this.#unreadable(alias.range?.[0] ?? 0, missingAnchor(alias.source)));
      },
      Pair: (_, { key }) => {
        if (isCollection(key))
          problems.push(
            this.#unreadable(
              key.range?.[0] ?? 0,
              "found { or [ where a name or a text is expected: put quotes around a text that begins with it",
            ),
          );
      },
    });
    visit(this.#document, {
      Map: (_, { items }) => {
        items.push(...asWritten(items));
      },
    });
    if (problems.length === 0)
      try {
        this.value = this.#document.toJS();
      } catch (error) {
        // Aliases that expand without end have no single position.
        const reason = messageOf(error);
        const message = /alias/i.test(reason)
          ? "found aliases (*name) that together repeat too much of the file, expected fewer: write some of the repeated parts out"
          : `found a file that cannot be read as YAML (${reason}), expected plain names and values`;
        problems.push(this.#unreadable(0, message));
      }
    this.problems = problems;
  }

  /** Adds line and column to a problem. A path that does not exist leads to its nearest existing ancestor. */
  place(problem: Problem): PlacedProblem {
    const position = this.#position(this.#offset(problem));
    return { ...position, path: pathText(problem.path), message: problem.message };
  }

  /** A name that a map has twice, with the line of the first. */
  #twice(offset: number): SyntaxProblem | undefined {
    let problem: SyntaxProblem | undefined;
    visit(this.#document, {
      Map: (_, { items }) => {
        const keys = items.flatMap(({ key }) => (isScalar(key) ? [key] : []));
        const second = keys.find(({ range }) => range?.[0] === offset);
        const first = second && keys.find(({ value }) => nameOf(value) === nameOf(second.value));
        if (second === undefined || first === undefined) return undefined;
        const { line } = this.#position(first.range?.[0] ?? 0);
        const message = `found "${nameOf(second.value)}" a second time (first in line ${line}), expected each name once: remove or rename one of them`;
        problem = { offset, message };
        return visit.BREAK;
      },
    });
    return problem;
  }

  #unreadable(offset: number, message: string): PlacedProblem {
    return { ...this.#position(offset), path: "", message };
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #offset({ path, atName = false, offset }: Problem): number {
    let node: Node | undefined = this.#document.contents ?? undefined;
    let nameAt = 0;
    for (const part of path) {
      const found = this.#child(node, part);
      if (found === undefined) return nameAt;
      nameAt = found.nameAt ?? found.value?.range?.[0] ?? nameAt;
      node = found.value;
    }
    // An empty value (`name:`) has no text of its own, so the problem points at its name.
    if (atName || !node?.range || (isScalar(node) && node.source === "")) return nameAt;
    return node.range[0] + (offset === undefined ? 0 : this.#inside(node, node.range[0], offset));
  }

  /**
   * The position in the file of the value's character `offset`, as a distance from the value's start; 0 where escapes or
   * folding make it unclear.
   */
  #inside(node: Node, valueAt: number, offset: number): number {
    if (!isScalar(node) || typeof node.value !== "string") return 0;
    for (const quote of [0, 1]) if (this.#text.startsWith(node.value, valueAt + quote)) return quote + offset;
    return 0;
  }

  #child(node: Node | undefined, part: string | number): Found | undefined {
    const target = this.#resolved(node);
    if (isSeq(target)) {
      const item = target.items[Number(part)];
      return isNode(item) ? { nameAt: undefined, value: item } : undefined;
    }
    if (!isMap(target)) return undefined;
    return (
      member(target.items, (name) => name === String(part)) ??
      this.#merged(target.items, part) ??
      // The file may use the spelling of earlier versions.
      member(target.items, (name) => camelCase(name) === part)
    );
  }

  /** A member that `<<` merges in. */
  #merged(pairs: readonly Pair[], part: string | number): Found | undefined {
    for (const { key, value } of pairs) {
      if (!isScalar(key) || nameOf(key.value) !== "<<") continue;
      const merged = this.#resolved(value);
      for (const source of isSeq(merged) ? merged.items : [merged]) {
        const found = isNode(source) ? this.#child(source, part) : undefined;
        if (found) return found;
      }
    }
    return undefined;
  }

  #resolved(value: unknown): Node | undefined {
    if (isAlias(value)) return value.resolve(this.#document);
    return isNode(value) ? value : undefined;
  }
}

function missingAnchor(name: string): string {
  return `found *${name}, and no &${name} above it; expected the name of an anchor, or quotes around a text that begins with *: "*${name}"`;
}

function member(pairs: readonly Pair[], isMeant: (name: string) => boolean): Found | undefined {
  for (const { key, value } of pairs)
    if (isScalar(key) && isMeant(nameOf(key.value)))
      return { nameAt: key.range?.[0], value: isNode(value) ? value : undefined };
  return undefined;
}

/** A key as a member's name: numbers and booleans by their text; the merge key by its own. */
function nameOf(key: unknown): string {
  if (typeof key === "symbol") return key.description ?? "";
  if (typeof key === "number" || typeof key === "boolean") return String(key);
  return typeof key === "string" ? key : "";
}

/**
 * YAML reads the name `01` as the number 1, and `True` as true. ERP codes are texts, so such a name also counts as
 * written, unless the file has it in quotes as well.
 */
function asWritten(items: readonly Pair[]): Pair[] {
  const names = items.map(({ key }) => (isScalar(key) ? nameOf(key.value) : ""));
  return items.flatMap(({ key, value }) => {
    if (!isScalar(key) || key.source === undefined || key.source === nameOf(key.value)) return [];
    if (typeof key.value !== "number" && typeof key.value !== "boolean") return [];
    if (names.includes(key.source)) return [];
    const name = new Scalar(key.source);
    name.range = key.range ?? null;
    return [new Pair(name, value)];
  });
}

/** Syntax errors that affect nothing after them: problems reported below them are real. */
const APART: readonly string[] = ["DUPLICATE_KEY", "BAD_SCALAR_START", "BAD_DQ_ESCAPE", "TAB_AS_INDENT"];

/** Drops errors that follow any other syntax error: most are only its consequences, until the parser has recovered. */
function withoutEchoes(errors: readonly YAMLParseError[]): readonly YAMLParseError[] {
  const inOrder = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const at = inOrder.findIndex(({ code }) => !APART.includes(code));
  return at < 0 ? inOrder : inOrder.slice(0, at + 1);
}
