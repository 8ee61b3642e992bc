import type { MappingCases, ReturnCase, ReturnStream, Stream } from "#mapping";
import { errorFacts, errorText, ParkError, systemClock, WaitError, type Json, type ReturnContent } from "#model";
import { ErpNames, StreamMapper } from "#returns";
import { fieldDifferences, type CaseResult } from "./run-case.ts";

/** What a file of cases states, and the streams of the sync file. */
interface Given {
  readonly cases: Pick<MappingCases, "names" | "bound">;
  readonly streams: readonly Stream[];
  readonly returns: readonly ReturnStream[];
}

/** Makes the content of a return as the lane would, with the names and keys of the file in place of the service and the store. */
export async function runReturnCase(one: ReturnCase, given: Given, signal: AbortSignal): Promise<CaseResult> {
  const begunAt = performance.now();
  const stream = given.returns.find(({ name }) => name === one.stream)!;
  const differences = await differencesOf(one, new StreamMapper(stream, namesOf(given)), signal);
  return { title: one.title, line: one.line, differences, durationMs: performance.now() - begunAt };
}

function namesOf({ cases: { names, bound }, streams }: Given): ErpNames {
  const resources = new Map(streams.map(({ name, resource }) => [name, resource]));
  return new ErpNames({
    clock: systemClock,
    resources,
    store: {
      async boundTo({ resource, serviceId }) {
        for (const [stream, ids] of Object.entries(bound)) {
          const key = Object.keys(ids).find((key) => ids[key] === serviceId);
          if (key !== undefined && resources.get(stream) === resource) return { stream, key };
        }
        return undefined;
      },
      records: async () => [],
    },
    read: async (resource, id) => names[resource]?.find((record) => record["id"] === id),
  });
}

async function differencesOf(
  { record, expect }: ReturnCase,
  mapper: StreamMapper,
  signal: AbortSignal,
): Promise<string[]> {
  const [kind, message] = expect.parked === undefined ? ["waiting", expect.waiting] : ["parked", expect.parked];
  let content: ReturnContent;
  try {
    if (!(await mapper.isWanted(record)))
      return expect.skipped ? [] : ["expected a return", "it is skipped: left out by when"];
    content = await mapper.content({ subject: "", serviceId: undefined, modifiedAt: 0, record }, undefined, signal);
  } catch (thrown) {
    if (!(thrown instanceof ParkError) && !(thrown instanceof WaitError)) throw thrown;
    const facts = errorFacts(thrown);
    const found = thrown instanceof ParkError ? "parked" : "waiting";
    const isMeant = message !== undefined && (facts.code === message || facts.message.includes(message));
    if (isMeant && found === kind) return [];
    return [
      message === undefined ? "expected a return" : `expected ${kind}: ${message}`,
      `it is ${found}: ${errorText(facts)}`,
    ];
  }
  if (expect.skipped) return ["expected skipped", "it is returned"];
  if (message !== undefined) return [`expected ${kind}: ${message}`, "it is returned"];
  return [
    ...(expect.fields === undefined ? [] : fieldDifferences(expect.fields, { ...content.fields })),
    ...(expect.lines === undefined ? [] : lineDifferences(expect.lines, content)),
  ];
}

type Line = Readonly<Record<string, Json>>;

function lineDifferences(expected: readonly Line[], { lines }: ReturnContent): string[] {
  return Array.from({ length: Math.max(expected.length, lines.length) }).flatMap((_, at) => {
    const [wanted, line] = [expected[at], lines[at]];
    const found: Line = line === undefined ? {} : { ...line.fields, kind: line.kind, ...optional(wanted, line) };
    return fieldDifferences(wanted ?? {}, found).map((text) => `line ${at + 1}: ${text}`);
  });
}

/** Id and amount count only where the case names them; an amount may be written as a number. */
function optional(wanted: Line | undefined, { id, amount }: ReturnContent["lines"][number]): Line {
  const isNumber = typeof wanted?.["amount"] === "number" && amount !== null;
  return {
    ...(wanted !== undefined && "id" in wanted && { id }),
    ...(wanted !== undefined && "amount" in wanted && { amount: isNumber ? Number(amount) : amount }),
  };
}
