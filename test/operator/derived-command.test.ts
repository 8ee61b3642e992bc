import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAct, derivedCommand, type AtTerminal } from "#operator";
import { Scene } from "../conformance/store-scene.ts";
import { never } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";

const asked: unknown[] = [];

/** An act that says nothing about its command. */
const labelAct = defineAct({
  name: "label",
  target: "stream",
  help: "Label a stream",
  input: { newText: z.string("a text").describe("what it is called"), size: z.coerce.number().optional() },
  isFinal: true,
  audit: "note",
  run: async (_, { target, input }) => void asked.push(target, input.newText, input.size),
});

function terminal(answer: boolean | undefined): AtTerminal & { readonly questions: string[] } {
  const questions: string[] = [];
  const ask = async (question: string) => (questions.push(question), answer);
  const by = { name: "anna", via: "cli", why: "tidy" } as const;
  return { by, signal: never, print: () => {}, warn: () => {}, ask, questions };
}

describe("the command that is derived from an act", () => {
  const command = derivedCommand(labelAct);

  it("takes the target, an option for each member, and --yes where the act is final", () => {
    expect(Object.keys(command.arguments)).toEqual(["<streams...>"]);
    expect(command.options).toEqual([
      { flags: "--new-text <value>", help: "what it is called" },
      { flags: "--size <value>", help: "size" },
      { flags: "--yes", help: "do not ask for confirmation" },
    ]);
  });

  it("refuses what the act does not take, and a final act without an answer, before anything is opened", () => {
    const at = { args: [], canBeAsked: true };
    expect(command.objection?.({ size: "1" }, at)).toBe("newText: found nothing, expected a text");
    expect(command.objection?.({ newText: "a" }, at)).toBeUndefined();
    expect(command.objection?.({ newText: "a" }, { ...at, canBeAsked: false })).toContain("add --yes");
  });

  it("asks once, carries the act out for each target, and says so", async () => {
    await using scene = await Scene.open(memoryPlace);
    const systems = { store: scene.store, streams: [], returns: [] };
    asked.length = 0;
    const no = terminal(false);
    const options = { newText: "a", size: "2", why: "tidy" };
    expect(await command.run(systems, [["customers", "tickets"]], options, no)).toEqual({ needsPerson: true });
    expect([no.questions, asked]).toEqual([["Label a stream (customers, tickets)? (yes/no)"], []]);

    const ended = await command.run(
      systems,
      [["customers", "tickets"]],
      { ...options, yes: true },
      terminal(undefined),
    );
    expect(ended).toEqual({ json: { streams: ["customers", "tickets"] }, text: "Done: label customers, tickets.\n" });
    expect(asked).toEqual(["customers", "a", 2, "tickets", "a", 2]);
  });
});
