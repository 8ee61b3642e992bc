import { recordName, type StreamName } from "#model";
import type { StageResult } from "../facts.ts";
import { FIRST_GUARDED, LANE } from "../lanes.ts";
import type { StoreChange } from "../news.ts";
import { forgetDeletion } from "../statements/deletions.ts";
import {
  addContents,
  addRecord,
  addNewRecords,
  addStream,
  changeRecord,
  countChanges,
  findDifferent,
  findKnown,
  findLastRecord,
  findSequence,
  saveContents,
  type StagedRow,
  type NewsRow,
} from "../statements/intake.ts";
import type { StatementCall } from "../statements/statement.ts";
import { next } from "../transitions.ts";
import type { FactRows, Step } from "./step.ts";

/** How rows are staged. */
export interface Staging {
  /** Whether they are a first load, which live changes overtake. */
  readonly backfill?: boolean;
  /** The stream's sequence before they were read: records that changed later are left alone. */
  readonly since?: number;
  /** Whether a bound record that changes is held until its round is decided. */
  readonly guarded?: boolean;
}

interface StagingFacts {
  readonly stream: { sequence: number };
  readonly last: { id: number };
  readonly different: NewsRow;
  readonly odd: NewsRow;
}

/** Stages rows that differ from the store, and carries out `moves`, the change of a cursor. */
export function stageNews(
  stream: StreamName,
  news: readonly StoreChange[],
  staging: Staging,
  { moves = [], now }: { readonly moves?: readonly StatementCall[]; readonly now: number },
): Step<StagingFacts, StageResult> {
  const texts = news.map(comparable);
  const plain = [...texts.keys()].filter((at) => texts[at] !== undefined);
  const odd = [...texts.keys()].filter((at) => texts[at] === undefined);
  return {
    // It belongs to the stream.
    record: { stream: "", key: stream },
    facts: {
      stream: [findSequence({ stream })],
      last: [findLastRecord({})],
      different: plain.length === 0 ? [] : [findDifferent({ stream, news: plain.map((at) => texts[at] ?? "") })],
      odd: odd.map((at) => findKnown({ stream, key: news[at]!.key, at })),
    },
    decide(facts) {
      const before = facts.stream[0]?.sequence ?? 0;
      const { since = Infinity } = staging;
      const differing = differingOf(facts, { news, plain, odd });
      const changed = differing.flatMap(({ at, known }) =>
        known === undefined || known.sequence > since ? [] : [{ news: news[at]!, known }],
      );
      // A deletion of an unknown key is dropped.
      const added = differing.filter(({ at, known }) => known === undefined && !news[at]!.deleted);
      const place = { stream, lane: staging.backfill === true ? LANE.backfill : LANE.live, now };
      const first = { record: (facts.last[0]?.id ?? 0) + 1, sequence: before + changed.length + 1 };
      const sequence = before + changed.length + added.length;
      const isLate = differing.filter(({ known }) => known !== undefined && known.sequence > since);
      return {
        writes: [
          ...(facts.stream.length === 0 ? [addStream({ stream })] : []),
          ...changes(changed, { ...place, sequence: before + 1, guarded: staging.guarded === true }),
          ...additions(
            added.map(({ at }) => ({ news: news[at]!, text: texts[at] })),
            { ...place, ...first },
          ),
          ...(sequence === before ? [] : [countChanges({ stream, sequence })]),
          ...moves,
        ],
        value: { changed: sequence - before, unchanged: news.length - differing.length + isLate.length },
        touches: differing.map(({ at }) => recordName({ stream, key: news[at]!.key })),
      };
    },
  };
}

/** Hash and key in one text; undefined if a database could read another text from a list of them. Such rows are looked up one by one. */
export function comparable({ key, hash, unreadable }: StoreChange): string | undefined {
  return unreadable !== undefined || !key.isWellFormed() || key.includes("\0") ? undefined : hash + key;
}

const knownOf = (row: NewsRow): StagedRow | undefined => (row.id === null ? undefined : row);

/** The places of the rows that differ from the store, in order, with what the store knows. */
function differingOf(
  facts: FactRows<StagingFacts>,
  { news, plain, odd }: { news: readonly StoreChange[]; plain: readonly number[]; odd: readonly number[] },
): { readonly at: number; readonly known: StagedRow | undefined }[] {
  const different = facts.different.map((row) => ({ at: plain[row.at]!, known: knownOf(row) }));
  const byPlace = new Map(facts.odd.map((row) => [row.at, knownOf(row)]));
  const others = odd.map((at) => ({ at, known: byPlace.get(at) }));
  return [...different, ...others.filter(({ at, known }) => known?.hash !== news[at]!.hash)].toSorted(
    (one, other) => one.at - other.at,
  );
}

interface Place {
  readonly stream: StreamName;
  readonly lane: number;
  readonly now: number;
  /** Of the first row; those of the others follow. */
  readonly sequence: number;
}

/** The writes for records whose rows have changed. */
function changes(
  changed: readonly { readonly news: StoreChange; readonly known: StagedRow }[],
  { lane, now, sequence, guarded }: Place & { readonly guarded: boolean },
): readonly StatementCall[] {
  return [
    ...changed.map(({ news: { hash, deleted, unreadable }, known }, number) => {
      const { id: record, state, due_at: dueAt } = known;
      const isClaimed = state === "claimed";
      return changeRecord({
        record,
        state: next(state, "change"),
        hash,
        sequence: sequence + number,
        deleted: deleted ? 1 : 0,
        backfill: laneOf(known, lane, guarded),
        dueAt: isClaimed ? dueAt : Math.min(state === "due" ? (dueAt ?? now) : now, now),
        again: isClaimed ? 1 : 0,
        now,
        error: errorText(unreadable),
      });
    }),
    ...changed.flatMap(({ news: { row }, known: { id } }) =>
      row === undefined ? [] : [saveContents({ record: id, row: JSON.stringify(row) })],
    ),
    ...changed.flatMap(({ news, known }) =>
      known.deleted === 1 && !news.deleted ? [forgetDeletion({ record: known.id })] : [],
    ),
  ];
}

/** The writes for records that the store did not know: one statement for all whose texts can be in a list. */
function additions(
  added: readonly { readonly news: StoreChange; readonly text: string | undefined }[],
  { stream, lane: backfill, now, sequence, record }: Place & { readonly record: number },
): readonly StatementCall[] {
  const place = { stream, backfill, now };
  const listed = added.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const single = added.filter(({ text }) => text === undefined);
  const all = [...added.filter(({ text }) => text !== undefined), ...single];
  return [
    ...(listed.length === 0 ? [] : [addNewRecords({ ...place, news: listed, first: record, sequence })]),
    ...single.map(({ news: { key, hash, unreadable } }, at) => {
      const number = listed.length + at;
      const own = { record: record + number, sequence: sequence + number };
      return addRecord({ ...place, ...own, key, hash, error: errorText(unreadable) });
    }),
    ...all.map(({ news: { row } }, at) => addContents({ record: record + at, row: JSON.stringify(row ?? {}) })),
  ];
}

function errorText(error: StoreChange["unreadable"]): string | null {
  return error === undefined ? null : JSON.stringify(error);
}

/** A pending record keeps its place: a live change is never demoted to first-load priority, and a guarded one stays guarded. */
function laneOf({ state, backfill, bound }: StagedRow, lane: number, guarded: boolean): number {
  const isPending = state === "claimed" || state === "due";
  const isGuarded = isPending && backfill >= FIRST_GUARDED;
  if (guarded && bound === 1) return isGuarded && backfill !== LANE.undecided ? LANE.heldAgain : LANE.undecided;
  if (isGuarded) return backfill;
  return isPending ? Math.min(backfill, lane) : lane;
}
