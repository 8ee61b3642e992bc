import { readFile } from "node:fs/promises";
import { setImmediate as breathe } from "node:timers/promises";
import { loadSyncFile } from "#mapping";
import { StopError } from "#model";
import { resourceNames } from "#service";
import { loadSettings } from "#settings";
import { exampleEnvironment } from "../settings/example-environment.ts";
import { adapters } from "#sources";
import type { Dice } from "../chaos/dice.ts";
import { hostileText } from "./hostile.ts";
import type { Finding } from "./judge.ts";
import { syncFile, type Stage } from "./stage.ts";

/** A sync file is read before anything else runs, so that nothing waits; what costs more grows faster than its text. */
const LIMIT_MS = 1_000;
const LONGEST_MESSAGE = 200_000;

/** Reads mutated sync files and settings: each is taken, or refused with one error that shows no secret. */
export async function fuzzTexts(stage: Stage, dice: Dice, count: number): Promise<Finding[]> {
  const sync = await readFile(syncFile, "utf8");
  const shipped = await readFile(new URL("../../config/svcsync.yaml", import.meta.url), "utf8");
  const names = [...exampleEnvironment().matchAll(/^#?([A-Z_]{4,})=/gm)].map(([, name]) => name!);
  const findings: Finding[] = [];
  for (let at = 0; at < count; at++) {
    const text = mutatedText(dice.pick([sync, shipped]), dice);
    const context = {
      file: "fuzz.yaml",
      environment: stage.environment,
      adapters,
      resources: new Set(resourceNames),
    };
    findings.push(...tried("sync file", text, stage, () => void loadSyncFile(text, context)));
    const environment = mutatedSettings(names, dice);
    const shown = JSON.stringify(environment);
    findings.push(...tried("settings", shown, stage, () => void loadSettings({ envFile: stage.envFile, environment })));
    await breathe();
  }
  return findings;
}

function tried(what: string, input: string, { secrets }: Stage, load: () => void): Finding[] {
  const before = process.threadCpuUsage();
  let said = "";
  const findings: Finding[] = [];
  const complain = (text: string) =>
    findings.push({ what, text: `${text}, with ${JSON.stringify(input.slice(0, 3_000))}` });
  try {
    load();
  } catch (thrown) {
    if (!(thrown instanceof StopError)) complain(`threw ${String(thrown)}`);
    said = String(thrown) + JSON.stringify(thrown instanceof StopError ? thrown.details : {});
  }
  const { user, system } = process.threadCpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  if (cpuMs > LIMIT_MS) complain(`took ${Math.round(cpuMs)} ms`);
  if (said.length > LONGEST_MESSAGE) complain(`said ${said.length} characters`);
  for (const [name, secret] of secrets) if (said.includes(secret)) complain(`showed ${name}`);
  return findings;
}

function mutatedText(text: string, dice: Dice): string {
  let lines = text.split("\n");
  for (let times = dice.between(1, 4); times > 0; times--) {
    const at = dice.between(0, lines.length - 1);
    const line = lines[at] ?? "";
    lines = dice.weighted<() => string[]>([
      [3, () => (lines.length > 1 ? lines.toSpliced(at, 1) : lines)],
      [2, () => lines.toSpliced(at, 0, line)],
      [
        3,
        () =>
          lines.with(
            at,
            line.replace(/[^\s:{}[\],]+/g, (word) => (dice.chance(0.3) ? hostileText(dice) : word)),
          ),
      ],
      [2, () => lines.with(at, `  ${line}`)],
      [2, () => lines.with(at, line.replace(/:.*/, `: ${hostileText(dice)}`))],
      [1, () => lines.with(at, `${line}${dice.pick(["{", "[", "&a", "*a", "!!js", "|", "? ", "\t", "<<: *a"])}`)],
      [
        1,
        () =>
          lines.with(
            at,
            line.replace(
              /"([^"]*)"/,
              `"${dice.pick(["$", "(", "$$", "a.b.", "'", "{"]).repeat(dice.between(1, 2_000))}"`,
            ),
          ),
      ],
      [1, () => lines.slice(0, at + 1)],
    ])();
  }
  return lines.join("\n");
}

function mutatedSettings(names: readonly string[], dice: Dice): Record<string, string> {
  const changed: Record<string, string> = {};
  for (let times = dice.between(1, 5); times > 0; times--) {
    const name = dice.chance(0.8) ? dice.pick(names) : `${dice.pick(names)}${dice.pick(["_FILE", "S", "_"])}`;
    changed[name] = dice.weighted<() => string>([
      [4, () => hostileText(dice)],
      [2, () => dice.pick(["0", "-1", "1e9", "1e400", "0.0001", "2147484", "99999999999", "Infinity", "0x10", " 5 "])],
      [
        1,
        () =>
          dice.pick(["http://", "https://[::1", "redis://a:b@c:99999", "postgres://%zz@x", "sqlite:", "javascript:1"]),
      ],
    ])();
  }
  return changed;
}
