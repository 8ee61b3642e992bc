import { isJsonObject, sleep, type Json, type JsonObject } from "#model";
import type { Sandbox } from "#sandbox";
import type { Dice } from "./dice.ts";
import { FOREIGN_TAGS } from "./rig.ts";

/** Fields of the service that the sync file does not own, or owns at creation only. */
const FOREIGN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  customer: ["info", "syncToApp"],
  customerContact: ["website", "telefax"],
  ticket: ["internalDescription", "referenceNumber"],
  svcDocument: ["externalReferenceNumber"],
};
/** From a read to the request that follows it, on a loaded machine, and until that is carried out. */
const PUT_BACK_MS = 30_000;
const TAGGED = ["ticket", "svcDocument"];

/** The people who work in the service: they fill in what is theirs and put their own tags on records. */
export class ForeignActor {
  edits = 0;
  readonly #sandbox: Sandbox;
  readonly #dice: Dice;
  /** What they left: `resource id field` to value, and `resource id` to their tags. */
  readonly #fields = new Map<string, { resource: string; id: number; field: string; value: Json }>();
  readonly #tags = new Map<string, { resource: string; id: number; tags: Set<number> }>();
  readonly #foreignTags: readonly number[];
  /** When a person took a tag off, by `resource id tag`. */
  readonly #takenOff = new Map<string, number>();

  constructor(sandbox: Sandbox, dice: Dice) {
    this.#sandbox = sandbox;
    this.#dice = dice;
    this.#foreignTags = sandbox
      .records("tag")
      .flatMap(({ id, name }) => (typeof name === "string" && FOREIGN_TAGS.includes(name) ? [id] : []));
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const resource = this.#dice.pick(Object.keys(FOREIGN_FIELDS));
      const records = this.#sandbox.records(resource);
      if (records.length > 0) {
        const record = this.#dice.pick(records);
        if (TAGGED.includes(resource) && this.#dice.chance(0.5)) this.#tag(resource, record);
        else this.#fill(resource, record);
        this.edits += 1;
      }
      await sleep(this.#dice.between(50, 400), signal);
    }
  }

  /** Another ticket was merged into this one, which has the tags of both now. */
  merged(source: number, target: number): void {
    const theirs = this.#tags.get(`ticket ${source}`)?.tags ?? new Set<number>();
    if (theirs.size === 0) return;
    const name = `ticket ${target}`;
    const tags = new Set([...(this.#tags.get(name)?.tags ?? []), ...theirs]);
    this.#tags.set(name, { resource: "ticket", id: target, tags });
  }

  /** What of theirs is no longer as they left it. */
  touched(): string[] {
    const complaints: string[] = [];
    for (const { resource, id, field, value } of this.#fields.values()) {
      const record = this.#sandbox.record(resource, id);
      if (record && record[field] !== value)
        complaints.push(
          `${resource} ${id}: ${field} is ${JSON.stringify(record[field])}, they wrote ${JSON.stringify(value)}`,
        );
    }
    for (const { resource, id, tags } of this.#tags.values()) {
      const record = this.#sandbox.record(resource, id);
      if (!record) continue;
      const found = idsOf(record["tags"]).filter(
        (tag) => this.#foreignTags.includes(tag) && (tags.has(tag) || !this.#isPutBack(resource, id, tag)),
      );
      if (found.length !== tags.size || found.some((tag) => !tags.has(tag)))
        complaints.push(`${resource} ${id}: their tags are ${found.join()}, they left ${[...tags].join()}`);
    }
    return complaints;
  }

  /**
   * The first array that a process writes names other people's tags too, to try how the service takes it. One that a person takes off
   * between its read and that request comes back.
   */
  #isPutBack(resource: string, id: number, tag: number): boolean {
    const takenOff = this.#takenOff.get(`${resource} ${id} ${tag}`);
    if (takenOff === undefined) return false;
    return this.#sandbox.ledger
      .writes({ resource, id, action: "edit" })
      .some(({ at, sent }) => at >= takenOff && at < takenOff + PUT_BACK_MS && adds(sent, tag));
  }

  #fill(resource: string, record: JsonObject & { id: number }): void {
    const field = this.#dice.pick(FOREIGN_FIELDS[resource]!);
    const value = field === "syncToApp" ? this.#dice.chance(0.5) : `von Hand ${this.edits}`;
    this.#fields.set(`${resource} ${record.id} ${field}`, { resource, id: record.id, field, value });
    this.#write(resource, { ...record, [field]: value });
  }

  #tag(resource: string, record: JsonObject & { id: number }): void {
    const tag = this.#dice.pick(this.#foreignTags);
    const name = `${resource} ${record.id}`;
    const entry = this.#tags.get(name) ?? { resource, id: record.id, tags: new Set<number>() };
    this.#tags.set(name, entry);
    const others = idsOf(record["tags"]).filter((id) => id !== tag);
    if (entry.tags.delete(tag)) {
      this.#takenOff.set(`${name} ${tag}`, Date.now());
      return this.#write(resource, { ...record, tags: others });
    }
    entry.tags.add(tag);
    this.#write(resource, { ...record, tags: [...others, tag] });
  }

  /** In one step, as a person's click is for everybody else. */
  #write(resource: string, record: JsonObject): void {
    this.#sandbox.seed(resource, [{ ...record, modified: new Date().toISOString() }]);
  }
}

/** Whether an edit adds the tag by an array action. */
function adds(sent: Json | undefined, tag: number): boolean {
  const tags = isJsonObject(sent) ? sent["tags"] : undefined;
  return isJsonObject(tags) && tags["action"] === "add" && idsOf(tags["ids"]).includes(tag);
}

function idsOf(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "number") : [];
}
