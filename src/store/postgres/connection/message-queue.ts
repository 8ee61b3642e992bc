import type { QueryResult } from "pg";
import { RetryError, sleep, type SyncError } from "#model";
import { call, type SqlText } from "../sql.ts";
import { NotCarriedOut, concernsOneStep, storeFailure } from "./failures.ts";
import type { Link } from "./link.ts";

/** Requests in one message: enough for all workers, and none waits for long. */
const TOGETHER = 200;
const AGAIN_MS = 250;

/** One of the calls that a function takes in a list. */
interface ListedCall {
  readonly name: string;
  readonly values: object;
}

interface Request {
  readonly of: readonly SqlText[] | ListedCall;
  readonly resolve: (results: QueryResult[]) => void;
  readonly reject: (reason: Error) => void;
}

interface MessageStart {
  readonly statements: () => readonly SqlText[];
  readonly hear: (results: readonly QueryResult[]) => void;
}

/**
 * Sends reads or steps to the server. Those that are asked for while a message is on its way go together in the next one, in
 * order, as one transaction: however far the server is, workers do not wait for each other. One that fails leaves no trace and
 * fails alone.
 *
 * Messages with steps begin with the lock of the store, which ends with their transaction. So steps happen one after the other,
 * of other processes too, and a client that is stopped in the middle holds nothing.
 */
export class MessageQueue {
  readonly #link: Pick<Link, "send">;
  readonly #lanes: number;
  readonly #patienceMs: number;
  readonly #first: MessageStart;
  #waiting: Request[] = [];
  /** Statements that wait and have been asked for by {@link share}. */
  #shared = new Map<SqlText, Promise<QueryResult[]>>();
  /** Lanes that are in use. */
  #busy = 0;
  #idle: Promise<unknown> = Promise.resolve();
  #refusal: SyncError | undefined;

  /**
   * `lanes` is how many messages may be on their way at once, and `patienceMs` how long requests wait for a server that takes no
   * connections or no writes; `first` is what each message begins with, and hears the results.
   */
  constructor(
    link: Pick<Link, "send">,
    { lanes, patienceMs }: { lanes: number; patienceMs: number },
    first: MessageStart = { statements: () => [], hear: () => undefined },
  ) {
    this.#link = link;
    this.#lanes = lanes;
    this.#patienceMs = patienceMs;
    this.#first = first;
  }

  /** Resolves to the results of the statements once they are committed. @throws {SyncError} */
  run(statements: readonly SqlText[]): Promise<QueryResult[]> {
    return this.#ask(statements);
  }

  /**
   * Resolves to the rows of one call of a function that takes a list of calls, by the number of the call that it tells with each. All calls
   * of a function that are in one message are one statement.
   */
  async together<Row>(name: string, values: object): Promise<Row[]> {
    const [result] = await this.#ask({ name, values });
    return result?.rows ?? [];
  }

  /** As {@link run}, for a read: those who ask the same before it is on its way get one answer. */
  share(statement: SqlText): Promise<QueryResult[]> {
    const asked = this.#shared.get(statement) ?? this.run([statement]);
    this.#shared.set(statement, asked);
    return asked;
  }

  #ask(of: Request["of"]): Promise<QueryResult[]> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ of, resolve, reject });
      if (this.#busy < this.#lanes) this.#idle = Promise.all([this.#idle, this.#send()]);
    });
  }

  /** From now on everything is refused for this reason. */
  refuse(reason: SyncError): void {
    this.#refusal = reason;
  }

  /** Waits for what was asked for, and refuses what comes later. */
  async close(reason: SyncError): Promise<void> {
    this.refuse(reason);
    await this.#idle;
  }

  async #send(): Promise<void> {
    this.#busy += 1;
    // What is asked for in the same turn of the event loop goes together.
    await new Promise(setImmediate);
    let silentSince: number | undefined;
    while (this.#waiting.length > 0) {
      const requests = this.#waiting.splice(0, TOGETHER);
      this.#shared.clear();
      try {
        await this.#carryOut(requests);
        silentSince = undefined;
      } catch (thrown) {
        silentSince ??= performance.now();
        if (this.#mayWait(thrown, silentSince)) {
          this.#waiting.unshift(...requests);
          await sleep(AGAIN_MS);
        } else if (requests.length > 1 && concernsOneStep(thrown)) await this.#eachAlone(requests);
        else for (const { reject } of requests) reject(storeFailure(thrown));
      }
    }
    this.#busy -= 1;
  }

  /** Whether the server may be back soon, and has nothing of the message. */
  #mayWait(thrown: unknown, silentSince: number): boolean {
    if (this.#refusal || !(thrown instanceof NotCarriedOut)) return false;
    const isPatient = performance.now() - silentSince < this.#patienceMs;
    return isPatient && storeFailure(thrown) instanceof RetryError;
  }

  async #carryOut(requests: readonly Request[]): Promise<void> {
    const statements = [...this.#first.statements()];
    const firsts = statements.length;
    const lists = new Map<string, { readonly at: number; readonly calls: object[] }>();
    const answers = requests.map(({ of }): ((all: readonly QueryResult[]) => QueryResult[]) => {
      if (!("name" in of)) {
        const at = statements.push(...of);
        return (all) => all.slice(at - of.length, at);
      }
      const { at, calls } = lists.get(of.name) ?? { at: statements.push("") - 1, calls: [] };
      lists.set(of.name, { at, calls });
      const number = calls.push({ call: calls.length, ...of.values }) - 1;
      return (all) => all.slice(at, at + 1).map((result) => ownOf(result, number));
    });
    for (const [name, { at, calls }] of lists) statements[at] = call(name, calls);
    const all = await this.#link.send(statements);
    this.#first.hear(all.slice(0, firsts));
    for (const [at, { resolve }] of requests.entries()) resolve(answers[at]!(all));
  }

  async #eachAlone(requests: readonly Request[]): Promise<void> {
    for (const request of requests)
      await this.#carryOut([request]).catch((thrown: unknown) => request.reject(storeFailure(thrown)));
  }
}

function ownOf(result: QueryResult<{ call?: number }>, number: number): QueryResult {
  return { ...result, rows: result.rows.filter((row) => row.call === number) };
}
