import { Argument, InvalidArgumentError } from "commander";
import {
  parseRecord,
  canonicalJson,
  errorCodes,
  errorEntry,
  errorText,
  instantText,
  nearest,
  recordLabel,
  textLines,
  type ErrorEntry,
  type Json,
  type RecordId,
} from "#model";
import {
  actorText,
  exchangeEnd,
  meaningOf,
  recordRemedy,
  remedyOf,
  returnLabel,
  returnsOfRecord,
  shellQuoted,
} from "#operator";
import { permanentlyBlockedReason, streamObstacles } from "#pipeline";
import {
  forgottenError,
  isForgotten,
  type AuditRecord,
  type WatchedExchange,
  type RecordStore,
  type RecordView,
  type StoredReturn,
} from "#store";
import { openStoreContext, type JsonOptions, type Registration, type StoreContext } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

const HISTORY = 20;

export const registerExplain: Registration = (cli) =>
  cli
    .command(
      "explain",
      "Show the history of a record (what the ERP showed, what was written, when, with what result), or the meaning of an error code",
    )
    .addArgument(
      new Argument("<what>", "a record as stream/key, for example customers/10023, or an error code").argParser(
        subject,
      ),
    )
    .option("--json", "as JSON")
    .action(cli.action((what: Subject, options: JsonOptions, io: Io) => explain(what, options, io)));

export type Subject = RecordId | ({ readonly code: string } & ErrorEntry);

/** Parses the name of a record or an error code. @throws {InvalidArgumentError} */
export function subject(text: string): Subject {
  const code = text.toUpperCase();
  const entry = errorEntry(code);
  if (entry !== undefined) return { code, ...entry };
  const found = parseRecord(text);
  if (found !== undefined) return found;
  const meant = nearest(code, errorCodes());
  const wanted = meant === undefined ? "an error code such as E_MAPPING" : `an error code: did you mean ${meant}?`;
  throw new InvalidArgumentError(`found ${JSON.stringify(text)}, expected stream/key or ${wanted}`);
}

/** `svcsync explain RECORD`: why a record is the way it is. `svcsync explain CODE`: what an error means, and what to do. */
async function explain(what: Subject, options: JsonOptions, io: Io): Promise<number> {
  if (!("code" in what)) return explainRecord(what, options, io);
  if (options.json) printJson(io.stdout, what);
  else io.stdout.write(codeText(what));
  return exitCode.ok;
}

function codeText({ code, meaning, normal, more = "" }: { readonly code: string } & ErrorEntry): string {
  const todo = `${remedyOf({ code }, { stream: "STREAM" })} ${more}`;
  const text = `${code}: ${meaning}\n\nNormal? ${normal}\n\nWhat to do: ${todo.trim()}\n`;
  return text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, words: string, target: string) => withPlace(words, target));
}

/** A link for a terminal: its text, followed by the page of the documentation unless the text is the address itself. */
function withPlace(words: string, target: string): string {
  return target.startsWith("#") ? words : `${words} (${target.replace(/^\.\.\//, "docs/")})`;
}

async function explainRecord(id: RecordId, options: JsonOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [id.stream]);
  const { store } = context;
  const facts = await readRecord(id, context);
  if (typeof facts === "string") {
    io.stderr.write(facts);
    return exitCode.needsPerson;
  }
  const { obstacles, history, exchanges, returns } = facts;
  if (options.json) printJson(io.stdout, facts);
  else {
    const waiting = [...(await waits(facts, store)), ...obstaclesOf(id, obstacles)];
    io.stdout.write(asText(facts, { waiting, history, exchanges, returns }));
  }
  return exitCode.ok;
}

/** What `svcsync explain STREAM/KEY --json` prints; sentences if the store does not have the record. */
export async function readRecord(id: RecordId, { store, syncFile }: Pick<StoreContext, "store" | "syncFile">) {
  const view = await store.record(id);
  const obstacles = await streamObstacles(store, id.stream, store.clock.now());
  if (!view) {
    const unknown = `${recordLabel(id)} is not in the store: no poll of ${id.stream} has returned this key.`;
    return textLines([unknown, ...obstaclesOf(id, obstacles)]);
  }
  const history = await store.audit({ id, limit: HISTORY });
  const exchanges = await store.watches.exchanges(id);
  const returns = await returnsOfRecord(store.returns, syncFile.returns, view);
  return { ...view, obstacles, history, exchanges, returns };
}

function obstaclesOf({ stream }: RecordId, obstacles: readonly string[]): string[] {
  return obstacles.map((obstacle) => `${stream}: ${obstacle}.`);
}

/** Which parents it waits for, and whether they can be bound. */
async function waits({ id, waitsFor }: RecordView, store: Pick<RecordStore, "record">): Promise<string[]> {
  const sentences: string[] = [];
  for (const parent of waitsFor) {
    const why = await permanentlyBlockedReason(store, id, parent);
    sentences.push(`It waits for ${recordLabel(parent)}${why === undefined ? "" : `, ${why}`}.`);
  }
  return sentences;
}

interface Around {
  readonly waiting: readonly string[];
  readonly history: readonly AuditRecord[];
  readonly exchanges: readonly WatchedExchange[];
  readonly returns: readonly StoredReturn[];
}

function asText(view: RecordView, { waiting, history, exchanges, returns }: Around): string {
  const { id, state, binding, error, attempts, dueAt, changedAt, intent } = view;
  const lines = [
    `${recordLabel(id)} is ${state}${binding ? ` and bound to ${binding.resource} ${binding.serviceId}` : ", not bound"}. ${meaningOf(view)}`,
    `Its last change in the ERP was seen at ${instantText(changedAt)}${view.deleted ? "; the ERP says that it is deleted" : ""}.`,
  ];
  if (error) lines.push(`Reason: ${errorText(error)}.`);
  lines.push(...waiting);
  const remedy = recordRemedy(view);
  if (remedy !== undefined) lines.push(`What to do: ${remedy}`);
  if (attempts > 0) lines.push(`Failed attempts: ${attempts}${dueAt ? `; the next one ${instantText(dueAt)}` : ""}.`);
  if (intent)
    lines.push(`A create of ${intent.resource} was started ${instantText(intent.begunAt)}; its result is unknown.`);
  lines.push("", ...rowLines(view), "", "As last written to the service:");
  lines.push(...(view.applied ? members(view.applied) : ["  nothing yet"]), "", "History, newest first:");
  lines.push(...(history.length > 0 ? history.flatMap(entry) : ["  no write yet"]));
  if (returns.length > 0) lines.push("", "What went back to the ERP, newest versions:", ...returns.map(returnLine));
  if (exchanges.length > 0)
    lines.push(
      "",
      "Requests and answers recorded by svcsync watch, newest first:",
      ...exchanges.flatMap(exchangeLines),
    );
  return textLines(lines);
}

function returnLine(item: StoredReturn): string {
  const { state, answer, error } = item;
  const document = answer?.document === undefined ? "" : `, document ${answer.document}`;
  const why = error === undefined ? "" : `: ${errorText(error)}`;
  return `  ${returnLabel(item)}: ${state}${document}${why}; "svcsync returns show ${shellQuoted(returnLabel(item))}"`;
}

function exchangeLines({ at, method, path, sent, answer, durationMs, ...end }: WatchedExchange): string[] {
  const lines = [`  ${instantText(at)}  ${method} ${path}: ${exchangeEnd(end)}, ${Math.round(durationMs)} ms`];
  if (sent !== undefined) lines.push(`      sent ${sent}`);
  if (answer !== undefined && answer !== "") lines.push(`      answer ${answer}`);
  return lines;
}

function rowLines(view: RecordView): string[] {
  const { row, unreadable } = view;
  if (isForgotten(view)) return [`Row in the ERP: ${forgottenError.message}.`];
  if (!unreadable) return ["Row in the ERP:", ...members(row)];
  const last = members(row);
  return ["Last readable row of the ERP:", ...(last.length > 0 ? last : ["  it never could"])];
}

function members(object: { readonly [name: string]: Json }): string[] {
  return Object.entries(object).map(([name, value]) => `  ${name}: ${canonicalJson(value)}`);
}

function entry({ at, action, resource, serviceId, outcome, status, before, after, by }: AuditRecord): string[] {
  const target = [action, resource, serviceId].filter((part) => part !== undefined && part !== "").join(" ");
  const answer = status === undefined ? "" : `, HTTP ${status}`;
  const lines = [`  ${instantText(at)}  ${target}: ${outcome}${answer}${by ? `, ${actorText(by)}` : ""}`];
  if (before) lines.push(`      before ${canonicalJson(before)}`);
  if (after) lines.push(`      after ${canonicalJson(after)}`);
  return lines;
}
