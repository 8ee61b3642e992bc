import { sleep } from "#model";
import { median, type Sizes } from "./figures.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { Stage, type StageSettings } from "./stage.ts";

const CREATES = { method: "POST", resource: "customer", status: 200 } as const;
const PATIENCE_MS = 3_600_000;
/** Far enough back for a poll to read every row again. */
const EVERYTHING = "1000d";
const LOOK_MS = 200;

export interface Memory {
  readonly records: number;
  /** Of the daemon's process; undefined where the system does not tell. */
  readonly peakBytes: number | undefined;
}

export interface UnchangedPoll {
  readonly rows: number;
  readonly milliseconds: number;
  readonly requests: number;
}

/** Peak memory of a first load of this size, and, on what it left, polls that read every row and find no change. */
export async function measureLarge(records: number, sizes: Sizes): Promise<{ memory: Memory; poll: UnchangedPoll }> {
  await using sandbox = await SandboxProcess.start();
  await using stage = await Stage.set(records);
  const peakBytes = await peakOfLoad(stage, sandbox, records);
  return { memory: { records, peakBytes }, poll: await pollAgain(stage, sandbox, records, sizes) };
}

async function peakOfLoad(stage: Stage, sandbox: SandboxProcess, records: number): Promise<number | undefined> {
  await using daemon = await stage.start("run", sandbox);
  await sandbox.reached(records, CREATES, PATIENCE_MS);
  return daemon.peakBytes();
}

export async function pollAgain(
  stage: Stage,
  sandbox: SandboxProcess,
  rows: number,
  { rounds }: Sizes,
  store: Pick<StageSettings, "store"> = {},
): Promise<UnchangedPoll> {
  const before = await sandbox.count();
  await using daemon = await stage.start("run", sandbox, {
    logLevel: "debug",
    pollSeconds: 1,
    overlap: EVERYTHING,
    ...store,
  });
  let polls: number[] = [];
  while (polls.length < rounds) {
    await sleep(LOOK_MS);
    polls = await pollsOf(daemon, rows);
  }
  return { rows, milliseconds: median(polls), requests: (await sandbox.count()) - before };
}

/** How long each poll took that read all rows and found no change. */
async function pollsOf(daemon: DaemonProcess, rows: number): Promise<number[]> {
  const entries = await daemon.log();
  return entries
    .filter((entry) => entry["msg"] === "stream polled" && entry["rowsRead"] === rows && entry["changed"] === 0)
    .map((entry) => Number(entry["durationMs"]));
}
