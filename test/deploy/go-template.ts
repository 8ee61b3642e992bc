type Values = Readonly<Record<string, unknown>>;

/** What the chart of svcsync uses of Go's templates and Helm's functions; anything else is an error. This is not Helm. */
export function renderTemplate(text: string, data: Values): string {
  const parts = text
    .replaceAll(/\s*\{\{-/g, "{{")
    .replaceAll(/-\}\}\s*/g, "}}")
    .split(/\{\{(.*?)\}\}/s);
  let at = 0;
  const block = (isShown: boolean): string => {
    let out = "";
    for (; at < parts.length; at++) {
      if (at % 2 === 0) {
        if (isShown) out += parts[at];
        continue;
      }
      const action = parts[at]!.trim();
      if (action === "end" || action === "else") return out;
      const condition = /^if (.*)$/s.exec(action)?.[1];
      if (condition !== undefined) out += choice(isShown && Boolean(evaluate(condition, data)), isShown);
      else if (isShown) out += String(evaluate(action, data));
    }
    return out;
  };
  const choice = (isTrue: boolean, isShown: boolean): string => {
    at++;
    let out = block(isTrue);
    if (parts[at]?.trim() === "else") {
      at++;
      out += block(isShown && !isTrue);
    }
    if (parts[at]?.trim() !== "end") throw new Error("an if has no end");
    return out;
  };
  const out = block(true);
  if (at < parts.length) throw new Error(`{{ ${parts[at]?.trim()} }} closes nothing`);
  return out;
}

const functions: Readonly<Record<string, (...of: unknown[]) => unknown>> = {
  and: (...of) => of.every(Boolean),
  not: (one) => !one,
  gt: (one, other) => Number(one) > Number(other),
  int: (one) => Math.trunc(Number(one)),
  quote: (one) => JSON.stringify(String(one)),
  default: (fallback, one) => one || fallback,
  fail: (why) => {
    throw new Error(String(why));
  },
};

function evaluate(pipeline: string, data: Values): unknown {
  const tokens = pipeline.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? [];
  let at = 0;
  const term = (): unknown => {
    const token = tokens[at++] ?? "";
    if (token === "(") {
      const value = piped();
      if (tokens[at++] !== ")") throw new Error(`${pipeline} lacks a parenthesis`);
      return value;
    }
    if (token.startsWith('"')) return JSON.parse(token);
    if (/^\d+$/.test(token)) return Number(token);
    if (token.startsWith(".")) return found(token, data);
    throw new Error(`${token} in {{ ${pipeline} }} is not known`);
  };
  const call = (...last: unknown[]): unknown => {
    const named = functions[tokens[at] ?? ""];
    if (named === undefined) return term();
    at++;
    const given: unknown[] = [];
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") given.push(term());
    return named(...given, ...last);
  };
  const piped = (): unknown => {
    let value = call();
    while (tokens[at] === "|") {
      at++;
      value = call(value);
    }
    return value;
  };
  const value = piped();
  if (at < tokens.length) throw new Error(`{{ ${pipeline} }} has too much`);
  return value;
}

function found(path: string, data: Values): unknown {
  return path
    .slice(1)
    .split(".")
    .reduce<unknown>((at, name) => {
      const value =
        typeof at === "object" && at !== null ? Object.entries(at).find(([key]) => key === name) : undefined;
      if (value === undefined) throw new Error(`${path} is not in values.yaml`);
      return value[1];
    }, data);
}
