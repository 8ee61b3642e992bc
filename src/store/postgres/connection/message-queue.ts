import type { QueryResult } from "pg";
import { RetryError, sleep, type SyncError } from "#model";
import { opened, type OpenStep, type Step, type StepDriver } from "../../steps/step.ts";
import { call, type SqlText } from "../sql.ts";
import { NotCarriedOut, isPostgresStepFault, isNoMember, postgresFailure } from "./failures.ts";
import type { Link } from "./link.ts";
import { callGroups } from "../functions/step-statements.ts";
import { takeSteps, type StepEnd } from "./step-batch.ts";

/** Most requests in one message: enough for all workers, few enough that none waits for long. */
const TOGETHER = 200;
const AGAIN_MS = 250;

/** One call of a function that takes a list of calls. */
interface ListedCall {
  readonly name: string;
  readonly values: object;
}

interface Request {
  readonly of: readonly SqlText[] | ListedCall | OpenStep;
  readonly resolve: (results: QueryResult[]) => void;
  readonly reject: (reason: Error) => void;
}

interface MessageStart {
  readonly statements: () => readonly SqlText[];
  readonly hear: (results: readonly QueryResult[]) => void;
}

/**
 * Sends reads or steps to the server. Requests made while a message is in flight are batched into the next one, in order, as one
 * transaction: workers do not wait for each other, however far away the server is. A request that fails leaves no trace and fails alone.
 *
 * Messages with steps begin by taking the store's lock, which ends with their transaction. So steps run one after the other, across all
 * processes, and a client that is stopped in the middle holds nothing.
 */
export class MessageQueue implements StepDriver {
  readonly #link: Pick<Link, "send" | "transaction">;
  readonly #lanes: number;
  readonly #patienceMs: number;
  readonly #first: MessageStart;
  #waiting: Request[] = [];
  /** Waiting statements that {@link share} may answer together. */
  #shared = new Map<SqlText, Promise<QueryResult[]>>();
  /** Number of lanes in use. */
  #busy = 0;
  #idle: Promise<unknown> = Promise.resolve();
  #refusal: SyncError | undefined;

  /**
   * `lanes` is how many messages may be in flight at once. `patienceMs` is how long requests wait for a server that takes no connections or
   * no writes. `first` supplies the statements at the start of each message and gets their results.
   */
  constructor(
    link: Pick<Link, "send" | "transaction">,
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
   * Resolves to the rows of one call of a function that takes a list of calls; the function marks each row with the number of its call. All
   * calls of one function in a message are sent as one statement.
   */
  async together<Row>(name: string, values: object): Promise<Row[]> {
    const [result] = await this.#ask({ name, values });
    return result?.rows ?? [];
  }

  /** Runs a step, whose facts and writes go in messages of one transaction with those of the other steps. */
  async take<Facts extends object, Value>(step: Step<Facts, Value>): Promise<Value> {
    let done: { readonly value: Value } | undefined;
    const of = opened(step, (value: Value) => {
      done = { value };
    });
    await this.#ask(of);
    return done!.value;
  }

  /** Like {@link run}, for a read. Callers that ask for the same before it is sent share one answer. */
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

  /** Refuses all later requests with this reason, and those in flight that find the place gone: this is why it is. */
  refuse(reason: SyncError): void {
    this.#refusal = reason;
  }

  /** Waits for the requests so far and refuses later ones. */
  async close(reason: SyncError): Promise<void> {
    this.refuse(reason);
    await this.#idle;
  }

  async #send(): Promise<void> {
    this.#busy += 1;
    // Batch all requests of the same turn of the event loop.
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
        } else if (requests.length > 1 && isPostgresStepFault(thrown)) await this.#eachAlone(requests);
        else for (const { reject } of requests) reject(this.#failure(thrown));
      }
    }
    this.#busy -= 1;
  }

  /** Whether the server may be back soon and has carried out nothing of the message. */
  #mayWait(thrown: unknown, silentSince: number): boolean {
    if (this.#refusal || !(thrown instanceof NotCarriedOut)) return false;
    const isPatient = performance.now() - silentSince < this.#patienceMs;
    return isPatient && postgresFailure(thrown) instanceof RetryError;
  }

  #failure(thrown: unknown): Error {
    return this.#refusal && isNoMember(thrown) ? this.#refusal : postgresFailure(thrown);
  }

  async #carryOut(requests: readonly Request[]): Promise<void> {
    const first = this.#first.statements();
    const steps = requests.flatMap((request) => ("decide" in request.of ? [{ of: request.of, request }] : []));
    const { statements, answer } = messageOf(requests.filter(({ of }) => !("decide" in of)));
    if (steps.length === 0) {
      const all = await this.#link.send([...first, ...statements]);
      this.#first.hear(all.slice(0, first.length));
      answer(all.slice(first.length));
      return;
    }
    await this.#link.transaction(async (send) => {
      let begun: readonly QueryResult[] | undefined;
      const taken = await takeSteps(
        steps.map(({ of }) => of),
        async (groups) => {
          const results = await send([...(begun === undefined ? first : []), callGroups(groups)]);
          begun ??= results.slice(0, first.length);
          return results.at(-1)?.rows ?? [];
        },
      );
      const writes = taken.last.length === 0 ? [] : [callGroups(taken.last)];
      return {
        last: [...writes, ...statements],
        done: (results) => {
          this.#first.hear(begun ?? []);
          const ends = taken.ends(writes.length === 0 ? [] : (results[0]?.rows ?? []));
          for (const [at, { request }] of steps.entries()) settle(request, ends[at]!);
          answer(results.slice(writes.length));
        },
      };
    });
  }

  async #eachAlone(requests: readonly Request[]): Promise<void> {
    for (const request of requests)
      await this.#carryOut([request]).catch((thrown: unknown) => request.reject(this.#failure(thrown)));
  }
}

function settle({ resolve, reject }: Request, end: StepEnd): void {
  if ("refusal" in end) return reject(postgresFailure(end.refusal));
  end.resolve();
  resolve([]);
}

/** The statements of these requests, and what gives each its results. */
function messageOf(requests: readonly Request[]): {
  statements: readonly SqlText[];
  answer: (results: readonly QueryResult[]) => void;
} {
  const statements: SqlText[] = [];
  const lists = new Map<string, { readonly at: number; readonly calls: object[] }>();
  const answers = requests.map(({ of }): ((all: readonly QueryResult[]) => QueryResult[]) => {
    if (!("name" in of)) {
      const own = "decide" in of ? [] : of;
      const at = statements.push(...own);
      return (all) => all.slice(at - own.length, at);
    }
    const { at, calls } = lists.get(of.name) ?? { at: statements.push("") - 1, calls: [] };
    lists.set(of.name, { at, calls });
    const number = calls.push({ call: calls.length, ...of.values }) - 1;
    return (all) => all.slice(at, at + 1).map((result) => ownOf(result, number));
  });
  for (const [name, { at, calls }] of lists) statements[at] = call(name, calls);
  return {
    statements,
    answer(results) {
      for (const [at, { resolve }] of requests.entries()) resolve(answers[at]!(results));
    },
  };
}

function ownOf(result: QueryResult<{ call?: number }>, number: number): QueryResult {
  return { ...result, rows: result.rows.filter((row) => row.call === number) };
}
