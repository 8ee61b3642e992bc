import type { Precision } from "../wire/stamps/stamp-format.ts";
import type { ODataRead, ODataSettings, StampSetting } from "./schema.ts";

/** How to talk to a service. */
export interface Manners {
  readonly version: "v2" | "v4";
  /** Whether dates and times are written in quotes, as SAP Business One wants them. */
  readonly quotedTimes: boolean;
  readonly ieee754: boolean;
}

interface Preset extends Manners {
  readonly changed: StampSetting;
  readonly created: StampSetting | null;
  readonly emptyStamps: boolean;
  /** How fine filters compare stamps, where that is coarser than the stamps are shown. */
  readonly precision?: Precision;
}

const presets: Readonly<Record<NonNullable<ODataSettings["preset"]>, Preset>> = {
  businessCentral: {
    version: "v4",
    quotedTimes: false,
    ieee754: true,
    changed: { field: "lastModifiedDateTime", type: "datetimeoffset" },
    created: null,
    emptyStamps: false,
  },
  s4hana: {
    version: "v2",
    quotedTimes: false,
    ieee754: false,
    changed: { date: "LastChangeDate", time: "LastChangeTime" },
    created: { date: "CreationDate", time: "CreationTime" },
    emptyStamps: false,
  },
  businessOne: {
    version: "v4",
    quotedTimes: true,
    ieee754: false,
    changed: { date: "UpdateDate", time: "UpdateTime" },
    created: { field: "CreateDate", type: "date" },
    emptyStamps: false,
    // UpdateTime is shown with seconds, but filters may compare hours and minutes alone.
    precision: "minute",
  },
};

export function mannersOf(settings: ODataSettings): Manners {
  const preset = settings.preset === undefined ? undefined : presets[settings.preset];
  const version = settings.version ?? preset?.version ?? "v4";
  return {
    version,
    quotedTimes: preset?.quotedTimes ?? false,
    ieee754: settings.ieee754 ?? preset?.ieee754 ?? version === "v4",
  };
}

/** Returns the stamps of a stream: its own settings, or else those of the preset. */
export function stampsOf(
  read: ODataRead,
  settings: ODataSettings,
): {
  changed: StampSetting | null;
  created: StampSetting | null;
  emptyStamps: boolean;
  precision: Precision | undefined;
} {
  const preset = settings.preset === undefined ? undefined : presets[settings.preset];
  const changed = read.changed === undefined ? (preset?.changed ?? null) : read.changed;
  const created =
    read.created === undefined && read.changed === undefined ? (preset?.created ?? null) : (read.created ?? null);
  return {
    changed,
    created: changed === null ? null : created,
    emptyStamps: read.emptyStamps ?? preset?.emptyStamps ?? true,
    precision: read.precision ?? preset?.precision,
  };
}
