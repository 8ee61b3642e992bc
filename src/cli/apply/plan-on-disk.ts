import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { codeOf } from "#model";
import { noPlan, readPlanLines, type PlanHead, type PlanRecord } from "#operator";

/** A plan's file, read line by line as often as needed: it may hold more records than fit into memory. */
export class PlanOnDisk {
  readonly path: string;
  readonly head: PlanHead;
  /** How many records are planned. */
  readonly records: number;

  private constructor(path: string, head: PlanHead, records: number) {
    this.path = path;
    this.head = head;
    this.records = records;
  }

  /**
   * Reads the whole file once.
   * @throws {ParkError} E_PLAN_FILE when it cannot be read or is not a whole plan.
   */
  static async open(path: string): Promise<PlanOnDisk> {
    const heads: PlanHead[] = [];
    const { records } = await read(path, { head: (found) => void heads.push(found), record: () => undefined });
    return new PlanOnDisk(path, heads[0]!, records);
  }

  async each(record: (record: PlanRecord) => void | Promise<void>): Promise<void> {
    await read(this.path, { head: () => undefined, record });
  }
}

async function read(
  path: string,
  reader: { head: (head: PlanHead) => void; record: (record: PlanRecord) => void | Promise<void> },
): Promise<{ readonly records: number }> {
  const input = createReadStream(path, "utf8");
  try {
    return await readPlanLines(createInterface({ input, crlfDelay: Infinity }), { path, ...reader });
  } catch (thrown) {
    if (codeOf(thrown) === undefined || codeOf(thrown)?.startsWith("E_")) throw thrown;
    throw noPlan(path, `cannot be read (${codeOf(thrown)})`);
  } finally {
    input.destroy();
  }
}
