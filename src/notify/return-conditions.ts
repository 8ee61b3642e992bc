import { counted, errorText } from "#model";
import { healsItself, remedyOf, roughDuration, type ReturnStatus, type ReturnTrouble } from "#operator";
import { failingCondition, PERSON_MS, type Condition } from "./condition.ts";

const titles: Readonly<Record<ReturnTrouble["kind"], (stream: string, count: string) => string>> = {
  refused: (stream, count) => `${stream}: the ERP refused ${count}`,
  uncertain: (stream, count) => `${stream}: it is unknown whether ${count} arrived`,
  held: (stream, count) => `${stream}: ${count} held for a person`,
  blocked: (stream, count) => `${stream}: ${count} cannot be made, because something is missing`,
  following: (stream, count) => `${stream}: what follows ${count} cannot be written into the service`,
};

/** The conditions about the lane back to the ERP. `afterMs`: how long a retried operation must fail before it is reported. */
export function returnConditions(statuses: readonly ReturnStatus[], afterMs: number): Condition[] {
  return statuses.flatMap((status) => [
    ...status.troubles.flatMap((trouble) => troubled(status, trouble)),
    ...overdue(status),
    ...guarded(status),
    ...failing(status, afterMs),
    ...unlisted(status),
  ]);
}

/** Nothing for what is retried until it succeeds. */
function troubled({ name }: ReturnStatus, { kind, count, example }: ReturnTrouble): Condition[] {
  if (example !== undefined && healsItself(example.error.code)) return [];
  const key = example?.id.split("/").slice(1).join("/");
  return [
    {
      id: `returns/${name}/${kind}`,
      kind: kind === "uncertain" ? "uncertain" : "returns",
      severity: "problem",
      title: titles[kind](name, counted(count, "return")),
      ...(example === undefined ? {} : { cause: errorText(example.error) }),
      affected: example === undefined ? name : `${example.id}${count > 1 ? " and others" : ""}`,
      remedy:
        example === undefined || key === undefined
          ? `"svcsync returns ${name}" lists them.`
          : remedyOf(example.error, { stream: name, key }),
      count,
      patienceMs: PERSON_MS,
    },
  ];
}

function overdue({ name, isOverdue, unansweredMs = 0, counts }: ReturnStatus): Condition[] {
  if (!isOverdue) return [];
  const count = counts.delivered ?? 0;
  return [
    {
      id: `returns/${name}/unanswered`,
      kind: "returns",
      severity: "problem",
      title: `${name}: the ERP has not answered for ${roughDuration(unansweredMs)}`,
      cause: "the oldest return without an answer has waited longer than answers.within allows (E_RETURN_UNANSWERED)",
      affected: `${counted(count, "return")} of ${name}`,
      remedy: remedyOf({ code: "E_RETURN_UNANSWERED" }, { stream: name }),
      count,
      patienceMs: 0,
    },
  ];
}

/** A pause is only a note, because a person set it. */
function guarded({ name, mark }: ReturnStatus): Condition[] {
  const common = { affected: name, kind: "held", patienceMs: PERSON_MS } as const;
  const { held, paused } = mark ?? {};
  return [
    ...(held === undefined
      ? []
      : [
          {
            ...common,
            id: `returns/${name}/guard`,
            severity: "problem" as const,
            title: `${name}: the guard holds ${counted(held.count, "return")}`,
            cause: `more than usual at once, which is at most ${held.usual} in an hour (E_RETURN_GUARD)`,
            remedy: remedyOf({ code: "E_RETURN_GUARD" }, { stream: name }),
            count: held.count,
          },
        ]),
    ...(paused === undefined
      ? []
      : [
          {
            ...common,
            id: `returns/${name}/pause`,
            severity: "note" as const,
            title: `${name} is paused: nothing of it is handed over`,
            cause: `paused by ${paused.by.name}`,
            remedy: `"svcsync returns resume ${name}" ends it.`,
          },
        ]),
  ];
}

function failing({ name, mark }: ReturnStatus, afterMs: number): Condition[] {
  const error = mark?.error;
  if (error === undefined) return [];
  const id = `returns/${name}/failing/${error.code}`;
  return [failingCondition({ id, title: `${name}: the lane back to the ERP fails`, error, streams: [name] }, afterMs)];
}

function unlisted({ name, state, attention }: ReturnStatus): Condition[] {
  if (state !== "unlisted") return [];
  return [
    {
      id: `returns/${name}/unlisted`,
      kind: "returns",
      severity: "problem",
      title: `${name}: returns are open, and the sync file no longer has this stream`,
      cause: attention.join("; "),
      affected: name,
      remedy: `Put ${name} back under returns in the sync file, or withdraw them: "svcsync returns ${name}" lists them.`,
      patienceMs: PERSON_MS,
    },
  ];
}
