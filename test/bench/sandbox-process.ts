import { sleep, type ResourceName } from "#model";
import type { Fault, RequestQuery, StoredRecord, WriteEntry } from "#sandbox";
import { Child } from "./child.ts";

export type Question =
  | { readonly kind: "count" | "passed"; readonly query: RequestQuery }
  | { readonly kind: "window"; readonly query: RequestQuery; readonly skip: number }
  | { readonly kind: "records" | "writes"; readonly resource: ResourceName }
  | { readonly kind: "approve"; readonly customer: number };

/** How many requests of a kind there were, and, for a window, when the first and the last of them ended. */
export interface Answer {
  readonly count: number;
  readonly firstAt?: number;
  readonly lastAt?: number;
  readonly url?: string;
  /** When each request ended that was not refused as one too many. */
  readonly passedAt?: readonly number[];
  readonly records?: readonly StoredRecord[];
  readonly writes?: readonly WriteEntry[];
}

const LOOK_MS = 50;

/** The stand-in for the service in a process of its own, as it would be in life. */
export class SandboxProcess implements AsyncDisposable {
  readonly url: string;
  readonly #child: Child;
  #number = 0;

  private constructor(child: Child, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** An empty one with these faults. The same records get the same ids in each. */
  static async start(faults: readonly Fault[] = []): Promise<SandboxProcess> {
    const child = new Child("sandbox-process-main.ts", [JSON.stringify(faults)]);
    const { url } = await child.next(isStarted);
    return new SandboxProcess(child, url);
  }

  async count(query: RequestQuery = {}): Promise<number> {
    return (await this.#ask({ kind: "count", query })).count;
  }

  /** When each request of a kind ended that was not refused as one too many. */
  async passedAt(query: RequestQuery = {}): Promise<readonly number[]> {
    return (await this.#ask({ kind: "passed", query })).passedAt ?? [];
  }

  /** The first and the last request of a kind, without the first `skip` of them. */
  async window(query: RequestQuery, skip = 0): Promise<Answer> {
    return this.#ask({ kind: "window", query, skip });
  }

  /** All records of a resource, as {@link Sandbox.records} has them. */
  async records(resource: ResourceName): Promise<readonly StoredRecord[]> {
    return (await this.#ask({ kind: "records", resource })).records ?? [];
  }

  /** All writes of a resource, oldest first. */
  async writes(resource: ResourceName): Promise<readonly WriteEntry[]> {
    return (await this.#ask({ kind: "writes", resource })).writes ?? [];
  }

  /** A report with lines for this customer, approved by a person. Resolves to its id, and when that was. */
  async approve(customer: number): Promise<{ id: number; at: number }> {
    const { count: id, firstAt: at = Number.NaN } = await this.#ask({ kind: "approve", customer });
    return { id, at };
  }

  /** Resolves when there were so many requests of this kind. @throws {Error} when the time is up. */
  async reached(count: number, query: RequestQuery, timeoutMs: number): Promise<void> {
    const endAt = Date.now() + timeoutMs;
    for (;;) {
      const reached = await this.count(query);
      if (reached >= count) return;
      if (Date.now() > endAt) throw new Error(`only ${reached} of ${count} requests came in ${timeoutMs} ms`);
      await sleep(LOOK_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }

  async #ask(question: Question): Promise<Answer> {
    const number = ++this.#number;
    const isMine = (message: unknown): message is { number: number; answer: Answer } =>
      typeof message === "object" &&
      message !== null &&
      "answer" in message &&
      Reflect.get(message, "number") === number;
    const answered = this.#child.next(isMine);
    this.#child.send({ number, question });
    return (await answered).answer;
  }
}

function isStarted(message: unknown): message is { url: string } {
  return typeof message === "object" && message !== null && "url" in message;
}
