import type { OpenDecision, OpenStep } from "../../steps/step.ts";
import type { StatementCall, StepStatement } from "../../statements/statement.ts";
import type { CallGroup, GroupRows } from "../functions/step-statements.ts";

type Rows = readonly (readonly object[])[];

/** Runs groups of calls in the transaction of a batch and returns their rows. */
export type RunGroups = (groups: readonly CallGroup[]) => Promise<readonly GroupRows[]>;

/** How a step of a batch ended: refused, or with what gives its result when the batch is committed. */
export type StepEnd = { readonly refusal: Error } | { readonly resolve: () => void };

/**
 * Carries out steps in one transaction, in as few messages as possible: one reads the facts of all, the next writes what they decided.
 * Steps that concern the same records go one after the other, in rounds. Returns the last writes, which the caller runs with the commit.
 */
export async function takeSteps(
  steps: readonly OpenStep[],
  run: RunGroups,
): Promise<{ last: readonly CallGroup[]; ends: (rows: readonly GroupRows[]) => readonly StepEnd[] }> {
  const ends: StepEnd[] = [];
  let round = decideAll([]);
  for (let open = [...steps.entries()]; open.length > 0; open = round.later) {
    const facts = new CallGroups(
      open.map(([, { calls }]) => calls),
      { areFacts: true },
    );
    const written = round.writes.groups;
    const found = await run([...written, ...facts.groups]);
    noteWritten(ends, round, found);
    const rows = facts.rowsOf(found, written.length);
    round = decideAll(open.map(([at, step], list) => ({ at, step, rows: rows[list] ?? [] })));
    for (const { at, refusal } of round.refused) ends[at] = { refusal };
  }
  return {
    last: round.writes.groups,
    ends(rows) {
      noteWritten(ends, round, rows);
      return ends;
    },
  };
}

function noteWritten(ends: StepEnd[], { decided, writes }: Round, found: readonly GroupRows[]): void {
  const rows = writes.rowsOf(found);
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

/** Several lists of calls, each in its order, as groups: calls of one statement that may go together do. */
class CallGroups {
  readonly groups: readonly CallGroup[];
  /** For each call of each group, whose it is. Facts that several steps read alike are read once. */
  readonly #owners: (readonly (readonly CallPlace[])[])[] = [];
  readonly #lists: readonly (readonly StatementCall[])[];

  constructor(lists: readonly (readonly StatementCall[])[], { areFacts = false } = {}) {
    this.#lists = lists;
    const groups: CallGroup[] = [];
    const places = lists.map(() => 0);
    for (let of = nextOf(lists, places); of !== undefined; of = nextOf(lists, places)) {
      const calls = new Map<unknown, { readonly values: StatementCall["values"]; readonly owners: CallPlace[] }>();
      for (const [list, all] of lists.entries()) {
        let at = places[list]!;
        for (let next = all[at]; next?.of === of; next = all[++at]) {
          const key = areFacts ? JSON.stringify(next.values) : next;
          const known = calls.get(key);
          if (known === undefined) calls.set(key, { values: next.values, owners: [{ list, at }] });
          else known.owners.push({ list, at });
        }
        places[list] = at;
      }
      groups.push({ of, calls: [...calls.values()].map(({ values }) => values) });
      this.#owners.push([...calls.values()].map(({ owners }) => owners));
    }
    this.groups = groups;
  }

  /** The rows of each call, list by list. `first` is the place of these groups among those that were run. */
  rowsOf(found: readonly GroupRows[], first = 0): Rows[] {
    const lists: object[][][] = this.#lists.map((calls) => calls.map(() => []));
    for (const { part, rows } of found)
      for (const row of rows ?? [])
        for (const { list, at } of this.#owners[part - first]?.[row.call - 1] ?? []) lists[list]![at]!.push(row);
    return lists;
  }
}

/** A call by its list and its place there. */
interface CallPlace {
  readonly list: number;
  readonly at: number;
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
