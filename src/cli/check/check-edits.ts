import type { Stream } from "#mapping";
import { canonicalJson, oneLine, recordLabel, sleep, type Change, type Cursor, type Finding, type Key } from "#model";
import type { SourceStream } from "#sources";
import type { Interview } from "../interview.ts";

/** A row that shows a change may be in a poll only a moment later, because polls keep a distance from the clock. */
const POLLS = 3;
const POLL_AGAIN_MS = 2_000;
const LEAVE_OUT = "-";

type Person = Pick<Interview, "ask" | "say">;

/**
 * Lets a person change and delete records in the ERP, and tells whether the stream's next poll notices. Keeps nothing and contacts
 * neither store nor service. Finds nothing in a stream whose reading leaves traces, such as files: each new file is a change.
 */
export async function checkEdits(
  stream: Stream,
  source: SourceStream,
  interview: Person,
  signal: AbortSignal,
  pollAgainMs = POLL_AGAIN_MS,
): Promise<Finding[]> {
  if (source.peek) return [];
  const subject = `stream ${stream.name}, edits`;
  interview.say(`\n${stream.name}: reading it once, to know where polls continue …`);
  const trial = await begin(stream, source, signal, pollAgainMs);
  const [first, second] = trial.unmoved;
  if (first === undefined) {
    const message =
      "a poll reads the first rows whether they have changed or not, so nothing can be tried: the stream is read whole, or all of them changed within the overlap";
    return [{ subject, verdict: "ok", message }];
  }
  const outcomes = [
    await tryEdit(trial, first, "Change something of", interview),
    second === undefined
      ? undefined
      : await tryEdit(trial, second, "Change what another screen or table holds (address, telephone …) of", interview),
    await tryDeletion(trial, interview),
  ];
  return outcomes.flatMap((outcome) => (outcome === undefined ? [] : [{ subject, ...outcome }]));
}

type Outcome = Omit<Finding, "subject">;

interface Trial {
  readonly stream: Stream;
  readonly source: SourceStream;
  readonly cursor: Cursor | null;
  /** Of all rows. */
  readonly keys: ReadonlySet<Key>;
  /** Rows that a poll does not read as long as they stay as they are. */
  readonly unmoved: readonly Key[];
  readonly signal: AbortSignal;
  readonly pollAgainMs: number;
}

async function begin(stream: Stream, source: SourceStream, signal: AbortSignal, pollAgainMs: number): Promise<Trial> {
  const keys = new Set<Key>();
  let cursor: Cursor | null = null;
  for await (const batch of source.changes(null, signal)) {
    ({ cursor } = batch);
    for (const { key } of batch.changes) keys.add(key);
  }
  const anyway = await poll(source, cursor, signal);
  return { stream, source, cursor, keys, unmoved: [...keys].filter((key) => !anyway.has(key)), signal, pollAgainMs };
}

/** What a poll finds after the cursor, by key. */
async function poll(source: SourceStream, cursor: Cursor | null, signal: AbortSignal): Promise<Map<Key, Change>> {
  const found = new Map<Key, Change>();
  for await (const { changes } of source.changes(cursor, signal)) for (const each of changes) found.set(each.key, each);
  return found;
}

async function tryEdit(trial: Trial, key: Key, what: string, interview: Person): Promise<Outcome | undefined> {
  const { stream, source, signal } = trial;
  const label = oneLine(recordLabel({ stream: stream.name, key }));
  const before = await source.readOne(key, signal);
  for (;;) {
    const text = `${what} ${label} in the ERP, save it, and press Enter (${LEAVE_OUT} leaves it out)`;
    const answer = await interview.ask({ text });
    if (answer === undefined || answer === LEAVE_OUT) return undefined;
    const now = await source.readOne(key, signal);
    if (canonicalJson(now ?? null) !== canonicalJson(before ?? null))
      return (await changeOf(trial, key)) ? noticed(`the change of ${label}`) : unnoticed(label, "changed");
    interview.say(`  ${label} is as it was: the ERP has not saved the change, or the stream reads other data.`);
  }
}

async function tryDeletion(trial: Trial, interview: Person): Promise<Outcome | undefined> {
  const { stream, source, signal } = trial;
  for (;;) {
    const text = `Delete or block a record of ${stream.name} in the ERP as your colleagues do, and enter its key (${LEAVE_OUT} leaves it out)`;
    const key = await interview.ask({ text });
    if (key === undefined || key === "" || key === LEAVE_OUT) return undefined;
    const label = oneLine(recordLabel({ stream: stream.name, key }));
    const row = await source.readOne(key, signal);
    if (row === undefined && !trial.keys.has(key)) {
      interview.say(`  ${label} was not there when the stream was read: is the key right?`);
      continue;
    }
    if (row !== undefined && (await stream.map(row, false)).kind !== "deleted") {
      interview.say(`  ${label} is there, and nothing in its row marks it as deleted for "deleted" in the sync file.`);
      continue;
    }
    if (await changeOf(trial, key)) return noticed(`the deletion of ${label}`);
    return row === undefined ? goneUnnoticed(label, source) : unnoticed(label, "marked as deleted");
  }
}

/** The change of the row, as soon as a poll finds one. */
async function changeOf({ source, cursor, signal, pollAgainMs }: Trial, key: Key): Promise<Change | undefined> {
  for (let polls = 1; ; polls += 1) {
    const change = (await poll(source, cursor, signal)).get(key);
    if (change !== undefined || polls === POLLS) return change;
    await sleep(pollAgainMs, signal);
  }
}

function noticed(what: string): Outcome {
  return { verdict: "ok", message: `the next poll noticed ${what}` };
}

function unnoticed(label: string, how: string): Outcome {
  return {
    verdict: "problem",
    message: `${label} was ${how} in the ERP, its row shows that, and no poll notices it: the stamp in "changed" did not move`,
    remedy:
      'Let the stamp move with every change, also of joined tables; or take "changed" out of the stream, which is then read whole and compared.',
  };
}

function goneUnnoticed(label: string, { capabilities }: SourceStream): Outcome {
  if (capabilities.deletions !== "flag")
    return { verdict: "ok", message: `${label} is no longer in the ERP; the next sweep finds that` };
  return {
    verdict: "problem",
    message: `${label} is no longer in the ERP, and nothing reports that: it stays in the service`,
    remedy: "Keep deleted rows and mark them, or name a table of deleted keys; docs/sync-file.md explains both.",
  };
}
