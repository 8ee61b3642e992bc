import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";

export interface LinkCheck {
  /** How many links, styles and scripts lead to the site itself. */
  readonly checked: number;
  /** How many lead elsewhere: they are not opened. */
  readonly outside: number;
  readonly dead: readonly string[];
}

const reference = /<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g;

/** Follows each link of the built pages in `folder`, which are served below `base`, to its file and its anchor. */
export function checkLinks(folder: string, base: string): LinkCheck {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const pages = files.filter((name) => name.endsWith(".html"));
  const texts = new Map(pages.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const anchors = new Map([...texts].map(([name, text]) => [name, anchorsIn(text)]));
  const links = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(reference)]
      .map(([, target = ""]) => ({ page, target: target.replaceAll("&amp;", "&") }))
      .filter(({ target }) => !target.startsWith("data:")),
  );
  const own = links.filter(({ target }) => !/^(?:[a-z]+:|\/\/)/.test(target));
  const dead = own.filter(({ page, target }) => {
    const [path = "", anchor = ""] = target.split(/[?#]/);
    const file = path === "" ? page : fileAt(folder, page, decodeURIComponent(path), base);
    if (file === undefined) return true;
    return anchor !== "" && !(anchors.get(file)?.has(decodeURIComponent(anchor)) ?? false);
  });
  return {
    checked: own.length,
    outside: links.length - own.length,
    dead: dead.map(({ page, target }) => `${page} leads to ${target}`),
  };
}

/** The file that a server sends for a path, or undefined where there is none. */
function fileAt(folder: string, page: string, path: string, base: string): string | undefined {
  if (path.startsWith("/") && !path.startsWith(base)) return undefined;
  const inside = path.startsWith("/") ? path.slice(base.length) : posix.join(posix.dirname(page), path);
  const file = inside === "" || inside.endsWith("/") ? `${inside}index.html` : inside;
  return existsSync(join(folder, file)) && statSync(join(folder, file)).isFile() ? file : undefined;
}

function anchorsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id));
}
