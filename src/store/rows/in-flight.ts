import type { Projection } from "#model";
import type { InFlight } from "../claim.ts";

/** The column holds the fields; a kind other than an update stands among them under a name that no field of a service has. */
const MARKS = { deletion: "(deletion)", drift: "(drift)" } as const;

export function storedInFlight({ kind, fields }: InFlight): Projection {
  return kind === "update" ? fields : { ...fields, [MARKS[kind]]: true };
}

/** Undefined where nothing is in flight: nothing is stored, or no field. */
export function inFlightOf(stored: Projection | undefined): InFlight | undefined {
  const { [MARKS.deletion]: deletion, [MARKS.drift]: drift, ...fields } = stored ?? {};
  const kind = deletion !== undefined ? "deletion" : drift !== undefined ? "drift" : "update";
  return kind === "update" && Object.keys(fields).length === 0 ? undefined : { kind, fields };
}
