import { nearest, StopError } from "#model";
import { AIM_MEMBERS, faultSchema, type Fault } from "./fault.ts";

const KINDS = faultSchema.options.map((option) => option.shape.kind.value);

/**
 * Validates a fault that came from outside. Without `resources`, its target may have any name.
 * @throws {StopError} E_SANDBOX_FAULT, naming the wrong member, what was expected, and what was probably meant.
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
  // Listing ninety resources does not help in a message.
  const wanted = meant === undefined && known.length < 20 ? `; expected one of ${known.join(", ")}` : "";
  const question = meant === undefined ? "" : `; did you mean ${meant}?`;
  return fault(`${what}: found ${found === undefined ? "nothing" : JSON.stringify(found)}${wanted}${question}`);
}

function fault(what: string): StopError {
  return new StopError("E_SANDBOX_FAULT", `this is not a fault: ${what}`);
}

/**
 * Parses a fault as people type it: JSON, or its kind and its members, `cut,when=after,method=POST,every=5`.
 * @throws {StopError} E_SANDBOX_FAULT; {SyntaxError} for text that begins like JSON but is not.
 */
export function faultFromText(text: string): Fault {
  return checkedFault(text.trimStart().startsWith("{") ? JSON.parse(text) : fromWords(text));
}

function fromWords(text: string): unknown {
  const [kind = "", ...members] = text.split(",").map((part) => part.trim());
  const pairs = members.map((member): [string, unknown] => {
    const at = member.indexOf("=");
    return at < 0 ? [member, true] : [member.slice(0, at).trim(), valueFrom(member.slice(at + 1).trim())];
  });
  return { kind, ...Object.fromEntries(pairs) };
}

function valueFrom(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Every kind with its own members, optional ones with a `?`: for a help text. */
export function faultMembers(): readonly (readonly [kind: string, members: string])[] {
  return faultSchema.options.map(({ shape }) => {
    const own = Object.entries(shape).filter(([name]) => name !== "kind" && !AIM_MEMBERS.includes(name));
    return [shape.kind.value, own.map(([name, type]) => name + (type.isOptional() ? "?" : "")).join(", ")];
  });
}
