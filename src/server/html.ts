import { html as template, raw } from "hono/html";
import { printable } from "#model";

/** HTML that is safe to be part of a page. {@link html} makes it; {@link rawHtml} accepts our own texts. */
export type Html = ReturnType<typeof raw>;

/** What a template accepts: text is escaped, HTML is not, and absent values print nothing. */
export type Content = Html | string | number | undefined | readonly Content[];

/**
 * A template whose literal parts are HTML and whose values are escaped, so that no record can inject markup. Invisible
 * characters, such as marks that change the direction of text, are spelled out.
 */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return ready(template(literals, ...contents.map(visible)));
}

/** The value of a form field: unchanged, because the form sends it back. */
export function typed(text: string | undefined): Html {
  return ready(template`${text}`);
}

/** Unescaped HTML, for constants such as a style sheet. */
export function rawHtml(text: string): Html {
  return raw(text);
}

/** A table that scrolls on its own in a narrow window, and that the keyboard can reach. */
export function scrollingTable(heads: readonly string[], rows: readonly Html[], caption?: string): Html {
  return html`<div
    class="${heads.length > 2 ? "scroll wide" : "scroll"}"
    tabindex="0"
    ${caption === undefined ? undefined : html`role="region" aria-label="${caption}"`}
  >
    <table>
      ${
        caption === undefined
          ? undefined
          : html`<caption>
              ${caption}
            </caption>`
      }
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function ready(made: Html | Promise<Html>): Html {
  if (made instanceof Promise) throw new TypeError("a template holds no promise");
  return made;
}

/** HTML is a String object here, and so remains unchanged. */
function visible(content: Content): unknown {
  if (typeof content === "string") return printable(content);
  return Array.isArray(content) ? content.map(visible) : content;
}
