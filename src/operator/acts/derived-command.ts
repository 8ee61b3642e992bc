import { z } from "zod";
import type { RecordId } from "#model";
import { answerOf, givenBy, problemIn, targetLabel, type Act, type Targets } from "./act.ts";
import { noTerminal, UsageError, type Command } from "./command.ts";
import { findReturn } from "./returns/known-return.ts";
import type { DaemonSystems } from "./systems.ts";

const targets: Readonly<Record<keyof Targets, Command["arguments"]>> = {
  record: { "<record>": "" },
  group: { "<id>": "the cause, as svcsync groups lists it" },
  stream: { "<streams...>": "the streams" },
  return: { "<return>": "as svcsync returns lists it, for example reports/4711/2; without a version, the newest" },
  returnStream: { "<returns...>": "the streams of returns" },
  installation: {},
};

const yes = { flags: "--yes", help: "do not ask for confirmation" };

/** The command of an act that says nothing else: its target, one option for each member of its input, and a question where it is final. */
export function derivedCommand(act: Act): Command {
  const { target: kind, needs, isFinal = false, input = {} } = act;
  const options = Object.entries(input).map(([name, schema]) => ({
    flags: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <value>`,
    help: z.globalRegistry.get(schema)?.description ?? name,
  }));
  return {
    arguments: targets[kind],
    options: isFinal ? [...options, yes] : options,
    needsSystems: () => needs === "systems",
    objection(options, { canBeAsked }) {
      if (isFinal && !("yes" in options) && !canBeAsked) return noTerminal("do it");
      return problemIn(act, sentBy(act, options));
    },
    async run(
      systems: DaemonSystems,
      args: readonly (RecordId | string | readonly string[])[],
      options,
      { by, signal, warn, ask },
    ) {
      const wanted = await targetsOf(kind, args.flat(), systems);
      const labels = wanted.map(targetLabel).join(", ");
      if (isFinal && !("yes" in options) && (await ask(`${act.help} (${labels})? (yes/no)`)) !== true) {
        warn("Nothing was done.\n");
        return { needsPerson: true };
      }
      const done: { readonly answer: object; readonly result: unknown }[] = [];
      for (const target of wanted) {
        const given = { ...givenBy(act, target, sentBy(act, options), signal), isConfirmed: true };
        const result = await act.run(systems, given, by);
        const undone = act.undone?.(result);
        if (undone !== undefined) throw new UsageError(undone);
        done.push({ answer: answerOf(act, given, result), result });
      }
      const results = done.map(({ result }) => result);
      const json = kind === "stream" || kind === "returnStream" ? { streams: wanted } : done[0]!.answer;
      return { json, text: act.said?.(wanted, results) ?? `Done: ${[act.name, labels].join(" ").trim()}.\n` };
    },
  };
}

async function targetsOf(
  kind: keyof Targets,
  given: readonly (RecordId | string)[],
  { store }: DaemonSystems,
): Promise<readonly Targets[keyof Targets][]> {
  if (kind === "installation") return [undefined];
  if (kind !== "return") return given;
  return Promise.all(given.flatMap((text) => (typeof text === "string" ? [findReturn(store.returns, text)] : [])));
}

/** What is sent with the act, among the options of its command. */
function sentBy({ input = {} }: Act, options: object) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name in input));
}
