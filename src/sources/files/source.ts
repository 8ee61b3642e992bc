import { realpath } from "node:fs/promises";
import { counted, nearest, ParkError, type Finding } from "#model";
import type { OpenContext, OpenedSource } from "../adapter.ts";
import { finding } from "../wire/client/web-check.ts";
import { openFolderInbox } from "./folder/folder-inbox.ts";
import { deliveredName } from "./folder/failed-files.ts";
import { matcher } from "./folder/done-name.ts";
import { FilesStream } from "./files-stream.ts";
import type { Folder } from "./folder/folder.ts";
import { waiting } from "./folder/inbox.ts";
import { filesCatalog } from "./look/catalog.ts";
import { openLocalFolder } from "./folder/local-folder.ts";
import { peekFiles } from "./read/peek-files.ts";
import type { FilesRead, FilesSettings } from "./schema.ts";
import { openSftpFolder } from "./folder/sftp-folder.ts";

const LOCAL_REMEDIES = {
  E_SOURCE_UNREACHABLE: "Check `folder`: is it there, is it mounted, may this user read it?",
};
const SFTP_REMEDIES = {
  E_SOURCE_UNREACHABLE: "Check host, port and `hostKey` under `sftp`, and the network.",
  E_SOURCE_LOGIN: "Check `username` and `password` or `privateKey` under `sftp`.",
  E_SOURCE_FAILED: "Check `folder`: is it there, may the user of `sftp` list it?",
};

/** Opens a folder of dropped files as a source. Touches nothing before the first read. */
export async function openFiles(settings: FilesSettings, context: OpenContext): Promise<OpenedSource<FilesRead>> {
  const { folder: root, sftp } = settings;
  const folder = sftp === undefined ? openLocalFolder(root) : openSftpFolder(root, sftp);
  return {
    catalog: filesCatalog(folder, settings),
    stream(name, read) {
      const stream = new FilesStream(folder, settings, read, context.clock, context.logger.child({ stream: name }));
      return {
        capabilities: { deletions: read.kind === "full" ? "sweep" : "flag" },
        changes: (cursor, signal) => stream.changes(cursor, signal),
        peek: (cursor, count, signal) => peekFiles(folder, settings, read, cursor, count, signal),
        readOne: (key, signal) => stream.readOne(key, signal),
        keys: (signal) => stream.keys(signal),
        ...(read.kind === "full" ? { keyless: (signal: AbortSignal) => stream.keyless(signal) } : {}),
        check: () => checkFiles(name, folder, settings, read),
      };
    },
    folderInbox(below) {
      if ([settings.processing, settings.done, settings.failed].includes(below))
        throw new ParkError(
          "E_RETURN_INBOX",
          `the folder ${below} of source ${context.name} is one that svcsync reads from`,
        );
      return openFolderInbox(folder, below);
    },
    async identity() {
      if (sftp !== undefined) return { address: `${sftp.host}:${sftp.port} ${root}`, part: "" };
      // A folder that cannot be listed is no other one.
      await folder.list("");
      return { address: await realpath(root), part: "" };
    },
    async check() {
      return [
        await finding(
          context.name,
          async () => {
            const files = await folder.list("");
            return `${root} can be listed; ${counted(files.length, "file")} waiting in it`;
          },
          sftp === undefined ? LOCAL_REMEDIES : SFTP_REMEDIES,
        ),
      ];
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function checkFiles(
  stream: string,
  folder: Folder,
  settings: FilesSettings,
  read: FilesRead,
): Promise<Finding[]> {
  const fits = matcher(read.files);
  const failed = await folder.list(settings.failed);
  const refused = failed.filter(({ name }) => fits(deliveredName(name)));
  const there = await folder.list("");
  const arrived = waiting(there, read);
  const findings: Finding[] = [
    {
      subject: `${stream}: files`,
      verdict: "ok",
      message: `${counted(arrived.length, "file")} matching ${read.files} waiting to be read`,
    },
  ];
  const others = there.map(({ name }) => name).filter((name) => !fits(name));
  const meant = arrived.length > 0 ? undefined : nearest(read.files, others);
  if (meant !== undefined)
    findings.push({
      subject: `${stream}: files`,
      verdict: "warning",
      message: `no file matches ${read.files}, but the folder holds ${meant}, which is not read`,
      remedy: "Correct `files` in the sync file, or the name that the ERP gives its files.",
    });
  if (refused.length > 0)
    findings.push({
      subject: `${stream}: failed`,
      verdict: "warning",
      message: `in ${settings.failed}: ${counted(refused.length, "file or report")}, the latest ${refused.at(-1)!.name}`,
      remedy: "Read the report, correct the file, drop it again, and delete what is settled.",
    });
  return findings;
}
