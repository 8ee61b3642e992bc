import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";

/** A text of the archive, by the name of its file. */
export interface ArchiveFile {
  readonly name: string;
  readonly text: string;
}

const FOLDER = "svcsync-bundle";

/** The texts as a .tar.gz that unpacks into one folder. Only its owner may read what is unpacked. */
export function archiveOf(files: readonly ArchiveFile[], now: number): Uint8Array {
  const attrs = { mode: "600", mtime: now };
  return gzipSync(createTar(files.map(({ name, text }) => ({ name: `${FOLDER}/${name}`, data: text, attrs }))));
}
