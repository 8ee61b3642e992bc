import { ParkError, type Actor, type StreamName } from "#model";
import type { GroupNote, GroupStore, HeldRecord, Store } from "#store";
import { attentionStates } from "../state/attention.ts";
import { ErrorGroups, groupIdOf, type ErrorGroup } from "../state/groups.ts";
import { actorText } from "../text/actor-text.ts";
import { expectRest } from "./pause.ts";

const PAGE = 1_000;
/** A group that grew by this factor is reported again, even if it was snoozed. */
const GROWTH = 10;

interface GroupDeps {
  readonly store: { readonly groups: GroupStore };
}

/** A group of records with the same cause, and what people noted about it. */
export interface NotedGroup extends ErrorGroup {
  readonly noted: GroupNote | undefined;
}

/** Reads records that need attention and groups them by cause, the largest group first. */
export async function readGroups(
  groups: Pick<GroupStore, "held">,
  streams: readonly StreamName[],
  states: readonly HeldRecord["state"][] = attentionStates,
): Promise<ErrorGroup[]> {
  const found = new ErrorGroups();
  for await (const record of held(groups, streams, states)) found.add(record);
  return found.list();
}

/** The groups with their notes. */
export async function notedGroups({ store }: GroupDeps, streams: readonly StreamName[]): Promise<NotedGroup[]> {
  const notes = await store.groups.groupNotes();
  return (await readGroups(store.groups, streams)).map((group) => ({ ...group, noted: notes.get(group.id) }));
}

/** Whether people have asked not to hear about the group now. */
export function isSnoozed(note: GroupNote | undefined, count: number, now: number): boolean {
  const { snooze } = note ?? {};
  return snooze !== undefined && now < snooze.until && !hasGrown(count, snooze.count);
}

/** Whether people have to be told again about a group, given how many records it had when they were last told. */
export function hasGrown(count: number, before: number): boolean {
  return count >= GROWTH * before;
}

export interface GroupNoteInput {
  readonly id: string;
  readonly note?: string | undefined;
  readonly owner?: string | undefined;
  /** No message about the group before this moment; `none` ends a snooze. */
  readonly snoozeUntil?: number | "none" | undefined;
  /** When the note that the person saw was written, or `none` if there was none; undefined where that is not known. */
  readonly notedAt?: number | "none" | undefined;
}

/**
 * Saves a note, an owner or a snooze of a group. Values that are not given stay; an empty text removes a note or an
 * owner. Records are not touched: the ERP leads.
 * @throws {ParkError} E_NOTE_OUTDATED when another person changed the note since `notedAt`; E_GROUP_UNKNOWN when no
 * record has this cause; E_PAUSE_TIME for a snooze that ends in the past or in more than 92 days.
 */
export async function noteGroup(
  { store }: { readonly store: Pick<Store, "groups" | "acts" | "clock"> },
  streams: readonly StreamName[],
  { id, note, owner, snoozeUntil, notedAt }: GroupNoteInput,
  by: Actor,
): Promise<NotedGroup> {
  const group = await knownGroup({ store }, streams, id);
  const now = store.clock.now();
  if (typeof snoozeUntil === "number") expectRest({ what: "snooze", until: snoozeUntil, now });
  // Read again, because reading the groups may have taken a while.
  const noted = (await store.groups.groupNotes()).get(id);
  if (notedAt !== undefined && (noted?.at ?? "none") !== notedAt) throw outdated(id, noted);
  const texts = { note: note ?? noted?.note, owner: owner ?? noted?.owner };
  const until = snoozeUntil === "none" ? now : snoozeUntil;
  const snooze = until === undefined ? noted?.snooze : { until, count: group.count };
  const saved: GroupNote = {
    ...(texts.note ? { note: texts.note } : {}),
    ...(texts.owner ? { owner: texts.owner } : {}),
    ...(snooze !== undefined && snooze.until > now ? { snooze } : {}),
    by,
    at: now,
  };
  const written = Object.entries({ note, owner, snooze: snoozeUntil }).filter(([, value]) => value !== undefined);
  const outcome = `group ${id}: ${written.map(([name]) => name).join(", ")}`;
  await store.acts.save(group.stream, { action: "note", outcome }, by);
  await store.groups.saveGroupNote(id, saved);
  return { ...group, noted: saved };
}

function outdated(id: string, noted: GroupNote | undefined): ParkError {
  const who = noted === undefined ? "" : ` ${actorText(noted.by)}`;
  return new ParkError(
    "E_NOTE_OUTDATED",
    `the note of group ${id} was changed since you saw it${who}. Nothing was changed`,
  );
}

/** @throws {ParkError} E_GROUP_UNKNOWN */
export async function knownGroup(deps: GroupDeps, streams: readonly StreamName[], id: string): Promise<NotedGroup> {
  const group = (await notedGroups(deps, streams)).find((each) => each.id === id);
  if (group === undefined) throw unknownGroup(id);
  return group;
}

export function unknownGroup(id: string): ParkError {
  const message = `there is no group ${id}: "svcsync groups" lists the current ones`;
  return new ParkError("E_GROUP_UNKNOWN", message);
}

/** The records of a group. */
export async function* groupRecords(
  { store }: GroupDeps,
  streams: readonly StreamName[],
  id: string,
): AsyncIterable<HeldRecord> {
  for await (const record of held(store.groups, streams, attentionStates)) if (groupIdOf(record) === id) yield record;
}

async function* held(
  groups: Pick<GroupStore, "held">,
  streams: readonly StreamName[],
  states: readonly HeldRecord["state"][],
): AsyncIterable<HeldRecord> {
  for (const stream of streams)
    for (const state of states) {
      let page: HeldRecord[];
      let after: string | undefined;
      do {
        page = await groups.held({ stream, state, after, limit: PAGE });
        yield* page;
        after = page.at(-1)?.id.key;
      } while (page.length === PAGE);
    }
}
