import { checkedFault } from "./checked-fault.ts";
import { AIM_MEMBERS, faultSchema, type Fault } from "./fault.ts";

/**
 * A fault as people type it: JSON, or its kind and its members, `cut,when=after,method=POST,every=5`.
 * @throws {StopError} E_SANDBOX_FAULT; {SyntaxError} for text that begins like JSON and is not.
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

/** Every kind with the members of its own, those that may be left out with a `?`: for a help text. */
export function faultMembers(): readonly (readonly [kind: string, members: string])[] {
  return faultSchema.options.map(({ shape }) => {
    const own = Object.entries(shape).filter(([name]) => name !== "kind" && !AIM_MEMBERS.includes(name));
    return [shape.kind.value, own.map(([name, type]) => name + (type.isOptional() ? "?" : "")).join(", ")];
  });
}
