import { recordLabel, type ErrorFacts, type RecordId, type ReturnId, type ReturnState, type StreamName } from "#model";
import { roughDuration } from "#operator";
import { html, type Content, type Html } from "#server";

/** The address of a record's page. A key that a path cannot contain (empty, or `..`) goes into the query. */
export function pathOf(id: RecordId, verb?: string): string {
  const [stream, key] = [id.stream, id.key].map((part) => encodeURIComponent(part.toWellFormed()));
  const end = verb === undefined ? "" : `/${verb}`;
  return /^\.{0,2}$/.test(id.key) ? `/records/${stream}${end}?key=${key}` : `/records/${stream}/${key}${end}`;
}

export function streamPath(name: StreamName): string {
  return `/streams/${encodeURIComponent(name)}`;
}

/** The address of a return's page. */
export function returnPath({ stream, subject, version }: ReturnId, verb?: string): string {
  const end = verb === undefined ? "" : `/${verb}`;
  return `${returnsPath({ stream })}/${version}${end}?${new URLSearchParams({ subject }).toString()}`;
}

/** The address of a list of returns. */
export function returnsPath({
  stream,
  state,
  after,
}: {
  readonly stream: string;
  readonly state?: ReturnState | undefined;
  readonly after?: ReturnId | undefined;
}): string {
  const parameters = new URLSearchParams();
  if (state !== undefined) parameters.set("state", state);
  if (after !== undefined) {
    parameters.set("after-subject", after.subject);
    parameters.set("after-version", String(after.version));
  }
  const query = parameters.toString();
  return `/returns/${encodeURIComponent(stream)}${query === "" ? "" : `?${query}`}`;
}

export function linkTo(id: RecordId): Html {
  return html`<a href="${pathOf(id)}">${recordLabel(id)}</a>`;
}

/** The state of a record, a stream or a return. */
export function badge(state: string): Html {
  return html`<span class="badge ${state}">${state}</span>`;
}

export function reason(error: ErrorFacts): Html {
  return html`<code>${error.code}</code> ${error.message}`;
}

/** An entry of a list of facts; nothing if it has no content. */
export function fact(name: string, content: Content): Content {
  return content === undefined || (Array.isArray(content) && content.length === 0)
    ? undefined
    : html`<dt>${name}</dt>
        <dd>${content}</dd>`;
}

/** A sentence in which quoted commands ("svcsync adopt tickets") can be copied, and words of the sync file (`map`) are code. */
export function sentence(text: string): Html {
  const parts = text.split(/("svcsync [^"]+"|`[^`]+`)/);
  return html`${parts.map((part, at) => (at % 2 === 1 ? code(part) : part))}`;
}

function code(quoted: string): Html {
  const text = quoted.slice(1, -1);
  return quoted.startsWith("`") ? html`<code>${text}</code>` : html`<code class="command">${text}</code>`;
}

/** An instant and its distance from `now`, readable by people and by programs. */
export function instant(at: number, now: number): Html {
  const iso = new Date(at).toISOString();
  const distance = at <= now ? `${roughDuration(now - at)} ago` : `in ${roughDuration(at - now)}`;
  return html`<time datetime="${iso}" title="${iso}">${distance}</time>`;
}
