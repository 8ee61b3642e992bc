import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Redaction } from "#telemetry";
import type { Io } from "../../src/cli/output/io.ts";
import { Progress } from "../../src/cli/output/progress.ts";

const done = { kind: "done", outcome: "created", durationMs: 1 } as const;
const waiting = {
  kind: "waiting",
  error: { code: "E_PARENT_MISSING", message: "", details: {} },
  durationMs: 1,
} as const;

function open() {
  const lines: string[] = [];
  const stdout = { write: (text: string) => lines.push(text) };
  const io: Io = {
    stdout,
    stderr: stdout,
    ownWords: stdout,
    terminal: new PassThrough(),
    isTerminal: true,
    signal: new AbortController().signal,
    redaction: new Redaction(),
  };
  return { lines, progress: new Progress(["customers", "contacts"], io, { bars: false, lineEveryMs: 0 }) };
}

describe("progress", () => {
  it("ends at the whole, also where records are blocked, and counts one that comes twice once", () => {
    const { lines, progress } = open();
    progress.start();
    progress.staged("customers", { changed: 1 });
    progress.staged("contacts", { changed: 2 });
    for (const key of ["1", "2", "1"]) progress.delivered({ stream: "contacts", key }, waiting);
    progress.delivered({ stream: "customers", key: "1" }, done);
    progress.delivered({ stream: "contacts", key: "1" }, done);
    progress.finish();

    expect(lines.at(-1)).toBe("  customers 1/1, contacts 2/2\n");
  });

  it("counts a record again that changed again: each change was read, too", () => {
    const { lines, progress } = open();
    progress.start();
    progress.staged("customers", { changed: 2 });
    for (let change = 0; change < 2; change++) progress.delivered({ stream: "customers", key: "1" }, done);
    progress.finish();

    expect(lines.at(-1)).toBe("  customers 2/2, contacts 0/0\n");
  });

  it("falls silent once all that was read was delivered, and shows nothing before it is started", () => {
    const { lines, progress } = open();
    progress.staged("customers", { changed: 1 });
    expect(lines).toEqual([]);
    progress.start();
    progress.polled("customers");
    progress.polled("contacts");
    progress.delivered({ stream: "customers", key: "1" }, done);
    const told = lines.length;
    progress.delivered({ stream: "customers", key: "2" }, done);

    expect(lines.at(-1)).toBe("  customers 1/1, contacts 0/0\n");
    expect(lines).toHaveLength(told);
  });
});
