import type { JsonObject } from "#model";
import type { Disguise, Erp, Password, Records } from "../erp.ts";
import { presetFile } from "../preset-file.ts";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";

/** A product's records as the trial writes them, by kind and by their place in the order of creation. */
export interface LocalProduct extends AsyncDisposable {
  readonly product: string;
  readonly preset: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Kinds of records that the trial adds, and how many a first load finds. */
  readonly counts: Readonly<Record<string, number>>;
  /** Kinds whose records another record refers to stay away from what is removed and hidden. */
  add(kind: string, at: number): void;
  /** Changes a record, with a new stamp where the product gives one. */
  edit(kind: string, at: number, round: number): void;
  remove(kind: string, at: number): void;
  /** Hides records from the API's user, or shows all again. No stamp moves. */
  hide(kind: string, at: readonly number[]): void;
  showAll(): void;
  /** Writes a customer's new name with the stamp of now. It is seen when the returned function is called. */
  begin(at: number, name: string): () => void;
  records(): Records;
  readonly retired: Erp["retired"];
  /** Takes the API's user the right to read, and gives it back. */
  deny(isDenied: boolean): void;
  setPassword(isRight: boolean): void;
  refusedLogins(): number;
}

/** Customers that others refer to come first. */
export const REFERRED = 20;

/** Records by the ERP's key, which stands in these properties. */
export function byKey(
  rows: readonly JsonObject[],
  names: readonly string[],
  record: (row: JsonObject) => JsonObject,
): ReadonlyMap<string, JsonObject> {
  return new Map(rows.map((row) => [names.map((name) => jsonText(row[name])).join(" "), record(row)]));
}

/** A documented server as an ERP of the trial. */
export class LocalErp implements Erp {
  readonly product: string;
  readonly syncFile: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly retired: Erp["retired"];
  readonly disguises: readonly Disguise[];
  readonly password: Password;
  readonly #local: LocalProduct;
  readonly #made = new Map<string, number>();
  #isRight = true;
  #round = 0;

  constructor(local: LocalProduct) {
    this.product = local.product;
    // A trial cannot wait for what is read every quarter of an hour.
    this.syncFile = presetFile(local.preset).replaceAll("every: 15m", "every: 1s");
    this.environment = local.environment;
    this.retired = local.retired;
    this.#local = local;
    this.disguises = [this.#accessRule()];
    this.password = {
      change: async () => this.#setPassword(false),
      restore: async () => this.#setPassword(true),
      refused: async () => local.refusedLogins(),
      opens: async () => this.#isRight,
    };
  }

  get local(): LocalProduct {
    return this.#local;
  }

  async seed(): Promise<void> {
    for (const [kind, count] of Object.entries(this.#local.counts)) for (let n = 0; n < count; n++) this.#add(kind);
  }

  async change(): Promise<void> {
    const round = ++this.#round;
    for (const kind of Object.keys(this.#local.counts)) {
      this.#add(kind);
      this.#local.edit(kind, round, round);
      this.#local.edit(kind, round + 5, round);
    }
  }

  async writeLate(): Promise<() => Promise<void>> {
    const commit = this.#local.begin(18, "Spät AG");
    return async () => commit();
  }

  async remove(): Promise<void> {
    for (const kind of Object.keys(this.#local.counts)) this.#local.remove(kind, REFERRED + 2);
  }

  async records(): Promise<Records> {
    return this.#local.records();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#local[Symbol.asyncDispose]();
  }

  #add(kind: string): number {
    const at = this.#made.get(kind) ?? 0;
    this.#made.set(kind, at + 1);
    this.#local.add(kind, at);
    return at;
  }

  #setPassword(isRight: boolean): void {
    this.#isRight = isRight;
    this.#local.setPassword(isRight);
  }

  #accessRule(): Disguise {
    const kinds = Object.keys(this.#local.counts);
    const hidden = [REFERRED + 3, REFERRED + 4];
    return {
      name: "an access rule",
      hide: async () => {
        for (const kind of kinds) this.#local.hide(kind, hidden);
      },
      /** Meanwhile one of the hidden records was changed. */
      show: async () => {
        for (const kind of kinds) this.#local.edit(kind, hidden[0]!, 99);
        this.#local.showAll();
      },
    };
  }
}
