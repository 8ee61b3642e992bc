import { HOUR_MS, ParkError, type Actor, type StreamName } from "#model";
import type { GroupNote, Store } from "#store";
import { z } from "zod";
import { knownGroup, type NotedGroup } from "../state/noted-groups.ts";
import { actorText } from "../text/actor-text.ts";
import { defineAct } from "./act.ts";
import { instantOrNone, numberInput, sameSnooze, textInput } from "./inputs.ts";
import { expectLaterEnd } from "./pause.ts";

const trimmed = textInput.transform((sent) => sent.trim()).optional();

export const noteAct = defineAct({
  name: "note",
  target: "group",
  help: "Leave a note, an owner or a snooze for a cause",
  input: {
    note: trimmed,
    owner: trimmed,
    snoozeHours: z
      .preprocess(
        (sent) => (sent === sameSnooze ? undefined : sent),
        numberInput(z.number("a number of hours").min(0, "a number of hours; 0 ends the snooze")).optional(),
      )
      .optional(),
    notedAt: instantOrNone.optional(),
  },
  inputHelp:
    "`note`, `owner` (an empty text removes it), `snoozeHours` (0 ends it); members that you omit do not change. `notedAt`, optional: the `at` of the previous values, or empty; if another person changed them since then, the act is refused (E_NOTE_OUTDATED)",
  audit: "note",
  objection: ({ note, owner, snoozeHours }) =>
    [note, owner, snoozeHours].every((value) => value === undefined)
      ? "expected a note, an owner or snoozeHours"
      : undefined,
  run({ store, streams }, { target: id, input: { snoozeHours, note, owner, notedAt } }, by) {
    const until = snoozeHours === undefined ? undefined : store.clock.now() + snoozeHours * HOUR_MS;
    const snoozeUntil = snoozeHours === 0 ? "none" : until;
    const names = streams.map(({ name }) => name);
    return noteGroup({ store }, names, { id, note, owner, snoozeUntil, notedAt }, by);
  },
  command: "groups --note",
});

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
  if (typeof snoozeUntil === "number") expectLaterEnd({ what: "snooze", until: snoozeUntil, now });
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
