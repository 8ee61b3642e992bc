import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openTraces } from "#telemetry";
import { readSources } from "../architecture/source-files.ts";
import { openScene } from "../cli/scene.ts";
import { memoryLogger } from "../kit/logger.ts";
import { freePort } from "../setup/free-port.ts";
import { listen } from "../setup/listen.ts";

const value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.number() }).transform(({ intValue }) => intValue),
]);
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(z.object({ key: z.string(), value })),
  status: z.object({ code: z.number(), message: z.string().optional() }),
});
const sent = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(span) })) })),
});
type Span = z.infer<typeof span>;

/** An OpenTelemetry collector, and the spans that it was sent. */
async function startCollector() {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      expect(request.url).toBe("/v1/traces");
      const { resourceSpans } = sent.parse(JSON.parse(body));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans));
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  const port = await listen(server);
  return { spans, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A collector that takes requests and never answers. */
async function startSilentCollector() {
  const server = createServer(() => undefined);
  const port = await listen(server);
  const end = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, [Symbol.asyncDispose]: end };
}

const fact = ({ attributes }: Span, key: string) => attributes.find((each) => each.key === key)?.value;
const ERROR = 2;

describe("traces", () => {
  it("show the way of each change, from the poll to the answers of the service", async () => {
    await using collector = await startCollector();
    await using scene = await openScene();
    await scene.set({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await scene.run("sync");

    const root = collector.spans.find(
      (each) => fact(each, "svcsync.key") === "T-1" && fact(each, "svcsync.end") === "created",
    )!;
    const ofTicket = collector.spans.filter(({ traceId }) => traceId === root.traceId);
    const partsOf = (parent: Span) => ofTicket.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
    expect(root).toMatchObject({ name: "sync tickets" });
    expect(root.parentSpanId ?? "").toBe("");
    const [poll, wakeUp, deliver] = partsOf(root);
    expect([poll?.name, wakeUp?.name, deliver?.name]).toEqual(["poll", "wake-up", "deliver"]);
    expect(poll!.startTimeUnixNano).toBe(root.startTimeUnixNano);
    expect(poll!.endTimeUnixNano).toBe(wakeUp!.startTimeUnixNano);
    expect(wakeUp!.endTimeUnixNano).toBe(deliver!.startTimeUnixNano);
    expect(deliver!.endTimeUnixNano).toBe(root.endTimeUnixNano);
    const created = partsOf(deliver!).find(({ name }) => name === "POST ticket");
    expect(fact(created!, "http.response.status_code")).toBe(200);
    // Every record has a trace, and no record shares one with another.
    const roots = collector.spans.filter(({ name }) => name.startsWith("sync "));
    const keys = new Set(roots.map((each) => `${fact(each, "svcsync.stream")} ${fact(each, "svcsync.key")}`));
    expect(keys.size).toBe(5);
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(5);
  });

  it("show why a record was parked", async () => {
    await using collector = await startCollector();
    await using scene = await openScene();
    await scene.set({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` });
    await scene.edit((text) => text.replace("map: { open: Open, ", "map: { "));
    await scene.run("sync");
    const parked = collector.spans.find((each) => fact(each, "svcsync.key") === "T-1")!;
    expect(fact(parked, "svcsync.end")).toBe("parked");
    expect(parked.status).toMatchObject({ code: ERROR, message: expect.stringContaining("E_MAPPING") });
  });

  it.each(["away", "silent"])("say once in the log that the collector is %s, and hold nothing up", async (trouble) => {
    const logger = memoryLogger();
    await using silent = await startSilentCollector();
    const port = trouble === "silent" ? silent.port : await freePort();
    const traces = await openTraces({ endpoint: `http://127.0.0.1:${port}`, version: "1", logger });
    traces.record("0123456789abcdef0123456789abcdef", { name: "sync tickets", startedAt: 1, endedAt: 2 });
    await traces[Symbol.asyncDispose]();
    expect(logger.lines).toMatchObject([{ level: "warn", message: "traces were not sent" }]);
  });

  it("load their libraries only when a collector is named", () => {
    const importing = readSources().filter(({ code }) => code.includes('"@opentelemetry/'));
    expect(importing.map(({ path }) => path)).toEqual(["src/telemetry/traces.ts"]);
    expect(importing[0]!.code).not.toMatch(/from "@opentelemetry/);
  });
});
