import { isJsonObject, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import type { ReadParts } from "./lists.ts";
import { untilAborted } from "./shared-work.ts";
import { idOf, keyText } from "./values.ts";

/** As many questions as one request carries. */
const BATCH = 50;

interface Question {
  readonly data: JsonObject;
  readonly answer: (ids: ServiceId[]) => void;
  readonly fail: (thrown: unknown) => void;
}

/** The `guess` endpoint: exact matches by fields, many questions in one request. Questions asked at once travel together. */
export class Guess {
  readonly #parts: ReadParts;
  readonly #closing: AbortSignal;
  readonly #open = new Map<ResourceName, Question[]>();

  constructor(parts: ReadParts, closing: AbortSignal) {
    this.#parts = parts;
    this.#closing = closing;
  }

  /** Ids that the service says match `data`; to be compared by whoever asks. */
  ask(resource: ResourceName, data: JsonObject, signal: AbortSignal): Promise<ServiceId[]> {
    const asked = new Promise<ServiceId[]>((answer, fail) => {
      const questions = this.#open.get(resource);
      if (questions !== undefined) questions.push({ data, answer, fail });
      else {
        this.#open.set(resource, [{ data, answer, fail }]);
        setImmediate(() => this.#flush(resource));
      }
    });
    return untilAborted(asked, signal);
  }

  #flush(resource: ResourceName): void {
    const questions = this.#open.get(resource) ?? [];
    this.#open.delete(resource);
    for (let at = 0; at < questions.length; at += BATCH) void this.#send(resource, questions.slice(at, at + BATCH));
  }

  async #send(resource: ResourceName, questions: readonly Question[]): Promise<void> {
    const { transport, paths, brand } = this.#parts;
    try {
      const { body } = await transport.send({
        method: "POST",
        resource,
        url: `${await paths.collection(resource, {})}/guess`,
        body: questions.map(({ data }, at) => ({ eid: String(at), data: brand.encode(data) })),
        repeat: "quick",
        signal: this.#closing,
      });
      const ids = answersIn(body);
      for (const [at, question] of questions.entries()) question.answer(ids.get(String(at)) ?? []);
    } catch (thrown) {
      for (const question of questions) question.fail(thrown);
    }
  }
}

/** Several rows may answer one question; a row without an id answers none. */
function answersIn(body: Json | undefined): Map<string, ServiceId[]> {
  const answers = new Map<string, ServiceId[]>();
  for (const row of Array.isArray(body) ? body.filter(isJsonObject) : []) {
    const id = idOf(row["id"]);
    const eid = keyText(row["eid"]) ?? "";
    if (id !== undefined) answers.set(eid, [...(answers.get(eid) ?? []), id]);
  }
  return answers;
}
