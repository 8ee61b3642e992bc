import type { Json, JsonObject, ResourceName, ReturnValue, StreamName } from "#model";

/** Where a column's value comes from, as the sync file derives it from a record of the service. Keys and names still have to be found. */
export type MappedReturnValue =
  | { readonly kind: "value"; readonly value: ReturnValue }
  /** The ERP's key of the record that this stream of the forward lane has bound to the service id. */
  | { readonly kind: "keyOf"; readonly stream: StreamName; readonly id: number | null }
  /** The field `by` of the service's record with this id. */
  | { readonly kind: "nameOf"; readonly resource: ResourceName; readonly by: string; readonly id: number | null };

export interface MappedReturnField {
  /** The column of the inbox. */
  readonly name: string;
  readonly value: MappedReturnValue;
}

/** How an exact amount is rounded; undefined: not at all. */
export interface Rounding {
  /** Digits behind the point, 0 to 4; half away from zero. */
  readonly digits: number;
  /** `last`: the last line takes what rounding left over, so that the lines add up. `refuse`: lines that do not add up are an error. */
  readonly remainder: "last" | "refuse";
}

export interface MappedReturnLine {
  readonly kind: string;
  readonly id: number;
  /** The exact amount as the record has it. */
  readonly amount: number | null;
  readonly fields: readonly MappedReturnField[];
}

export interface ReturnLines {
  /** The path of the list in the record: `tasks.workLogs`. */
  readonly each: string;
  readonly kind: string;
  readonly rounding: Rounding | undefined;
  readonly columns: readonly string[];
  /** The service's fields of a line's record that its expressions read, and of the records around it (`task.serviceType`). */
  readonly reads: readonly string[];
  map(record: JsonObject): Promise<readonly MappedReturnLine[]>;
}

/** A stream under `returns:` in the sync file, checked and compiled. */
export interface ReturnStream {
  readonly name: string;
  readonly kind: "reports" | "status" | "state";
  /** The service's resource; undefined for `state`. */
  readonly resource: ResourceName | undefined;
  /** For `state`: the stream of the forward lane. */
  readonly of: StreamName | undefined;
  readonly to: {
    readonly source: string;
    readonly table?: string;
    readonly lines?: string;
    readonly folder?: string;
    readonly format?: "csv" | "json";
  };
  readonly answers: { readonly table?: string; readonly folder?: string; readonly withinMs: number } | undefined;
  /** Nothing final before this moment is returned; undefined: the moment of switching on. */
  readonly beginAt: number | undefined;
  readonly corrections: "hold" | "send";
  /** How often to look, in milliseconds; undefined: the daemon's default. */
  readonly everyMs: number | undefined;
  /** More returns than this in an hour are held; `off`: never. undefined: three times the usual hour and at least 50. */
  readonly guard: number | "off" | undefined;
  /** The columns of the head. */
  readonly columns: readonly string[];
  /** The service's fields of the head that are read. */
  readonly reads: readonly string[];
  readonly lines: readonly ReturnLines[];
  /** Whether a record is to be returned. */
  isWanted(record: JsonObject): Promise<boolean>;
  map(record: JsonObject): Promise<readonly MappedReturnField[]>;
  /** What is written into the service when the ERP accepted: `document` stands for its number. */
  readonly then:
    | {
        readonly resource: ResourceName;
        readonly of: string;
        readonly set: Readonly<Record<string, "document" | { readonly const: Json }>>;
      }
    | undefined;
  readonly fingerprint: string;
}
