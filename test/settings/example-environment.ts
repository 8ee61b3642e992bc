import type { SettingKey } from "../../src/settings/schema/key.ts";
import { sections } from "../../src/settings/schema/schema.ts";

const width = 100;

const head = [
  "Settings of svcsync, made from the schema in src/settings. Copy it to .env.",
  "The process environment takes precedence over the file; an empty value means not set.",
  "A key with a # before it shows its default, or an example where it has none.",
  "Quote values that hold a # or a $: KEY='a#b'. A secret KEY can also come from a file: KEY_FILE=/run/secrets/key",
];

/** The text of `.env.example`: every key with its sentence and its default, in the order of the schema. */
export function exampleEnvironment(): string {
  const blocks = sections.map(({ title, keys }) => {
    const entries = Object.entries(keys).map(([name, key]) => entry(name, key));
    return [`# -- ${title}`, ...entries].join("\n\n");
  });
  return `${[head.map(comment).join("\n"), ...blocks].join("\n\n")}\n`;
}

function entry(name: string, key: SettingKey): string {
  return `${comment(key.secret ? `${key.about} Secret.` : key.about)}\n#${name}=${key.example}`;
}

/** Wraps a sentence into comment lines. */
function comment(sentence: string): string {
  const lines: string[] = [];
  let line = "#";
  for (const word of sentence.split(" ")) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = "#";
    }
    line += ` ${word}`;
  }
  return [...lines, line].join("\n");
}
