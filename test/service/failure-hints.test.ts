import { describe, expect, it } from "vitest";
import { HttpAnswer, HttpFailure } from "#http";
import { answerError, failedExchange } from "../../src/service/transport/failures.ts";

const failure = (reason: "tls" | "malformed" | "timeout", message: string) =>
  String(failedExchange(new HttpFailure(reason, message, { outcomeUnknown: false }), false));

const answer = (status: number, body: string) =>
  answerError(new HttpAnswer(status, {}, Buffer.from(body), 1, "GET https://a.example/x"), false, 0).message;

describe("a failure of the service", () => {
  it.each([
    "self-signed certificate",
    "self signed certificate in certificate chain",
    "unable to verify the first certificate",
    "unable to get local issuer certificate",
  ])("names SERVICE_CA_FILE for a certificate that is not trusted: %s", (why) => {
    expect(failure("tls", `GET https://a.example: the secure connection failed: ${why}`)).toContain(
      "set SERVICE_CA_FILE to the PEM file",
    );
  });

  it("does not advise SERVICE_CA_FILE where it does not help", () => {
    expect(failure("tls", "the secure connection failed: certificate has expired")).toContain("does not help");
    expect(failure("tls", "the server does not speak https at this port")).not.toContain("SERVICE_CA_FILE");
    expect(failure("timeout", "too slow")).not.toContain("SERVICE_");
  });

  it("asks for SERVICE_URL where a web page answers instead of the API", () => {
    expect(failure("malformed", "answered 200 with 9 bytes of text/html that are not JSON")).toContain(
      "is SERVICE_URL the tenant's address?",
    );
    expect(answer(404, "<!DOCTYPE html><title>Not found</title>")).toBe(
      "GET https://a.example/x answered 404: Not found; that is a web page, not the API: is SERVICE_URL the tenant's address?",
    );
    expect(answer(404, '{"errorMessage":"no such record"}')).toBe(
      "GET https://a.example/x answered 404: no such record",
    );
  });
});
