import { describe, expect, it } from "vitest";
import { secretTexts, type Secrets } from "#settings";

const none: Secrets = {
  serviceToken: undefined,
  servicePassword: undefined,
  serviceCode: undefined,
  queueUrl: undefined,
  storeUrl: undefined,
};

describe("secret texts", () => {
  it("are our secrets, however short", () => {
    expect(secretTexts({ ...none, serviceToken: "t", servicePassword: "p", serviceCode: "1" })).toEqual([
      "t",
      "p",
      "1",
    ]);
  });

  it("are the addresses that give the right to write to someone, with their paths", () => {
    const chatUrl = "https://hooks.example.com/services/T0/B0/XYZ?thread=1";
    expect(secretTexts({ ...none, chatUrl, webhookKey: "k", smtpPassword: "s" })).toEqual([
      "s",
      "k",
      chatUrl,
      "https://hooks.example.com/services/T0/B0/XYZ",
      "/services/T0/B0/XYZ",
      "/services/T0/B0/XYZ?thread=1",
    ]);
  });

  it("are the passwords inside addresses, as they stand there and as they are meant", () => {
    const texts = secretTexts({ ...none, queueUrl: "redis://:r%2Fedis@h", proxyUrl: "http://u:pr0xy@h" });

    expect(texts).toEqual(["r%2Fedis", "r/edis", "pr0xy"]);
  });
});
