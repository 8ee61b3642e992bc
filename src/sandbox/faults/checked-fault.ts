import { StopError, nearest } from "#model";
import { faultSchema, type Fault } from "./fault.ts";

const KINDS = faultSchema.options.map((option) => option.shape.kind.value);

/**
 * A fault from outside, once it is proved to be one. Without `resources` the one it is aimed at may have any name.
 * @throws {StopError} E_SANDBOX_FAULT naming the member that is wrong, what was wanted, and what was probably meant.
 */
export function checkedFault(given: unknown, resources?: readonly string[]): Fault {
  const kind: unknown = typeof given === "object" && given !== null ? Reflect.get(given, "kind") : undefined;
  const option = faultSchema.options.find((candidate) => candidate.shape.kind.value === kind);
  if (option === undefined) throw wrong("kind", kind, KINDS);
  const parsed = faultSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    if (issue?.code === "unrecognized_keys")
      throw wrong(`member of ${String(kind)}`, issue.keys[0], Object.keys(option.shape));
    throw fault(`${issue?.path.join(".") || "fault"}: ${issue?.message ?? "invalid"}`);
  }
  const { resource } = parsed.data;
  if (resource !== undefined && resources && !resources.includes(resource))
    throw wrong("resource", resource, resources);
  return parsed.data;
}

function wrong(what: string, found: unknown, known: readonly string[]): StopError {
  const meant = typeof found === "string" ? nearest(found, known) : undefined;
  // Ninety resources are no help in a message.
  const wanted = meant === undefined && known.length < 20 ? `; expected one of ${known.join(", ")}` : "";
  const question = meant === undefined ? "" : `; did you mean ${meant}?`;
  return fault(`${what}: found ${found === undefined ? "nothing" : JSON.stringify(found)}${wanted}${question}`);
}

function fault(what: string): StopError {
  return new StopError("E_SANDBOX_FAULT", `this is not a fault: ${what}`);
}
