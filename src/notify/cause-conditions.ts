import { counted, errorText } from "#model";
import { isSnoozed, remedyOf, type ErrorGroup } from "#operator";
import type { GroupNote } from "#store";
import { PERSON_MS, type Condition } from "./condition.ts";

/** What keeps records from the service until a person acts. */
export interface CauseFacts {
  readonly now: number;
  /** Parked and uncertain records by cause. */
  readonly groups: readonly ErrorGroup[];
  /** People's notes about causes, by the group's id. */
  readonly notes: ReadonlyMap<string, GroupNote>;
  /** The ids of all current notices. */
  readonly known: ReadonlySet<string>;
}

/** How many causes have a notice of their own. */
const CAUSES_MAX = 500;

/** One condition for each of the largest causes, and one for all others: if a refusal repeats a value, each record has its own cause. */
export function causeConditions({ groups, notes, known, now }: CauseFacts): Condition[] {
  const found = groups.filter(needsPerson);
  // A cause keeps its notice: it has not ended just because another cause grew.
  const { before = [], fresh = [] } = Object.groupBy(found, (group) => (known.has(idOf(group)) ? "before" : "fresh"));
  const ordered = [...before, ...fresh];
  const others = ordered.slice(CAUSES_MAX);
  const single = ordered.slice(0, CAUSES_MAX).map((group) => grouped(group, notes.get(group.id), now));
  if (others.length === 0) return single;
  const count = others.reduce((sum, group) => sum + group.count, 0);
  const streams = new Set(others.map(({ stream }) => stream));
  return [
    ...single,
    {
      id: "parked/others",
      kind: "parked",
      severity: "problem",
      title: `${counted(count, "record")} more need attention, for ${counted(others.length, "other cause")}`,
      affected: [...streams].join(", "),
      remedy: '"svcsync groups" lists all causes.',
      count,
      patienceMs: PERSON_MS,
    },
  ];
}

type PersonGroup = ErrorGroup & { readonly state: "parked" | "uncertain" };

function needsPerson(group: ErrorGroup): group is PersonGroup {
  return group.state === "parked" || group.state === "uncertain";
}

function idOf({ state, id }: ErrorGroup): string {
  return `${state}/${id}`;
}

function grouped(group: PersonGroup, note: GroupNote | undefined, now: number): Condition {
  const { stream, state, message, count, error, examples } = group;
  const records = counted(count, "record");
  const isOne = count === 1;
  const example = examples[0]!;
  const all = isOne ? "" : ` All of them: "svcsync retry --group ${group.id}".`;
  return {
    id: idOf(group),
    kind: state,
    severity: "problem",
    title: `${stream}: ${records} ${isOne ? "is" : "are"} ${state}`,
    ...(error === undefined
      ? {}
      : {
          cause: errorText(isOne ? error : { ...error, message }),
          remedy: `${remedyOf(error, example)}${all}`,
        }),
    ...(isSnoozed(note, count, now) ? { isSnoozed: true } : {}),
    affected: `${stream}: ${examples.map(({ key }) => key).join(", ")}${count > examples.length ? " and more" : ""}`,
    count,
    patienceMs: PERSON_MS,
  };
}
