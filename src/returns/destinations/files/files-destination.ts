import { z } from "zod";
import {
  errorFacts,
  errorText,
  isJsonObject,
  ParkError,
  parsedJson,
  returnName,
  type Clock,
  type Finding,
  type JsonObject,
  type Return,
  type ReturnAnswer,
  type ReturnId,
} from "#model";
import type { FolderInbox } from "#sources";
import type { Destination } from "../../contract.ts";
import { readAnswer } from "../answer.ts";
import { conflict, newerVersion } from "../conflict.ts";
import { namedLineColumns, type InboxStream } from "../sql/inbox-columns.ts";
import { filesOf, manifestOf } from "./file-content.ts";
import { fileBase, parseBase, subjectBase } from "./file-names.ts";

/** Where the ERP puts its answers, or what it has booked or refused. */
const ANSWERS = "answers";
const DONE = "done";
const ERROR = "error";
/** svcsync's own: what was begun, and what is not complete yet. */
const BEGUN = "begun";
/** The most of the ERP's text that is kept. */
const MESSAGE = 2_000;

export interface FilesDestinationDeps {
  readonly inbox: FolderInbox;
  readonly stream: InboxStream;
  readonly installation: string;
  readonly clock: Clock;
}

const begunShape = z.object({ return_id: z.string(), content_hash: z.string() });

/**
 * A folder that the ERP takes files from. Each return has its files, and a manifest that appears last, in one step: the ERP takes nothing without
 * one. The manifest waits in `begun` until then, beside a note that stays. So the note without the waiting manifest says that the return was
 * complete, even if the ERP took its files before svcsync could write that down.
 */
export class FilesDestination implements Destination {
  readonly #deps: FilesDestinationDeps;

  constructor(deps: FilesDestinationDeps) {
    this.#deps = deps;
  }

  async deliver(item: Return, signal: AbortSignal): Promise<"written" | "present"> {
    const { inbox, stream, installation } = this.#deps;
    const name = returnName(installation, item);
    const waiting = this.#path(item, "manifest");
    const note = this.#path(item, "begun");
    const isWaiting = await inbox.has(waiting, signal);
    const isNoted = await inbox.has(note, signal);
    const begunBy = isNoted || isWaiting ? await this.#begunBy(item, isNoted ? note : waiting, signal) : name;
    const newer = { ...item, version: item.version + 1 };
    if (await inbox.has(this.#path(newer, "begun"), signal)) throw newerVersion(item, newer.version);
    if (isNoted && !isWaiting) return "present";
    if (begunBy !== name)
      throw conflict(`${begunBy} was begun in the inbox and is not complete there`, { found: begunBy });
    const own = {
      name,
      replaces: item.replaces === undefined ? null : returnName(installation, { ...item, version: item.replaces }),
    };
    const base = fileBase(installation, item, item.hash);
    const columns = { head: stream.columns, lines: namedLineColumns(stream) };
    const files = filesOf(item, own, base, stream.to.format ?? "csv", columns);
    const manifest = `${JSON.stringify(manifestOf(item, own, files), undefined, 2)}\n`;
    if (!isWaiting) await inbox.put(waiting, manifest, signal);
    if (!isNoted)
      await inbox.put(note, `${JSON.stringify({ return_id: own.name, content_hash: item.hash })}\n`, signal);
    for (const { name, text } of files) if (!(await inbox.has(name, signal))) await inbox.put(name, text, signal);
    await inbox.move(waiting, `${base}.manifest.json`, signal);
    return "written";
  }

  /**
   * The name under which the same was begun.
   * @throws {ParkError} E_RETURN_CONFLICT when it has another content, E_RETURN_UNCERTAIN when that is unknown.
   */
  async #begunBy(item: Return, path: string, signal: AbortSignal): Promise<string> {
    const { inbox } = this.#deps;
    const { data } = begunShape.safeParse(parsedJson(await inbox.read(path, signal)));
    if (data === undefined)
      throw new ParkError(
        "E_RETURN_UNCERTAIN",
        `${inbox.name}/${path} cannot be read, so it is unknown whether the ERP has it`,
        {
          details: { path },
        },
      );
    if (data.content_hash === item.hash) return data.return_id;
    throw conflict(`the inbox had ${data.return_id} with another content already`, {
      found: data.content_hash,
      expected: item.hash,
    });
  }

  async highest(
    stream: string,
    subjects: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const wanted = new Set(subjects);
    const highest = new Map<string, number>();
    for (const name of await this.#deps.inbox.list(`${BEGUN}/${stream}`, signal)) {
      const id = parseBase(`~${name}`);
      if (id !== undefined && wanted.has(id.subject))
        highest.set(id.subject, Math.max(id.version, highest.get(id.subject) ?? 0));
    }
    return highest;
  }

  async answers(ids: readonly ReturnId[], signal: AbortSignal): Promise<readonly (ReturnAnswer | undefined)[]> {
    const { inbox, clock, stream } = this.#deps;
    const answers = this.#bySubject(await inbox.list(stream.answers?.folder ?? ANSWERS, signal));
    const refused = this.#bySubject(await inbox.list(ERROR, signal));
    const done = this.#bySubject(await inbox.list(DONE, signal));
    const one = async (id: ReturnId): Promise<ReturnAnswer | undefined> => {
      const base = subjectBase(id);
      const [file] = answers.get(base) ?? [];
      if (file !== undefined)
        return readAnswer(
          answerIn(await inbox.read(`${stream.answers?.folder ?? ANSWERS}/${file}`, signal)),
          clock.now(),
        );
      const moved = refused.get(base);
      if (moved !== undefined) {
        const said = moved.find((name) => name.endsWith(".txt"));
        const text = said === undefined ? "" : (await inbox.read(`${ERROR}/${said}`, signal)).trim();
        return readAnswer({ result: "refused", message: text.slice(0, MESSAGE) || `moved to ${ERROR}` }, clock.now());
      }
      return done.has(base) ? readAnswer({ result: "ok" }, clock.now()) : undefined;
    };
    const found: (ReturnAnswer | undefined)[] = [];
    for (const id of ids) found.push(await one(id));
    return found;
  }

  async check(signal: AbortSignal): Promise<readonly Finding[]> {
    const { inbox, stream } = this.#deps;
    const subject = `returns ${stream.name}`;
    try {
      const waiting = (await inbox.list("", signal)).filter((name) => name.endsWith(".manifest.json"));
      for (const below of [ANSWERS, DONE, ERROR]) await inbox.list(below, signal);
      const message = `the folder ${inbox.name} can be listed, ${waiting.length} returns wait in it; whether it can be written shows the first return`;
      return [{ subject, verdict: "ok", message }];
    } catch (thrown) {
      signal.throwIfAborted();
      const error = errorFacts(thrown);
      return [{ subject, verdict: "problem", message: errorText(error), code: error.code }];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.inbox[Symbol.asyncDispose]();
  }

  #path(item: ReturnId, ending: "manifest" | "begun"): string {
    return `${BEGUN}/${item.stream}/${subjectBase(item)}.${ending}.json`;
  }

  /** Files by the return that their name tells, of all installations. Temporary ones are not there yet. */
  #bySubject(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const name of names.toSorted()) {
      const id = name.startsWith(".") ? undefined : parseBase(name);
      if (id === undefined) continue;
      const base = subjectBase(id);
      found.set(base, [...(found.get(base) ?? []), name]);
    }
    return found;
  }
}

/** An answer's file: a JSON object, or a line of CSV below its head: result;document;message. */
function answerIn(text: string): JsonObject {
  const json = parsedJson(text);
  if (isJsonObject(json)) return json;
  const [head = "", values = ""] = text.split(/\r?\n/);
  const cells = values.split(";").map((value) =>
    value
      .trim()
      .replace(/^"(.*)"$/, "$1")
      .replaceAll('""', '"'),
  );
  return Object.fromEntries(head.split(";").map((name, at) => [name.trim().toLowerCase(), cells[at] ?? null]));
}
