import type { Finding } from "#model";
import { found, unlessRefused, type Ask, type ProbeDeps } from "./probe-finding.ts";
import type { Sample } from "./probe-wrapper.ts";
import { recordIn } from "../reads/reading.ts";
import { idOf } from "../dialect/values.ts";

/** Shapes that APIs commonly give the address of one record. */
const SHAPES = [
  "{resource}/{id}",
  "{resource}/id/{id}",
  "{resource}?id={id}",
  "{resource}({id})",
  "{resource}/get/{id}",
];

/** Where one record is read: as configured, or else in one of the common shapes. A shape counts only when it answers that record. */
export async function probeRecordPath(
  ask: Ask,
  samples: readonly Sample[],
  { dialect }: ProbeDeps,
): Promise<Finding[]> {
  const configured = dialect.recordPath;
  const sample = samples.find(({ id }) => id !== undefined);
  if (sample?.id === undefined) return [found("record path", configured, undefined, "DIALECT_RECORD_PATH")];
  const { resource, id } = sample;
  for (const shape of new Set([configured, ...SHAPES])) {
    const path = shape.replace("{resource}", dialect.paths[resource] ?? resource).replace("{id}", String(id));
    const exchange = await unlessRefused(ask.path(path, resource, { fields: "id" }));
    if (exchange !== undefined && idOf(recordIn(exchange.body, resource)?.["id"]) === id)
      return [found("record path", configured, shape, "DIALECT_RECORD_PATH")];
  }
  const message = `${resource} ${id} is in the list, but is not found at ${[...new Set([configured, ...SHAPES])].join(", ")}`;
  const remedy = "ask the vendor for the path of one record and set DIALECT_RECORD_PATH";
  return [{ subject: "record path", verdict: "problem", message, remedy }];
}
