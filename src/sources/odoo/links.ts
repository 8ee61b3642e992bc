import { isJsonObject, ParkError, type Json, type JsonObject } from "#model";
import type { OdooClient } from "./client.ts";
import { assertFields, fieldTypes, plainRecord, type FieldTypes } from "./record.ts";

/** `partner_id.commercial_partner_id`: a field of the record, or of the records, that a field leads to. */
interface Link {
  readonly by: string;
  readonly fields: readonly string[];
}

/** What `fields_get` says of the other side of a link. */
interface Behind {
  readonly model: string;
  readonly types: FieldTypes;
  readonly isMany: boolean;
}

/** Records read by one request: those of a page may lead to tens of thousands, such as the lines of orders. */
const AT_ONCE = 1_000;
/** The types of fields that lead to many records. */
const MANY = new Set(["one2many", "many2many"]);

/**
 * Reads fields through links, such as `partner_id.commercial_partner_id`, which `search_read` does not: with one more request for each
 * link of a page, or more where it leads to very many records. They arrive as `partner_id_commercial_partner_id`, and those of a field that leads to many, such as `order_line.name`, in a
 * list of records in its place. A change of the other record does not move the stamp of this one.
 */
export class Links {
  readonly #client: OdooClient;
  readonly #links: readonly Link[];
  /** By the name of each link's field. */
  readonly #behind = new Map<string, Behind>();

  constructor(client: OdooClient, fields: readonly string[]) {
    this.#client = client;
    const links = new Map<string, string[]>();
    for (const name of fields) {
      const [by, field] = partsOf(name);
      if (field !== undefined) links.set(by, [...(links.get(by) ?? []), field]);
    }
    this.#links = [...links].map(([by, names]) => ({ by, fields: names }));
  }

  /** The fields of the model itself that `fields` names or leads through. */
  static own(fields: readonly string[]): string[] {
    return [...new Set(fields.map((name) => partsOf(name)[0]))];
  }

  /**
   * The types of the fields behind the links, by the names under which they arrive. `answer` is what `fields_get` says of the model.
   * @throws {ParkError} E_SOURCE_REQUEST when a field leads nowhere, or the other model has no such field.
   */
  async types(answer: Json, model: string, signal: AbortSignal): Promise<FieldTypes> {
    const types = new Map<string, string>();
    for (const { by, fields } of this.#links) {
      const relation = relationOf(answer, by);
      if (relation === undefined)
        throw new ParkError(
          "E_SOURCE_REQUEST",
          `${model}: ${by} leads to no other record (it is no many2one, one2many or many2many field), so ${by}.${fields[0]!} leads nowhere`,
        );
      const said = await this.#client.call(relation.model, "fields_get", { attributes: ["type"] }, signal);
      const known = fieldTypes(said, relation.model);
      assertFields(known, fields, relation.model);
      this.#behind.set(by, { ...relation, types: known });
      if (!relation.isMany) for (const field of fields) types.set(arrivesAs(by, field), known.get(field)!);
    }
    return types;
  }

  /**
   * The same records with the fields behind their links. A link that is empty, or whose record the user may not see, gives `false`; a
   * field that leads to many gives the records that the user may see.
   */
  async filled(records: readonly JsonObject[], signal: AbortSignal): Promise<readonly JsonObject[]> {
    let filled = records;
    for (const link of this.#links) filled = await this.#fill(link, filled, signal);
    return filled;
  }

  async #fill(
    { by, fields }: Link,
    records: readonly JsonObject[],
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    const { model, types, isMany } = this.#behind.get(by)!;
    const idsOf = (record: JsonObject) => (isMany ? manyIds(record[by]) : [idOf(record[by]) ?? 0]);
    const others = await this.#others(model, fields, new Set(records.flatMap(idsOf)), signal);
    return records.map((record) => {
      const found = idsOf(record)
        .map((id) => others.get(id))
        .filter((other) => other !== undefined);
      if (isMany) return { ...record, [by]: found.map((other) => plainRecord(other, types)) };
      const [other] = found;
      return {
        ...record,
        ...Object.fromEntries(fields.map((field) => [arrivesAs(by, field), other?.[field] ?? false])),
      };
    });
  }

  async #others(
    model: string,
    fields: readonly string[],
    ids: ReadonlySet<number>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, JsonObject>> {
    const others = new Map<number, JsonObject>();
    const asked = [...ids].filter((id) => id !== 0);
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const some = asked.slice(from, from + AT_ONCE);
      const parameters = {
        domain: [["id", "in", some]],
        fields: [...fields],
        limit: some.length,
        context: { active_test: false },
      };
      const answer = await this.#client.call(model, "search_read", parameters, signal);
      for (const other of Array.isArray(answer) ? answer : [])
        if (isJsonObject(other) && typeof other["id"] === "number") others.set(other["id"], other);
    }
    return others;
  }
}

function arrivesAs(by: string, field: string): string {
  return `${by}_${field}`;
}

function partsOf(name: string): [by: string, field?: string] {
  const at = name.indexOf(".");
  return at === -1 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

function idOf(value: Json | undefined): number | undefined {
  const id = Array.isArray(value) ? value[0] : value;
  return typeof id === "number" ? id : undefined;
}

function manyIds(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "number") : [];
}

function relationOf(answer: Json, field: string): Pick<Behind, "model" | "isMany"> | undefined {
  const about = isJsonObject(answer) ? answer[field] : undefined;
  if (!isJsonObject(about)) return undefined;
  const { type, relation: model } = about;
  if (typeof type !== "string" || typeof model !== "string") return undefined;
  const isMany = MANY.has(type);
  return isMany || type === "many2one" ? { model, isMany } : undefined;
}
