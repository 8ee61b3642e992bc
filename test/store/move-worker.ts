import { writeSync } from "node:fs";
import { argv, stdout } from "node:process";
import { systemClock } from "#model";
import { move, type StoreLocation } from "#store";
import { silentLogger } from "../kit/logger.ts";

/** A move that is made to be killed: it says when it has come to a step, or to a table in it, and waits there. */
const from: StoreLocation = JSON.parse(argv[2] ?? "");
const to: StoreLocation = JSON.parse(argv[3] ?? "");
const [stopStep, stopTable] = (argv[4] ?? "").split(" ");

await move(from, to, {
  clock: systemClock,
  logger: silentLogger,
  report: async (step) => {
    if (step.step !== stopStep || (stopTable !== undefined && (!("table" in step) || step.table !== stopTable))) return;
    writeSync(stdout.fd, "there\n");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
});
