import type { Projection } from "#model";
import type { InFlight } from "../claim.ts";

/** The column holds the fields. Other facts are stored beside them, under names that no field of a service has. */
const MARKS = { deletion: "(deletion)", drift: "(drift)", request: "(request)" } as const;

export function storedInFlight({ kind, fields, request }: InFlight): Projection {
  return {
    ...fields,
    ...(kind === "update" ? {} : { [MARKS[kind]]: true }),
    ...(request === undefined ? {} : { [MARKS.request]: request }),
  };
}

/** Undefined if nothing is in flight: nothing is stored, or no field. */
export function inFlightOf(stored: Projection | undefined): InFlight | undefined {
  const { [MARKS.deletion]: deletion, [MARKS.drift]: drift, [MARKS.request]: request, ...fields } = stored ?? {};
  const kind = deletion !== undefined ? "deletion" : drift !== undefined ? "drift" : "update";
  if (kind === "update" && Object.keys(fields).length === 0) return undefined;
  return { kind, fields, ...(typeof request === "string" ? { request } : {}) };
}
