import type { PlacedProblem } from "./check/problem.ts";
import type { Json, Key, ResourceName, Row, StreamName } from "#model";

/** A field's value as the sync file makes it of a row; references and lookups are still to be resolved. */
export type MappedValue =
  | { readonly kind: "value"; readonly value: Json }
  /** The service id of another stream's record; a null key (the row has none) becomes null. */
  | {
      readonly kind: "ref";
      readonly stream: StreamName;
      readonly key: Key | null;
      /** A parent that will not come, because the ERP deleted it or the rules leave it out, counts as none. */
      readonly optional?: true;
    }
  /** The id of the service's record whose `by` equals `value`; null stays null. */
  | {
      readonly kind: "lookup";
      readonly resource: ResourceName;
      readonly by: string;
      readonly value: string | number | null;
    }
  /** Ids that are added and removed one by one: others' entries in the array are never touched. */
  | {
      readonly kind: "tags";
      readonly resource: ResourceName;
      readonly by: string;
      readonly values: readonly (string | number)[];
    };

export interface MappedField {
  /** The field's name in the service; `customFields.<id or name>` is one custom field. */
  readonly name: string;
  readonly value: MappedValue;
  /** `create`: written at creation only, never again. */
  readonly own: "always" | "create";
}

/** What the sync file makes of one row. */
export type Mapped =
  | { readonly kind: "record"; readonly fields: readonly MappedField[] }
  /** `when` leaves the row out. */
  | { readonly kind: "skip"; readonly reason: string }
  | Deletion;

/** The record is gone: by its flag or because the ERP said so. `set` changes these fields alone. */
export type Deletion =
  | { readonly kind: "deleted"; readonly policy: "ignore" | "delete" }
  | { readonly kind: "deleted"; readonly policy: "set"; readonly fields: readonly MappedField[] };

/** A place of the sync file that reads a column of the row. */
export interface ColumnUse {
  readonly column: string;
  /** The field that it feeds; absent for a condition. */
  readonly field?: string;
  /** Its value decides or links instead of being written: a condition, a `map`, a look-up, tags or a reference. */
  readonly isTested: boolean;
}

/** A natural key: the fields whose values together name a record in the service. */
export interface MatchRule {
  readonly fields: readonly string[];
  /** `normalized` compares without case, accents folded, white space and punctuation squeezed. */
  readonly compare: "exact" | "normalized";
  /** Several records of the ERP may have one such key: it is not unique by nature. */
  readonly shared?: boolean | undefined;
}

/** A stream of the sync file, checked and compiled once. */
export interface Stream {
  readonly name: StreamName;
  readonly source: string;
  readonly resource: ResourceName;
  /** The adapter's own part, already parsed by its schema. */
  readonly read: unknown;
  /** Poll interval; undefined: the daemon's. */
  readonly everyMs: number | undefined;
  readonly match: readonly MatchRule[];
  /** What to do when the service no longer has a record that is bound. */
  readonly gone: "park" | "recreate";
  /** What to do when the parent changed below whose address the service holds the record. */
  readonly moved: "park" | "recreate";
  /** Streams that `fields` refer to: their records are parents of this stream's. */
  readonly parents: readonly StreamName[];
  /** Every field name that svcsync may write through this stream. */
  readonly ownedFields: readonly string[];
  /** Those of them that are written at creation only. */
  readonly createOnlyFields: readonly string[];
  /** Lookups whose names are constants in the file, so that `check` can prove them before the first record. */
  readonly constantLookups: readonly {
    readonly resource: ResourceName;
    readonly by: string;
    readonly value: string | number;
  }[];
  /** What makes a deletion: `ignore` is the default. */
  readonly deletion: "ignore" | "delete" | "set";
  /** Every use of a column by the mapping. A column that only an expression over the whole row reads is not among them. */
  columnUses(): readonly ColumnUse[];
  /** Changes when the mapping changes, so that every record is mapped again. */
  readonly fingerprint: string;
  /**
   * Maps a row. Pure: the same row gives the same answer. `deleted` is the source's own word that the record is gone: the
   * row is then not looked at and may be empty.
   * @throws {ParkError} E_MAPPING with the field, the expression and the value's type (the value only if a `map` lacks it).
   * @throws {RetryError} E_EXPRESSION_PROCESS when this machine cannot start the process that evaluates expressions.
   */
  map(row: Row, deleted: boolean): Promise<Mapped>;
  /**
   * The match fields of a row alone, whether or not the row is deleted or left out: what its record would be found by.
   * @throws as `map` does.
   */
  identify(row: Row): Promise<readonly MappedField[]>;
}

export interface SourceEntry {
  readonly name: string;
  readonly adapter: string;
  /** Already parsed by the adapter's schema, `${NAME}` filled in. */
  readonly settings: unknown;
}

export interface SyncFile {
  readonly sources: readonly SourceEntry[];
  /** Passwords, tokens and keys among the sources' settings: never to be seen. */
  readonly secrets: readonly string[];
  /** The sources as another environment fills them in; one that is not sound with it is absent. */
  readonly sourcesWith: (environment: Readonly<Record<string, string>>) => Pick<SyncFile, "sources" | "secrets">;
  /** Parents before children. */
  readonly streams: readonly Stream[];
  /** Variables that sources name and that are not set; none unless the context allows it. */
  readonly unsetVariables: readonly string[];
  /** What works and should be changed: words in an old spelling, each place once. */
  readonly warnings: readonly PlacedProblem[];
}
