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
  /** The exact amount as the record has it; null where the sync file names none. */
  readonly amount: number | null;
  readonly fields: readonly MappedReturnField[];
}

export interface ReturnLines {
  /** The path of the list in the record, one of {@link REPORT_LISTS}: `tasks.workLogs`. */
  readonly each: string;
  /** Each list of a stream has a kind of its own, so that a kind and an id name a line. */
  readonly kind: string;
  readonly rounding: Rounding | undefined;
  readonly columns: readonly string[];
  /**
   * The service's fields of a line's record that its expressions read, and those of the activity around it (`task.serviceType`); a linked record is
   * named by its id, or by its members if one of them is read (`worker.id`, `worker.name`). `id` is read in any case.
   */
  readonly reads: readonly string[];
  /** @throws {ParkError} E_MAPPING when the record lacks the list, or a value has the wrong form. */
  map(record: JsonObject): Promise<readonly MappedReturnLine[]>;
}

/** The lists of a service record whose members can be lines of a report. */
export const REPORT_LISTS = [
  "tasks",
  "tasks.workLogs",
  "tasks.materials",
  "tasks.planningTimes",
  "travelLogs",
] as const;

/** What expressions over the `state` of a record see, in place of fields of the service. */
export const STATE_FIELDS = ["key", "state", "code", "reason", "serviceId"] as const;

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
    /** Always present beside `folder`. */
    readonly format?: "csv" | "json";
  };
  /** `table` or `folder`, as in `to`. */
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
  /** The service's fields of the head that are read, spelled as those of lines; for `state`, some of {@link STATE_FIELDS}. */
  readonly reads: readonly string[];
  /** What makes a report final: `when` asks for the approval, or only whether it is finished. Undefined for all but reports. */
  readonly finalBy: "approved" | "finished" | undefined;
  readonly lines: readonly ReturnLines[];
  /** Whether a record is to be returned. */
  isWanted(record: JsonObject): Promise<boolean>;
  map(record: JsonObject): Promise<readonly MappedReturnField[]>;
  /** `then` of the sync file: what is written into the service when the ERP accepted; `document` stands for its number. */
  readonly whenAccepted:
    | {
        readonly resource: ResourceName;
        readonly of: string;
        readonly set: Readonly<Record<string, "document" | { readonly const: Json }>>;
      }
    | undefined;
  readonly fingerprint: string;
}
