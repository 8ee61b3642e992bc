import { describe, expect, it } from "vitest";
import { ParkedLog } from "../../src/daemon/observers/parked-log.ts";
import { memoryLogger } from "../kit/logger.ts";

const refused = (key: string) => ({
  code: "E_SERVICE_REFUSED" as const,
  message: `contacts/${key}: the e-mail is not valid`,
  details: {},
});

function open() {
  const logger = memoryLogger();
  let now = 0;
  const log = new ParkedLog({ logger, elapsed: () => now });
  const park = (key: string) =>
    log.delivered({ stream: "contacts", key }, { kind: "parked", error: refused(key), durationMs: 1 });
  return { logger, log, park, pass: (ms: number) => void (now += ms), [Symbol.dispose]: () => log[Symbol.dispose]() };
}

describe("the log of records that need a person", () => {
  it("has one line for a cause, however many records have it, with what to do", () => {
    using opened = open();
    for (let at = 0; at < 231; at++) opened.park(`K${at}`);
    opened.log.flush();

    expect(opened.logger.lines).toMatchObject([
      {
        level: "error",
        message: "records need a person",
        fields: {
          stream: "contacts",
          code: "E_SERVICE_REFUSED",
          count: 231,
          total: 231,
          cause: "contacts/…: the e-mail is not valid",
          remedy: expect.stringContaining('"svcsync retry contacts/K0"'),
        },
      },
    ]);
  });

  it("tells later what came in addition, and nothing while nothing comes", () => {
    using opened = open();
    opened.park("K1");
    opened.log.flush();
    opened.park("K2");
    opened.log.flush();
    opened.pass(10 * 60_000);
    opened.log.flush();
    opened.pass(10 * 60_000);
    opened.log.flush();

    expect(opened.logger.lines.map(({ fields }) => [fields["count"], fields["total"]])).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });

  it("counts causes beyond a hundred, and forgets them: a value that is repeated may be one for each record", () => {
    using opened = open();
    const park = (at: number) => {
      const message = `contacts.status: the value "X${at}" is not in map`;
      const error = { code: "E_MAPPING", message, details: {} } as const;
      opened.log.delivered({ stream: "contacts", key: String(at) }, { kind: "parked", error, durationMs: 1 });
    };
    const { lines } = opened.logger;
    for (let at = 0; at < 5_000; at++) park(at);
    opened.log.flush();
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toMatchObject({
      message: "records need a person for more causes",
      fields: { causes: 4_900, count: 4_900 },
    });

    opened.log.flush();
    expect(lines).toHaveLength(101);
    park(0);
    opened.log.flush();
    expect(lines.at(-1)).toMatchObject({ message: "records need a person", fields: { count: 1, total: 1 } });
  });

  it("tells the rest when it ends", () => {
    const opened = open();
    opened.park("K1");
    opened.log.flush();
    opened.park("K2");
    opened[Symbol.dispose]();

    expect(opened.logger.lines.map(({ fields }) => fields["total"])).toEqual([1, 2]);
  });
});
