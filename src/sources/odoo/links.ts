import { isJsonObject, ParkError, type Json, type JsonObject } from "#model";
import type { OdooClient } from "./client.ts";
import { assertFields, fieldTypes, type FieldTypes } from "./record.ts";

/** `partner_id.commercial_partner_id`: a field of the record that a many2one field leads to. */
interface Link {
  readonly by: string;
  readonly fields: readonly string[];
}

/**
 * Reads fields through links, such as `partner_id.commercial_partner_id`, which `search_read` does not: with one more request for each
 * link of a page. They arrive as `partner_id_commercial_partner_id`. A change of the other record does not move the stamp of this one.
 */
export class Links {
  readonly #client: OdooClient;
  readonly #links: readonly Link[];
  /** The model behind each link. */
  readonly #models = new Map<string, string>();

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
   * @throws {ParkError} E_SOURCE_REQUEST when a link is no many2one, or the other model has no such field.
   */
  async types(answer: Json, model: string, signal: AbortSignal): Promise<FieldTypes> {
    const types = new Map<string, string>();
    for (const { by, fields } of this.#links) {
      const other = relationOf(answer, by);
      if (other === undefined)
        throw new ParkError(
          "E_SOURCE_REQUEST",
          `${model}: ${by} is no many2one field, so ${by}.${fields[0]!} leads nowhere`,
        );
      const known = fieldTypes(await this.#client.call(other, "fields_get", { attributes: ["type"] }, signal), other);
      assertFields(known, fields, other);
      this.#models.set(by, other);
      for (const field of fields) types.set(arrivesAs(by, field), known.get(field)!);
    }
    return types;
  }

  /** The same records with the fields behind their links; a link that is empty, or whose record the user may not see, gives `false`. */
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
    const ids = [...new Set(records.map((record) => idOf(record[by])).filter((id) => id !== undefined))];
    const others = new Map<number, JsonObject>();
    if (ids.length > 0) {
      const parameters = {
        domain: [["id", "in", ids]],
        fields: [...fields],
        limit: ids.length,
        context: { active_test: false },
      };
      const answer = await this.#client.call(this.#models.get(by)!, "search_read", parameters, signal);
      for (const other of Array.isArray(answer) ? answer : [])
        if (isJsonObject(other) && typeof other["id"] === "number") others.set(other["id"], other);
    }
    return records.map((record) => {
      const other = others.get(idOf(record[by]) ?? 0);
      return {
        ...record,
        ...Object.fromEntries(fields.map((field) => [arrivesAs(by, field), other?.[field] ?? false])),
      };
    });
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

function relationOf(answer: Json, field: string): string | undefined {
  const about = isJsonObject(answer) ? answer[field] : undefined;
  if (!isJsonObject(about) || about["type"] !== "many2one") return undefined;
  return typeof about["relation"] === "string" ? about["relation"] : undefined;
}
