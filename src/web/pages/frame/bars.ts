import { html, type Html } from "#server";
import type { HourCounts } from "#store";

export interface Bar {
  readonly count: number;
  /** Tooltip that names what the bar stands for. */
  readonly title?: string;
  /** Whether there was trouble, shown by a mark below the bar. */
  readonly isMarked?: boolean;
}

/** In pixels. */
interface Size {
  /** Distance from one bar to the next, including one empty pixel. */
  readonly step: number;
  readonly height: number;
}

/** Height of the mark below a bar, with its distance, in pixels. */
const mark = 4;
const markGap = 2;

/** Records that reached the service. */
export function delivered({ created, adopted, updated, deleted }: HourCounts): number {
  return created + adopted + updated + deleted;
}

/** Bars from old to new, with a text alternative. */
export function bars(text: string, shown: readonly Bar[], { step, height }: Size): Html {
  const most = Math.max(1, ...shown.map(({ count }) => count));
  const width = shown.length * step;
  const whole = height + (shown.some(({ isMarked }) => isMarked) ? markGap + mark : 0);
  return html`<svg
    class="bars"
    role="img"
    aria-label="${text}"
    viewBox="0 0 ${width} ${whole}"
    preserveAspectRatio="none"
    width="${width}"
    height="${whole}"
  >
    <title>${text}</title>
    ${shown.map((bar, at) => oneBar(bar, at, most, { step, height }))}
  </svg>`;
}

/** A bar above zero is at least a line high, so that one delivery remains visible beside thousands. */
function oneBar({ count, title, isMarked }: Bar, at: number, most: number, { step, height }: Size): Html {
  const tall = count === 0 ? 0 : Math.max(1, Math.round((count / most) * height));
  const [x, width] = [at * step, step - 1];
  const named = title === undefined ? undefined : html`<title>${title}</title>`;
  return html`<rect x="${x}" y="${height - tall}" width="${width}" height="${tall}">${named}</rect>${
      isMarked
        ? html`<rect class="trouble" x="${x}" y="${height + markGap}" width="${width}" height="${mark}">${named}</rect>`
        : undefined
    }`;
}
