import { Child } from "../child.ts";
import type { Sizes } from "../figures.ts";
import type { Measured } from "../runs.ts";

/** One round of a stream of returns: processor time, calls of the inbox, and the memory that is in use afterwards. */
export interface Round {
  readonly processorMs: number;
  readonly calls: number;
  readonly heldBytes: number;
}

/** What a child measured: the rounds before nothing is left to do, those after it, and those after a restart. */
export interface Rounds {
  readonly first: Round;
  readonly restarted: Round;
  readonly idle: readonly Round[];
}

const MINUTES_PER_DAY_OF_MS = 2_880 / 60_000;

/** Of rounds every 30 s without news, whatever the number of records. A report without an answer is kept on the disk alone. */
const ROUND_TARGETS = { minutesPerDay: 6, bytes: { open: 20, known: 400 } };

/** Rounds with many reports that the ERP has not answered, and with the state of many records. */
export async function measureRounds({ small, large }: Sizes): Promise<Measured[]> {
  const told = await rounds("state", small);
  return [
    { what: "state of a record for the first time, processor ms", value: told.first.processorMs / small, digits: 2 },
    { what: "  calls of the inbox", value: told.first.calls / small, digits: 2 },
    ...(await compared("states that went back before", "known", { small, large })),
    ...(await compared("reports without an answer", "open", { small, large })),
  ];
}

async function compared(
  what: string,
  kind: "open" | "known",
  { small, large }: Pick<Sizes, "small" | "large">,
): Promise<Measured[]> {
  const few = await rounds(kind, small);
  const many = await rounds(kind, large);
  const { idle, restarted } = many;
  const processorMs = idle.reduce((sum, round) => sum + round.processorMs, 0) / idle.length;
  return [
    {
      what: `${large.toLocaleString("en")} ${what}, a round without news, processor ms`,
      value: processorMs,
      digits: 1,
    },
    {
      what: "  such rounds every 30 s, minutes a day",
      value: processorMs * MINUTES_PER_DAY_OF_MS,
      digits: 1,
      atMost: ROUND_TARGETS.minutesPerDay,
    },
    { what: "  calls of the inbox a round", value: Math.max(...idle.map(({ calls }) => calls)) },
    { what: "  first round after a restart, processor ms", value: restarted.processorMs },
    {
      what: "  memory in use for each, bytes",
      value: (heldBy(many) - heldBy(few)) / (large - small),
      atMost: ROUND_TARGETS.bytes[kind],
    },
  ];
}

function heldBy({ idle }: Rounds): number {
  return Math.min(...idle.map(({ heldBytes }) => heldBytes));
}

async function rounds(kind: "open" | "state" | "known", count: number): Promise<Rounds> {
  await using child = new Child("returns/rounds-main.ts", [kind, String(count)], [...process.execArgv, "--expose-gc"]);
  return await child.next((message): message is Rounds => typeof message === "object" && message !== null);
}
