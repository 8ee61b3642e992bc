import { openLaneStreams } from "#daemon";
import type { ReturnStream } from "#mapping";
import { errorFacts, errorText, instantText, recordLabel, textLines, type RecordId, type ReturnContent } from "#model";
import {
  actorText,
  findReturn,
  lineAmount,
  shownLineColumns,
  recordOfReturn,
  recordWord,
  remedyOf,
  returnLabel,
  returnMeaning,
  returnValue,
} from "#operator";
import { whyNotReturned } from "#returns";
import { historyOf, type AuditRecord, type StoredReturn } from "#store";
import { openStoreContext, type JsonOptions } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";
import { openPartsContext } from "../../parts-context.ts";

const HISTORY = 20;

/** `svcsync returns show ID`: one version, with its content, the ERP's answer and the history of its subject. */
export async function showReturn(text: string, options: JsonOptions, io: Io): Promise<number> {
  const found = await showKnown(text, options, io);
  if (found === undefined) return exitCode.ok;
  const why = await whyUnknown(text, found.streams, options, io);
  if (why === undefined) throw found.unknown;
  if (options.json) printJson(io.stdout, { return: text, notReturned: why });
  else io.stdout.write(wrapped(`${why}\n`, io.width));
  return exitCode.ok;
}

/** Undefined once it is shown; otherwise what is known of an unknown one. */
async function showKnown(
  text: string,
  options: JsonOptions,
  io: Io,
): Promise<{ readonly unknown: unknown; readonly streams: readonly ReturnStream[] } | undefined> {
  await using context = await openStoreContext(options, io);
  const { store, syncFile } = context;
  let item: StoredReturn;
  try {
    item = await findReturn(store.returns, text);
  } catch (unknown) {
    if (errorFacts(unknown).code !== "E_RETURN_UNKNOWN") throw unknown;
    return { unknown, streams: syncFile.returns };
  }
  const versions = await store.returns.versions(item.stream, item.subject);
  const history = await store.audit({ id: historyOf(item), limit: HISTORY });
  const record = await recordOfReturn(store, syncFile.returns, item);
  if (options.json) printJson(io.stdout, { ...item, record, versions: versions.map(summary), history });
  else io.stdout.write(asText(item, { versions, history, record }));
  return undefined;
}

/** Asks the service why the lane has no return of a record; undefined where the text names none. */
async function whyUnknown(
  text: string,
  streams: readonly ReturnStream[],
  options: JsonOptions,
  io: Io,
): Promise<string | undefined> {
  const named = streams.find(({ name, resource }) => resource !== undefined && text.startsWith(`${name}/`));
  const subject = named === undefined ? "" : text.slice(named.name.length + 1);
  if (named === undefined || !/^\d{1,15}$/.test(subject)) return undefined;
  await using context = await openPartsContext(options, io, []);
  const { configuration, parts, closing } = context;
  const opened = await openLaneStreams(configuration, parts, closing);
  const { beginAt } = (await parts.store.returns.mark(named.name)) ?? {};
  return whyNotReturned(
    opened.find(({ stream }) => stream.name === named.name)!,
    subject,
    beginAt,
    io.signal,
  );
}

function summary({ version, kind, state, hash, preparedAt, deliveredAt, answer }: StoredReturn) {
  return { version, kind, state, hash, preparedAt, deliveredAt, answer };
}

interface Around {
  readonly versions: readonly StoredReturn[];
  readonly history: readonly AuditRecord[];
  readonly record: RecordId | undefined;
}

function asText(item: StoredReturn, { versions, history, record }: Around): string {
  const { kind, state, error, attempts, dueAt, answer, replaces, content, serviceId } = item;
  const id = returnLabel(item);
  const lines = [
    `${id} (${kind}) is ${state}. ${returnMeaning(item)}`,
    `Prepared ${instantText(item.preparedAt)}${item.deliveredAt === undefined ? "" : `, handed over ${instantText(item.deliveredAt)}`}` +
      `${replaces === undefined ? "" : `; it replaces version ${replaces}`}${serviceId === undefined ? "" : `; service id ${serviceId}`}.`,
  ];
  if (record !== undefined)
    lines.push(`Its record of the ERP: ${recordLabel(record)}; "svcsync explain ${recordWord(record)}" shows that.`);
  if (answer !== undefined) lines.push(answerText(answer));
  if (error !== undefined)
    lines.push(
      `Reason: ${errorText(error)}.`,
      `What to do: ${remedyOf(error, { stream: item.stream, key: item.subject })}`,
    );
  if (attempts > 0) lines.push(`Failed attempts: ${attempts}; the next one ${instantText(dueAt)}.`);
  lines.push("", "What it says:", ...fieldLines(content));
  const below = [...versionLines(versions, item), "", "History, newest first:", ...historyLines(history)];
  return `${textLines(lines)}${linesTable(content)}\n${textLines(below)}`;
}

function answerText({ result, document, message, at }: NonNullable<StoredReturn["answer"]>): string {
  const said = message === undefined ? "" : `: ${message}`;
  const number = document === undefined ? "" : `, document ${document}`;
  return `The ERP answered ${instantText(at)}: ${result}${number}${said}`;
}

function fieldLines({ fields, lines }: ReturnContent): string[] {
  const entries = Object.entries(fields);
  if (entries.length === 0 && lines.length === 0)
    return ["  nothing yet, or it was emptied since it is needed no more"];
  return entries.map(([name, value]) => `  ${name}: ${returnValue(value)}`);
}

function linesTable(content: ReturnContent): string {
  if (content.lines.length === 0) return "";
  const columns = shownLineColumns(content);
  const rows = content.lines.map((line) => [
    line.kind,
    line.id,
    line.change,
    lineAmount(line),
    ...columns.map((name) => returnValue(line.fields[name] ?? null)),
  ]);
  return `\n${table(["line", "service id", "change", "amount", ...columns], rows)}`;
}

function versionLines(versions: readonly StoredReturn[], { version: shown }: StoredReturn): string[] {
  if (versions.length < 2) return [];
  return [
    "",
    "Versions, newest first:",
    ...versions.map(
      ({ version, kind, state, preparedAt }) =>
        `  ${version} ${kind}: ${state}, prepared ${instantText(preparedAt)}${version === shown ? " (shown above)" : ""}`,
    ),
  ];
}

function historyLines(history: readonly AuditRecord[]): string[] {
  if (history.length === 0) return ["  no decision was made about it"];
  return history.map(
    ({ at, outcome, by }) => `  ${instantText(at)}  ${outcome}${by === undefined ? "" : `, ${actorText(by)}`}`,
  );
}
