import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "oxc-parser";
import { z } from "zod";

// `npm run dead:members`: members of classes and methods of interfaces in `src` that no line of `src` uses. knip finds unused
// exports and files; this asks TypeScript's language server for the references of every member and keeps those that are uses:
// a property access, a destructuring, an indexed type. A declaration, an implementation and a value given in a literal are not.

/** Parts that are made to be measured: what only a test uses of them is used. */
const usedByTests = ["src/sandbox/", "src/service/transport/pace.ts"];

interface Member {
  readonly name: string;
  readonly offset: number;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Location {
  readonly uri: string;
  readonly range: { readonly start: Position };
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

function visit(value: unknown, look: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, look);
  else if (isNode(value)) {
    look(value);
    for (const child of Object.values(value)) visit(child, look);
  }
}

const nodesIn = (value: unknown): readonly SyntaxNode[] => (Array.isArray(value) ? value.filter(isNode) : []);

const messageSchema = z.looseObject({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
});

const keyOf = (node: SyntaxNode, property: string): SyntaxNode | undefined => {
  const key = node[property];
  return isNode(key) ? key : undefined;
};

const declaring = new Set(["MethodDefinition", "PropertyDefinition", "TSMethodSignature"]);

/** The declared members of one file, and the places at which any member is used. */
function read(file: string, text: string): { readonly members: readonly Member[]; readonly uses: ReadonlySet<number> } {
  const members: Member[] = [];
  const uses = new Set<number>();
  visit(parseSync(file, text).program, (node) => {
    if (declaring.has(node.type) && node["computed"] !== true && node["kind"] !== "constructor") {
      const key = keyOf(node, "key");
      if (key?.type === "Identifier") members.push({ name: String(key["name"]), offset: key.start });
    }
    if (node.type === "TSParameterProperty") {
      const parameter = keyOf(node, "parameter");
      if (parameter?.type === "Identifier") members.push({ name: String(parameter["name"]), offset: parameter.start });
    }
    if (node.type === "MemberExpression") uses.add(keyOf(node, "property")?.start ?? -1);
    if (node.type === "ObjectPattern")
      for (const property of nodesIn(node["properties"])) uses.add(keyOf(property, "key")?.start ?? -1);
    if (node.type === "TSLiteralType") uses.add((keyOf(node, "literal")?.start ?? -1) + 1);
    if (node.type === "BinaryExpression" && node["operator"] === "in") uses.add((keyOf(node, "left")?.start ?? -1) + 1);
  });
  return { members, uses };
}

/** TypeScript's own language server, asked over its standard input and output. */
class LanguageServer {
  readonly #process = spawn("tsc", ["--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  readonly #waiting = new Map<number | string, (result: unknown) => void>();
  #received = Buffer.alloc(0);
  #id = 0;

  constructor() {
    this.#process.stdout.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#read();
    });
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#id;
    this.#send({ id, method, params });
    return new Promise((done) => this.#waiting.set(id, done));
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  end(): void {
    this.#process.kill();
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(): void {
    for (;;) {
      const head = this.#received.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#received.toString("utf8", 0, head))?.[1]);
      if (this.#received.length < head + 4 + length) return;
      const message = messageSchema.parse(JSON.parse(this.#received.toString("utf8", head + 4, head + 4 + length)));
      this.#received = this.#received.subarray(head + 4 + length);
      // A question of the server's own: it gets no settings from us.
      if (message.method !== undefined && message.id !== undefined) this.#send({ id: message.id, result: null });
      else if (message.id !== undefined) {
        this.#waiting.get(message.id)?.(message.result);
        this.#waiting.delete(message.id);
      }
    }
  }
}

/** One source file: where its lines begin, its members and the uses of any. */
interface Source {
  readonly file: string;
  readonly text: string;
  readonly starts: readonly number[];
  readonly members: readonly Member[];
  readonly uses: ReadonlySet<number>;
}

function source(file: string): Source {
  const text = readFileSync(file, "utf8");
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return { file, text, starts, ...read(file, text) };
}

const uriOf = (file: string): string => pathToFileURL(resolve(file)).href;

function positionOf({ starts }: Source, offset: number): Position {
  const line = starts.findLastIndex((start) => start <= offset);
  return { line, character: offset - (starts[line] ?? 0) };
}

const inSrc = globSync("src/**/*.ts").map(source);
const sources = new Map([...inSrc, ...globSync("test/**/*.ts").map(source)].map((each) => [uriOf(each.file), each]));

function isUse({ uri, range: { start } }: Location, forTests: boolean): boolean {
  const found = sources.get(uri);
  if (found === undefined || (found.file.startsWith("test") && !forTests)) return false;
  return found.uses.has((found.starts[start.line] ?? 0) + start.character);
}

async function isUsed(server: LanguageServer, declaring: Source, member: Member): Promise<boolean> {
  const references = await server.request("textDocument/references", {
    textDocument: { uri: uriOf(declaring.file) },
    position: positionOf(declaring, member.offset),
    context: { includeDeclaration: false },
  });
  if (!Array.isArray(references)) throw new Error(`no references of ${member.name} in ${declaring.file}`);
  const forTests = usedByTests.some((path) => declaring.file.startsWith(path));
  return references.some((location: Location) => isUse(location, forTests));
}

const server = new LanguageServer();
await server.request("initialize", { processId: process.pid, rootUri: uriOf("."), capabilities: {} });
server.notify("initialized", {});
for (const { file, text } of sources.values())
  server.notify("textDocument/didOpen", {
    textDocument: { uri: uriOf(file), languageId: "typescript", version: 1, text },
  });

for (const each of inSrc)
  for (const member of each.members) {
    if (await isUsed(server, each, member)) continue;
    process.stdout.write(`${each.file}:${positionOf(each, member.offset).line + 1}  nothing uses ${member.name}\n`);
    process.exitCode = 1;
  }
server.end();
