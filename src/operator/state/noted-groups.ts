import { ParkError, type RecordId, type StreamName } from "#model";
import type { GroupNote, GroupStore, HeldRecord } from "#store";
import { attentionStates, type AttentionState } from "./attention.ts";
import { ErrorGroups, groupIdOf, type ErrorGroup } from "./groups.ts";

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

/** @throws {ParkError} E_GROUP_UNKNOWN */
export async function knownGroup(deps: GroupDeps, streams: readonly StreamName[], id: string): Promise<NotedGroup> {
  const group = (await notedGroups(deps, streams)).find((each) => each.id === id);
  if (group === undefined) throw unknownGroup(id);
  return group;
}

function unknownGroup(id: string): ParkError {
  const message = `there is no group ${id}: "svcsync groups" lists the current ones`;
  return new ParkError("E_GROUP_UNKNOWN", message);
}

/**
 * The records of a cause as they are when all were read: those in one state, or in each that needs attention.
 * @throws {ParkError} E_GROUP_UNKNOWN when there is none.
 */
export async function groupIds(
  { groups }: GroupDeps["store"],
  streams: readonly { readonly name: StreamName }[],
  id: string,
  state?: AttentionState,
): Promise<RecordId[]> {
  const states = state === undefined ? attentionStates : [state];
  const names = streams.map(({ name }) => name);
  const ids: RecordId[] = [];
  for await (const record of held(groups, names, states)) if (groupIdOf(record) === id) ids.push(record.id);
  if (ids.length === 0) throw unknownGroup(id);
  return ids;
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
