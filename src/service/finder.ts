import type { JsonObject, ResourceName, ServiceId } from "#model";
import { resourceFacts, type ResourceFacts } from "./catalogue.ts";
import type { NaturalKey } from "./contract.ts";
import type { Guess } from "./guess.ts";
import type { Lists } from "./lists.ts";
import { Proofs, type Trial } from "./proofs.ts";
import type { Records } from "./records.ts";
import { matches, notSearchable, type Scan } from "./scan.ts";
import { isEmpty, keyText } from "./values.ts";

interface FinderParts {
  readonly lists: Lists;
  readonly records: Records;
  readonly scan: Scan;
  readonly guess: Guess;
  readonly may: { readonly guess: boolean; readonly search: boolean };
  /** Ends trials, which callers share. */
  readonly closing: AbortSignal;
}

/** What no search may find. */
export const IMPOSSIBLE = "svcsync-canary-7f3a9c1e5b";

/**
 * Natural keys to ids. The short ways, `guess` and `search`, are believed only after each has found a record that the
 * list showed; else the list is read to its end. Whoever names a hit, it is compared here.
 */
export class Finder {
  readonly #parts: FinderParts;
  readonly #proofs = new Proofs();

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  canFind(resource: ResourceName, fields: readonly string[]): boolean {
    const { refuses, writeOnly } = resourceFacts(resource);
    return fields.length > 0 && !refuses.includes("list") && !fields.some((name) => writeOnly.includes(name));
  }

  /** @throws {ParkError} E_NOT_SEARCHABLE when absence cannot be proved. */
  async find(resource: ResourceName, key: NaturalKey, signal: AbortSignal): Promise<ServiceId[]> {
    const empty = Object.keys(key).find((name) => isEmpty(key[name]));
    if (empty !== undefined) throw notSearchable(resource, key, `its ${empty} is empty`);
    if (!this.canFind(resource, Object.keys(key))) throw notSearchable(resource, key, "no read ever shows it");
    const guessed = await this.#guessed(resource, key, signal);
    if (guessed?.length === 0) return [];
    // A guess may name one record of several: where a search is at hand it is asked for the others.
    const searched = await this.#searched(resource, key, signal);
    if (searched !== undefined) return [...new Set([...(guessed ?? []), ...searched])];
    return guessed ?? this.#parts.scan.find(resource, key, {}, signal);
  }

  /** The hits; none when there is none for sure; undefined when this way cannot tell. */
  async #guessed(resource: ResourceName, key: NaturalKey, signal: AbortSignal): Promise<ServiceId[] | undefined> {
    const facts = resourceFacts(resource);
    if (!this.#parts.may.guess || guessQuestions(facts, key).length === 0) return undefined;
    const fields = Object.keys(key);
    const way = `guess ${resource} ${fields.toSorted().join()}`;
    const works = await this.#proofs.holds(way, () => this.#tryGuess(resource, fields));
    return works ? this.#ask(resource, key, signal) : undefined;
  }

  async #ask(resource: ResourceName, key: NaturalKey, signal: AbortSignal): Promise<ServiceId[] | undefined> {
    const questions = guessQuestions(resourceFacts(resource), key);
    const answers = await Promise.all(questions.map((data) => this.#parts.guess.ask(resource, data, signal)));
    if (answers.some((ids) => ids.length === 0)) return [];
    const hits: ServiceId[] = [];
    for (const id of new Set(answers.flat())) {
      const record = await this.#parts.records.read(resource, id, Object.keys(key), signal);
      if (record !== undefined && matches(record, key)) hits.push(id);
    }
    return hits.length > 0 ? hits : undefined;
  }

  async #tryGuess(resource: ResourceName, fields: readonly string[]): Promise<Trial> {
    const { scan, closing } = this.#parts;
    const sample = await scan.sample(resource, fields, closing);
    if (sample === undefined) return "untried";
    const hits = await this.#ask(resource, sample.key, closing);
    return hits?.includes(sample.id) === true ? "works" : "fails";
  }

  /** By `search=`, for a field that it covers; the hits are all there are as far as the service's index is fresh. */
  async #searched(resource: ResourceName, key: NaturalKey, signal: AbortSignal): Promise<ServiceId[] | undefined> {
    const field = resourceFacts(resource).search.find((name) => name in key);
    if (!this.#parts.may.search || field === undefined) return undefined;
    const works = await this.#proofs.holds(`search ${resource}.${field}`, () => this.#trySearch(resource, field));
    if (!works) return undefined;
    return this.#parts.scan.find(resource, key, { search: keyText(key[field]) ?? "" }, signal);
  }

  async #trySearch(resource: ResourceName, field: string): Promise<Trial> {
    const { lists, scan, closing } = this.#parts;
    const canary = { fields: ["id"], filters: { search: IMPOSSIBLE } };
    const nothing = await lists.page(resource, canary, { limit: 1, offset: 0 }, closing);
    if (nothing.rows.length > 0) return "fails";
    const sample = await scan.sample(resource, [field], closing);
    if (sample === undefined) return "untried";
    const search = keyText(sample.key[field]) ?? "";
    const hits = await scan.find(resource, sample.key, { search }, closing);
    return hits.includes(sample.id) ? "works" : "fails";
  }
}

/**
 * What to ask `guess`: it is not known whether several fields in one question mean "and" or "or", so each question has
 * the fields that the resource demands and one more.
 */
function guessQuestions({ guess }: ResourceFacts, key: NaturalKey): JsonObject[] {
  if (guess === undefined || guess.required.some((name) => !(name in key))) return [];
  const demanded = Object.fromEntries(guess.required.map((name) => [name, key[name] ?? null]));
  const further = guess.keys.filter((name) => name in key && !guess.required.includes(name));
  if (further.length === 0) return guess.required.length > 1 ? [demanded] : [];
  return further.map((name) => ({ ...demanded, [name]: key[name] ?? null }));
}
