import { Writable } from "node:stream";
import { z } from "zod";

const logLine = z.looseObject({ level: z.string(), msg: z.string(), time: z.string() });

export type LogLine = z.infer<typeof logLine>;

/** Keeps what is written to it. */
export class TextSink extends Writable {
  text = "";

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += String(chunk);
    done();
  }

  /** The lines of a JSON log with this message. */
  lines(message: string): LogLine[] {
    return this.text
      .split("\n")
      .filter((line) => line.includes(message))
      .map((line) => logLine.parse(JSON.parse(line)))
      .filter(({ msg }) => msg === message);
  }
}
