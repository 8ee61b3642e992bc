import { describe, expect, it } from "vitest";
import {
  accountFromText,
  faultFromText,
  faultMembers,
  startSandbox,
  switchFromText,
  switchSpellings,
  tokenFromText,
} from "#sandbox";
import { thrownBy } from "../kit/outcome.ts";

describe("a switch from a command line", () => {
  it.each([
    ["brand=acme", { brand: "acme" }],
    ["listWrapper=array", { listWrapper: "array" }],
    ["listWrapper=resource", { listWrapper: "resource" }],
    ["listWrapper=key:rows", { listWrapper: { key: "rows" } }],
    [
      "listKeys=svcDocumentTask=task,ticketMessage=message",
      { listKeys: { svcDocumentTask: "task", ticketMessage: "message" } },
    ],
    ["paging=offset:from", { paging: { kind: "offset", parameter: "from" } }],
    ["paging=page:p:1", { paging: { kind: "page", parameter: "p", first: 1 } }],
    ["paging=none", { paging: { kind: "none" } }],
    ["paging=ignored", { paging: { kind: "ignored" } }],
    ["changedSince=false", { changedSince: false }],
    ["createStatus=201", { createStatus: 201 }],
    ["recordPath={resource}/by/{id}", { recordPath: "{resource}/by/{id}" }],
    ["recordPath={resource}?id={id}", { recordPath: "{resource}?id={id}" }],
    ["sorting=false", { sorting: false }],
    ["paths=contignent=contingent,customer=kunde", { paths: { contignent: "contingent", customer: "kunde" } }],
    ["notFound = null", { notFound: "null" }],
  ])("%s is %j", (text, switches) => {
    expect(switchFromText(text)).toEqual(switches);
  });

  const offered = switchSpellings().flatMap(([name, wanted]) =>
    wanted.split("|").flatMap((word) => (/^([a-z]\w*|\d+)$/.test(word) ? [[name, word] as const] : [])),
  );
  it.each(offered)("%s takes %s, as its help says", (name, word) => {
    expect(switchFromText(`${name}=${word}`)).toHaveProperty(name);
  });

  it.each([
    ["createAnwser=id", /the sandbox has no switch "createAnwser"; did you mean createAnswer\?/],
    ["whatever=1", /the sandbox has no switch "whatever"; it has brand, /],
    ["constructor=1", /the sandbox has no switch "constructor"/],
    ["createAnswer=locaton", /createAnswer: found "locaton", expected record\|id\|location\|none/],
    ["sorting", /sorting: found "", expected true\|false/],
    ["sorting=toString", /sorting: found "toString", expected true\|false/],
    ["paging=page:p:2", /paging: found/],
    ["recordPath={id}", /recordPath: found/],
  ])("%s is refused: %s", (text, message) => {
    expect(() => switchFromText(text)).toThrow(
      expect.objectContaining({ code: "E_SANDBOX_SWITCH", message: expect.stringMatching(message) }),
    );
  });
});

describe("a fault from a command line", () => {
  it("is a kind and its members, or JSON", () => {
    const fault = { kind: "cut", when: "after", method: "POST", every: 5, probability: 0.5 };
    expect(faultFromText("cut, when=after,method=POST,every=5,probability=0.5")).toEqual(fault);
    expect(faultFromText(JSON.stringify(fault))).toEqual(fault);
    expect(faultFromText("serverError,html")).toEqual({ kind: "serverError", html: true });
  });

  it("can be any kind with any of the members that the help shows", async () => {
    await using sandbox = await startSandbox();
    const values: Record<string, string> = {
      ms: "1",
      when: "before",
      lagMs: "1",
      retryAfterForm: "date",
      status: "503",
      html: "true",
      shape: "array",
      change: "add",
    };
    const statuses: Record<string, string> = { redirect: "302", gateway404: "404" };
    for (const [kind, members] of faultMembers()) {
      const pairs = members
        .split(", ")
        .filter(Boolean)
        .map((member) => member.replace("?", ""));
      const text = [
        kind,
        ...pairs.map((member) => `${member}=${(member === "status" && statuses[kind]) || values[member] || "5"}`),
      ].join();
      sandbox.faults.add(faultFromText(text));
    }
    expect(sandbox.faults.list()).toHaveLength(17);
  });

  it.each([
    ["latncy,ms=5", /kind: found "latncy"; did you mean latency\?/],
    ["nothing", /kind: found "nothing"; expected one of latency, tooMany, /],
    ["cut,when=after,evry=5", /member of cut: found "evry"; did you mean every\?/],
    ["cut,when=sometimes", /when: /],
    ["tooMany,resource=custommer", /resource: found "custommer"; did you mean customer\?/],
  ])("%s is refused: %s", async (text, message) => {
    await using sandbox = await startSandbox();
    expect(() => sandbox.faults.add(faultFromText(text))).toThrow(
      expect.objectContaining({ code: "E_SANDBOX_FAULT", message: expect.stringMatching(message) }),
    );
  });
});

describe("an account from a command line", () => {
  it("is user and password, a second factor too, or JSON with permissions", () => {
    expect(accountFromText("anna:secret")).toEqual({ username: "anna", password: "secret" });
    expect(accountFromText("anna:secret:123")).toEqual({ username: "anna", password: "secret", code: 123 });
    const reader = {
      username: "r",
      password: "p",
      permissions: { "*": ["GET"] },
      sees: { customer: { companyData: 1 } },
    };
    expect(accountFromText(JSON.stringify(reader))).toEqual(reader);
  });

  it.each([
    "anna",
    "anna:",
    ":secret",
    "a:secret:b:c",
    '{"username":"anna"',
    '{"username":"anna","password":"secret","x":1}',
  ])("%s is refused without showing the password", (text) => {
    const read = () => accountFromText(text);
    expect(read).toThrow(expect.objectContaining({ code: "E_SANDBOX_ACCOUNT" }));
    expect(read).toThrow(expect.objectContaining({ message: expect.not.stringContaining("secret") }));
  });

  it("has static tokens: the first one by default, another by its name", () => {
    const accounts = [accountFromText("anna:x"), accountFromText("ben:y")];
    expect(tokenFromText("t", accounts)).toEqual({ token: "t", username: "anna" });
    expect(tokenFromText("t@ben", accounts)).toEqual({ token: "t", username: "ben" });
    expect(() => tokenFromText("t@carl", accounts)).toThrow(/one of the users anna, ben/);
  });
});

describe("options that would do nothing", () => {
  it.each([
    { paths: { custommer: "x" } },
    { listKeys: { custommer: "x" } },
    { accounts: [{ username: "u", password: "p", permissions: { custommer: [] } }] },
  ])("%j stop the start with the name that was probably meant", async (options) => {
    expect(await thrownBy(startSandbox(options))).toMatchObject({
      code: "E_SANDBOX_RESOURCE",
      message: "there is no resource custommer; did you mean customer?",
    });
  });
});
