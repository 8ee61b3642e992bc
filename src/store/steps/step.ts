import { recordName, type RecordId } from "#model";
import type { StatementCall } from "../statements/statement.ts";

/** The statements that read a step's facts, by the name of the fact. */
type FactCalls<Facts> = { readonly [Name in keyof Facts]: readonly StatementCall<Facts[Name]>[] };

/** The rows of each fact, in the order of its statements. */
export type FactRows<Facts> = { readonly [Name in keyof Facts]: readonly Facts[Name][] };

/**
 * One atomic step on a record. A store reads its facts, lets it decide, and carries out the writes, all in one transaction. `Facts` are the
 * rows by the name of the fact.
 */
export interface Step<Facts extends object, Value> {
  /** The record that the step may change. No other step sees it in between. */
  readonly record: RecordId;
  /** Other records on which the decision depends or that the writes mention: none of them is changed in between. */
  readonly uses?: readonly RecordId[];
  readonly facts: FactCalls<Facts>;
  /** Pure. A throw refuses the step: then nothing is written. */
  decide(facts: FactRows<Facts>): Decided<Value>;
}

/** The rows of each write of a step. */
export type WrittenRows = readonly (readonly object[])[];

/** What a step does about its facts, and its result, or what makes that from the rows of the writes. */
export type Decided<Value> = {
  readonly writes: readonly StatementCall[];
  /** Names of further records, found in the facts, which the step may change. */
  readonly touches?: readonly string[];
} & ({ readonly value: Value } | { readonly valueFrom: (rows: WrittenRows) => Value });

/** Runs steps: each is all or nothing, and in effect they run one after the other. */
export interface StepDriver {
  /** Resolves when the step is committed; if it is `durable`, when it is on disk. */
  take<Facts extends object, Value>(step: Step<Facts, Value>, options?: { readonly durable?: boolean }): Promise<Value>;
}

/** Also runs work on lists of any length. */
export interface ListDriver extends StepDriver {
  /**
   * Takes a step for each part of a list, in order, and at least one. Other steps run in between, so that the list blocks nothing for long.
   * Returns their results.
   */
  takeEach<Item, Facts extends object, Value>(
    items: readonly Item[],
    step: (part: readonly Item[], isLast: boolean) => Step<Facts, Value>,
  ): Promise<Value[]>;
}

/** A step as drivers see it: whatever its facts are, they are calls and lists of rows. */
export interface OpenStep {
  readonly calls: readonly StatementCall[];
  /** @param rows the rows of each call. @throws the refusal. */
  readonly decide: (rows: readonly (readonly object[])[]) => OpenDecision;
}

export interface OpenDecision {
  readonly writes: readonly StatementCall[];
  /** Records that the step may change, and those on which it only depends. */
  readonly changed: readonly string[];
  readonly used: readonly string[];
  /** Gives the step's result, from the rows of each write. */
  readonly end: (rows: WrittenRows) => void;
}

/** Opens a step for a driver. `done` gets the result. */
export function opened<Facts extends object, Value>(step: Step<Facts, Value>, done: (value: Value) => void): OpenStep {
  const calls = Object.values<readonly StatementCall[]>(step.facts).flat();
  return {
    calls,
    decide(rows) {
      let at = 0;
      const decided = step.decide(readFacts(step, () => rows[at++] ?? []));
      return {
        writes: decided.writes,
        changed: [recordName(step.record), ...(decided.touches ?? [])],
        used: step.uses?.map(recordName) ?? [],
        end: (written) => done(resultOf(decided, written)),
      };
    },
  };
}

/** Reads the facts of a step, statement by statement. */
export function readFacts<Facts extends object, Value>(
  { facts }: Step<Facts, Value>,
  rowsOf: (call: StatementCall) => readonly object[],
): FactRows<Facts> {
  const found: Record<string, readonly object[]> = {};
  for (const [name, calls] of Object.entries<readonly StatementCall[]>(facts)) {
    const [only, ...others] = calls;
    found[name] = only !== undefined && others.length === 0 ? rowsOf(only) : calls.flatMap(rowsOf);
  }
  return Object.assign(found);
}

export function resultOf<Value>(decided: Decided<Value>, rows: WrittenRows): Value {
  return "valueFrom" in decided ? decided.valueFrom(rows) : decided.value;
}
