import type { Readable } from "node:stream";

export interface FileFacts {
  readonly name: string;
  readonly size: number;
  /** Epoch milliseconds, by the clock of the machine that holds the file. */
  readonly modifiedAt: number;
}

/** A folder with folders below it, on this machine or another. Paths are relative to it. */
export interface Folder extends AsyncDisposable {
  /** The files of a folder below (`""`: of the folder itself), in the order of their names; folders are left out. */
  list(below: string): Promise<FileFacts[]>;
  /** Moves a file in one step; a second one that tries fails. Makes the target's folder. */
  move(from: string, to: string): Promise<void>;
  /** The bytes of a file. */
  open(path: string): Promise<Readable>;
  write(path: string, text: string): Promise<void>;
}
