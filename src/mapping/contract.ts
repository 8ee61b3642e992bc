import type { PlacedProblem } from "./check/problem.ts";
import type { ReturnStream } from "./returns-contract.ts";
import type { Json, Key, ResourceName, Row, StreamName } from "#model";

/** A field's value as the sync file derives it from a row. References and lookups still have to be resolved. */
export type MappedValue =
  | { readonly kind: "value"; readonly value: Json }
  /** The service id of another stream's record. A null key (the row has none) becomes null. */
  | {
      readonly kind: "ref";
      readonly stream: StreamName;
      readonly key: Key | null;
      /** A parent that will never be bound, because the ERP deleted it or the rules leave it out, is treated as absent. */
      readonly optional?: true;
    }
  /** The id of the service's record whose `by` equals `value`; null stays null. */
  | {
      readonly kind: "lookup";
      readonly resource: ResourceName;
      readonly by: string;
      readonly value: string | number | null;
    }
  /** Ids that are added and removed one by one: other people's entries in the array are never touched. */
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
  /** `create`: written at creation only, never again. `empty`: written only while the service has no value there. */
  readonly own: "always" | "create" | "empty";
}

/** What the sync file makes of one row. */
export type Mapped =
  | { readonly kind: "record"; readonly fields: readonly MappedField[] }
  /** `when` leaves the row out. */
  | { readonly kind: "skip"; readonly reason: string }
  | Deletion;

/** The record was deleted, according to its flag or to the ERP itself. `set` changes only these fields. */
export type Deletion =
  | { readonly kind: "deleted"; readonly policy: "ignore" | "delete" }
  | { readonly kind: "deleted"; readonly policy: "set"; readonly fields: readonly MappedField[] };

/** A place in the sync file that reads a column of the row. */
export interface ColumnUse {
  readonly column: string;
  /** The field that it feeds; absent for a condition. */
  readonly field?: string;
  /** Its value decides or links instead of being written: a condition, a `map`, a lookup, tags or a reference. */
  readonly isTested: boolean;
}

/** A natural key: fields whose combined values identify a record in the service. */
export interface MatchRule {
  readonly fields: readonly string[];
  /**
   * `caseInsensitive` ignores upper and lower case only. `normalized` also ignores accents, white space and punctuation, except in
   * e-mail addresses and between digits.
   */
  readonly compare: "exact" | "caseInsensitive" | "normalized";
  /** Several records of the ERP may have the same key: it is not unique by nature. */
  readonly shared?: boolean | undefined;
}

/** A stream of the sync file, checked and compiled once. */
export interface Stream {
  readonly name: StreamName;
  readonly source: string;
  readonly resource: ResourceName;
  /** The adapter's own part, already parsed by its schema. */
  readonly read: unknown;
  /** Poll interval in milliseconds; undefined: the daemon's default. */
  readonly everyMs: number | undefined;
  readonly match: readonly MatchRule[];
  /** `never`: a record that the service does not have is left out, until the service has it. */
  readonly create: "always" | "never";
  /** What to do when the service no longer has a bound record. */
  readonly gone: "park" | "recreate";
  /** What to do when a record's parent changes and the service nests the record below the parent's address. */
  readonly moved: "park" | "recreate";
  /** Streams that `fields` refer to: their records are parents of this stream's records. */
  readonly parents: readonly StreamName[];
  /** Every field name that svcsync may write through this stream. */
  readonly ownedFields: readonly string[];
  /** The owned fields that are written at creation only. */
  readonly createOnlyFields: readonly string[];
  /** The owned fields that are written only while the service has no value there. */
  readonly emptyOnlyFields: readonly string[];
  /** Where the names of `lookup` and `tags` fields are looked up, field by field. */
  readonly lookups: readonly { readonly resource: ResourceName; readonly by: string }[];
  /** Lookups whose names are constants in the file, so that `check` can verify them before the first record. */
  readonly constantLookups: readonly {
    readonly resource: ResourceName;
    readonly by: string;
    readonly value: string | number;
  }[];
  /** What a deletion does; `ignore` is the default. */
  readonly deletion: "ignore" | "delete" | "set";
  /** Every use of a column by the mapping, except by expressions over the whole row. */
  columnUses(): readonly ColumnUse[];
  /** Changes when the mapping changes, so that every record is mapped again. */
  readonly fingerprint: string;
  /**
   * Maps a row. Pure: equal rows give equal results. `deleted` means that the source itself reports the record as
   * deleted; the row is then ignored and may be empty.
   * @throws {ParkError} E_MAPPING with the field, the expression and the value's type (the value only if a `map` lacks
   * it).
   * @throws {RetryError} E_EXPRESSION_PROCESS when this machine cannot start the process that evaluates expressions.
   */
  map(row: Row, deleted: boolean): Promise<Mapped>;
  /**
   * The match fields of a row, whether or not the row is deleted or left out: the natural keys by which its record can
   * be found.
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
  /** Passwords, tokens and keys in the sources' settings, which must never be shown. */
  readonly secrets: readonly string[];
  /** The sources with variables from another environment. A source that is invalid with it is absent. */
  readonly sourcesWith: (environment: Readonly<Record<string, string>>) => Pick<SyncFile, "sources" | "secrets">;
  /** Parents before children. */
  readonly streams: readonly Stream[];
  /** What goes back to the ERP; empty unless the sync file has `returns`. */
  readonly returns: readonly ReturnStream[];
  /** Unset variables that sources name; empty unless the context allows them. */
  readonly unsetVariables: readonly string[];
  /** All variables that sources name. */
  readonly variables: readonly string[];
  /** Things that work but should be changed: words in an old spelling, each place once. */
  readonly warnings: readonly PlacedProblem[];
}
