import { recordLabel, type ErrorFacts, type RecordId, type RecordState } from "#model";
import { html, type Html } from "./html.ts";

/** States in which a record is not where the ERP wants it and will not get there at once. */
export const attentionStates = ["uncertain", "parked", "waiting"] as const satisfies readonly RecordState[];

/** States that a person may end by asking for another try. */
export const retriableStates: readonly RecordState[] = ["waiting", "parked", "skipped"];

const meanings: Readonly<Record<RecordState, string>> = {
  due: "It will be delivered as soon as a worker is free, or at the time shown.",
  claimed: "A worker is delivering it now.",
  waiting: "It is not its turn yet; no attempt is counted.",
  applied: "The service holds what the ERP showed last.",
  parked: "It needs a person; all other records go on.",
  uncertain: "Its creation was begun, and whether the service carried it out cannot be known.",
  skipped: "The rules of its stream leave it out.",
  deleted: "The ERP no longer has it, and its deletion was carried out.",
};

export function meaningOf(state: RecordState): string {
  return meanings[state];
}

/** What a person does about a record in this state; undefined where there is nothing to do. */
export function remedyOf(state: RecordState, id: RecordId): string | undefined {
  if (state === "parked")
    return `Repair what the reason names, in the ERP, the service or the sync file. A change in the ERP or the sync file tries by itself; otherwise say "svcsync retry ${recordLabel(id)}".`;
  if (state === "uncertain") {
    const command = `svcsync resolve ${recordLabel(id)}`;
    return `Look for the record in the service. Found: "${command} --bind ID". Not there: "${command} --create". Not wanted: "${command} --skip".`;
  }
  if (state === "waiting")
    return "Nothing, where what it waits for is still to come: it then goes on by itself. What never comes needs an optional ref in the sync file, or may stay as it is.";
  return undefined;
}

export function pathOf(id: RecordId): string {
  return `/records/${encodeURIComponent(id.stream)}/${encodeURIComponent(id.key)}`;
}

export function linkTo(id: RecordId): Html {
  return html`<a href="${pathOf(id)}">${recordLabel(id)}</a>`;
}

export function badge(state: RecordState): Html {
  return html`<span class="badge ${state}">${state}</span>`;
}

export function reason(error: ErrorFacts): Html {
  return html`<code>${error.code}</code> ${error.message}`;
}

/** A sentence whose quoted commands ("svcsync adopt tickets") can be copied. */
export function sentence(text: string): Html {
  const parts = text.split(/"(svcsync [^"]+)"/);
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code class="command">${part}</code>` : part))}`;
}

/** An instant with its distance from `now`; both are read, by people and by programs. */
export function instant(at: number, now: number): Html {
  const iso = new Date(at).toISOString();
  const distance = at <= now ? `${duration(now - at)} ago` : `in ${duration(at - now)}`;
  return html`<time datetime="${iso}" title="${iso}">${distance}</time>`;
}

const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1000 },
] as const;

/** `3 min`, `2 h`: one unit, rounded down. */
export function duration(ms: number): string {
  const unit = units.find((candidate) => ms >= candidate.ms);
  return unit === undefined ? "0 s" : `${Math.floor(ms / unit.ms)} ${unit.name}`;
}

/** `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
