import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { play, type Verdict } from "../trial.ts";
import { findDolibarr } from "./dolibarr/index.ts";
import { findOdoo } from "./odoo/index.ts";
import type { FoundErp, Place } from "./place.ts";

const products: Readonly<Record<string, (place: Place) => Promise<FoundErp>>> = {
  dolibarr: findDolibarr,
  odoo: findOdoo,
};
const USAGE = 64;
const FOREIGN_AT_MOST = 500;

/**
 * `odoo --url http://127.0.0.1:8069 --database company --user svcsync --writer admin`: plays the chapters on an ERP that is already running,
 * with records of its own, which it removes. Secrets come from the environment: ERP_KEY is svcsync's, TRIAL_KEY the writer's;
 * with TRIAL_DATABASE_URL it also holds transactions and writes past the ERP.
 */
export async function runAt(argv: string[], say: (sentence: string) => void): Promise<readonly Verdict[] | number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      url: { type: "string" },
      preset: { type: "string" },
      database: { type: "string" },
      user: { type: "string" },
      writer: { type: "string" },
      timezone: { type: "string" },
      "database-timezone": { type: "string" },
      "foreign-at-most": { type: "string", default: String(FOREIGN_AT_MOST) },
      yes: { type: "boolean", default: false },
    },
  });
  const find = products[positionals[0] ?? ""];
  const { ERP_KEY: key, TRIAL_KEY: writerKey, TRIAL_DATABASE_URL: databaseUrl } = process.env;
  const atMost = Number(values["foreign-at-most"]);
  const wrong = [
    ...(find === undefined || positionals.length !== 1
      ? [`found ${positionals.join(" ")}, expected one of ${Object.keys(products).join(", ")}`]
      : []),
    ...(values.url === undefined ? ["found no --url, expected the address of the ERP"] : []),
    ...(key === undefined || writerKey === undefined
      ? [
          "found no secrets, expected ERP_KEY (of the user that svcsync reads with) and TRIAL_KEY (of a user that may write) in the environment",
        ]
      : []),
    ...(Number.isSafeInteger(atMost) && atMost >= 0
      ? []
      : [`found --foreign-at-most ${values["foreign-at-most"]}, expected a number`]),
  ];
  if (wrong.length > 0) {
    for (const sentence of wrong) say(sentence);
    return USAGE;
  }
  const { url, "database-timezone": databaseTimezone, yes: isAgreed, "foreign-at-most": _, ...rest } = values;
  const place = {
    ...rest,
    url: url!,
    key: key!,
    writerKey: writerKey!,
    ...(databaseTimezone && { databaseTimezone }),
    ...(databaseUrl && { databaseUrl }),
  };
  if (!isAgreed && !(await isAllowed(place, say))) return USAGE;
  await using erp = await find!(place);
  const foreign = await erp.foreign(atMost + 1);
  if (foreign > atMost) {
    say(
      `${erp.product} holds more than ${atMost} records of other people. Take a test system, or allow more with --foreign-at-most. Nothing was written.`,
    );
    return USAGE;
  }
  say(`${erp.product}: found, with ${foreign} records of other people`);
  return [await play(erp, say)];
}

async function isAllowed({ url }: Place, say: (sentence: string) => void): Promise<boolean> {
  if (!process.stdin.isTTY) {
    say(
      "found no terminal to ask, expected --yes: the trial writes records into the ERP, changes the rights of a user and puts back what it changed",
    );
    return false;
  }
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await ask.question(
    `The trial writes up to 700 records into ${url}, changes rights of svcsync's user for a moment, and removes all of it. Type yes to go on: `,
  );
  ask.close();
  return answer.trim().toLowerCase() === "yes";
}
