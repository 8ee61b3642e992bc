import type { Readable } from "node:stream";

export interface FileFacts {
  readonly name: string;
  readonly size: number;
  /** Epoch milliseconds, by the clock of the machine that holds the file. */
  readonly modifiedAt: number;
}

/** A folder with subfolders, on this machine or another. Paths are relative to it. */
export interface Folder extends AsyncDisposable {
  /** Lists the files of a subfolder (`""`: of the folder itself) in the order of their names. Folders are left out. */
  list(below: string): Promise<FileFacts[]>;
  /** Names of the files of a subfolder, in no order; for folders with very many. None if it does not exist. */
  names(below: string): Promise<string[]>;
  has(path: string): Promise<boolean>;
  /** Moves a file in one step. A second attempt to move the same file fails. Creates the target's folder. */
  move(from: string, to: string): Promise<void>;
  open(path: string): Promise<Readable>;
  write(path: string, text: string): Promise<void>;
}
