import { styleText } from "node:util";

/** A text in a colour, where `terminal` shows colours: NO_COLOR and what is no terminal are respected. */
export function coloured(terminal: NodeJS.WritableStream, colour: "green" | "red", text: string): string {
  return styleText(colour, text, { stream: terminal });
}
