import { openHttp, type HttpClient, type HttpSettings } from "#http";

export function open(url: string, changes: Partial<HttpSettings> = {}): HttpClient {
  return openHttp({
    url,
    userAgent: "svcsync-test/1",
    connectTimeoutMs: 5000,
    answerTimeoutMs: 10_000,
    callTimeoutMs: 20_000,
    responseLimitBytes: 1_000_000,
    connections: 4,
    ...changes,
  });
}
