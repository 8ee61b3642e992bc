import type { QueryResult } from "pg";
import type { OpenDecision, OpenStep } from "../../steps/step.ts";
import type { StatementCall, StepStatement } from "../../statements/statement.ts";
import { callAll } from "../functions/step-statements.ts";
import type { SqlText } from "../sql.ts";

type Rows = readonly (readonly object[])[];

/** Sends statements of a transaction and returns the result of each. */
export type SendPart = (statements: readonly SqlText[]) => Promise<readonly QueryResult[]>;

/** How a step of a batch ended: refused, or with what gives its result when the batch is committed. */
export type StepEnd = { readonly refusal: Error } | { readonly resolve: () => void };

/**
 * Carries out steps in one transaction, in as few messages as possible: one reads the facts of all, the next writes what they decided.
 * Steps that concern the same records go one after the other, in rounds. Returns the last writes, which the caller sends with the commit.
 */
export async function takeSteps(
  steps: readonly OpenStep[],
  send: SendPart,
): Promise<{ statements: readonly SqlText[]; ends: (results: readonly QueryResult[]) => readonly StepEnd[] }> {
  const ends: StepEnd[] = [];
  let round = decideAll([]);
  for (let open = [...steps.entries()]; open.length > 0; open = round.later) {
    const facts = new CallGroups(open.map(([, { calls }]) => calls));
    const written = round.writes.statements;
    const results = await send([...written, ...facts.statements]);
    noteWritten(ends, round, results);
    const rows = facts.rowsOf(results.slice(written.length));
    round = decideAll(open.map(([at, step], list) => ({ at, step, rows: rows[list] ?? [] })));
    for (const { at, refusal } of round.refused) ends[at] = { refusal };
  }
  return {
    statements: round.writes.statements,
    ends(results) {
      noteWritten(ends, round, results);
      return ends;
    },
  };
}

function noteWritten(ends: StepEnd[], { decided, writes }: Round, results: readonly QueryResult[]): void {
  const rows = writes.rowsOf(results);
  for (const [list, { at, decision }] of decided.entries())
    ends[at] = { resolve: () => decision.end(rows[list] ?? []) };
}

interface Ready {
  readonly at: number;
  readonly step: OpenStep;
  readonly rows: Rows;
}

/** Steps that decided about the same facts, by their place in the batch, and what they write. */
interface Round {
  readonly decided: readonly { readonly at: number; readonly decision: OpenDecision }[];
  readonly refused: readonly { readonly at: number; readonly refusal: Error }[];
  readonly later: [at: number, step: OpenStep][];
  readonly writes: CallGroups;
}

/** Decides about each step, except those whose facts an earlier one of the round changes: they read them again, later. */
function decideAll(ready: readonly Ready[]): Round {
  const decided: { at: number; decision: OpenDecision }[] = [];
  const refused: { at: number; refusal: Error }[] = [];
  const later: [number, OpenStep][] = [];
  const changed = new Set<string>();
  const used = new Set<string>();
  for (const { at, step, rows } of ready) {
    const decision = decisionOf(step, rows);
    // A refused step writes nothing, so it may count as the first of the round.
    if (decision instanceof Error) refused.push({ at, refusal: decision });
    else if (isAlone(decision, { changed, used })) {
      decided.push({ at, decision });
      for (const name of decision.changed) changed.add(name);
      for (const name of decision.used) used.add(name);
    } else later.push([at, step]);
  }
  return { decided, refused, later, writes: new CallGroups(decided.map(({ decision }) => decision.writes)) };
}

function isAlone(
  decision: OpenDecision,
  { changed, used }: { changed: ReadonlySet<string>; used: ReadonlySet<string> },
): boolean {
  return (
    decision.changed.every((name) => !changed.has(name) && !used.has(name)) &&
    decision.used.every((name) => !changed.has(name))
  );
}

function decisionOf(step: OpenStep, rows: Rows): OpenDecision | Error {
  try {
    return step.decide(rows);
  } catch (thrown) {
    if (thrown instanceof Error) return thrown;
    throw thrown;
  }
}

/** Statements for several lists of calls, each in its order: calls of one statement that may go together do. */
class CallGroups {
  readonly statements: readonly SqlText[];
  readonly #groups: readonly { readonly of: StepStatement; readonly calls: readonly { list: number; at: number }[] }[];
  readonly #lists: readonly (readonly StatementCall[])[];

  constructor(lists: readonly (readonly StatementCall[])[]) {
    this.#lists = lists;
    const places = lists.map(() => 0);
    const groups: { of: StepStatement; calls: { list: number; at: number }[] }[] = [];
    for (let of = nextOf(lists, places); of !== undefined; of = nextOf(lists, places)) {
      const calls: { list: number; at: number }[] = [];
      for (const [list, all] of lists.entries())
        for (let at = places[list]!; all[at]?.of === of; at++) {
          calls.push({ list, at });
          places[list] = at + 1;
        }
      groups.push({ of, calls });
    }
    this.#groups = groups;
    this.statements = groups.map(({ of, calls }) =>
      callAll(
        of,
        calls.map(({ list, at }) => lists[list]![at]!.values),
      ),
    );
  }

  /** The rows of each call, list by list. */
  rowsOf(results: readonly QueryResult[]): Rows[] {
    const found: object[][][] = this.#lists.map((calls) => calls.map(() => []));
    for (const [number, { calls }] of this.#groups.entries()) {
      const rows: readonly { call?: number }[] = results[number]?.rows ?? [];
      for (const row of rows) {
        const place = row.call === undefined ? undefined : calls[row.call];
        if (place !== undefined) found[place.list]![place.at]!.push(row);
      }
    }
    return found;
  }
}

/** The statement that is next in most lists. */
function nextOf(lists: readonly (readonly StatementCall[])[], places: readonly number[]): StepStatement | undefined {
  const counts = new Map<StepStatement, number>();
  for (const [list, calls] of lists.entries()) {
    const of = calls[places[list]!]?.of;
    if (of !== undefined) counts.set(of, (counts.get(of) ?? 0) + 1);
  }
  let most: StepStatement | undefined;
  for (const [of, count] of counts) if (count > (counts.get(most ?? of) ?? 0) || most === undefined) most = of;
  return most;
}
