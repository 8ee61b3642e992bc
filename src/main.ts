#!/usr/bin/env -S node --max-semi-space-size=32 --no-allocation-site-pretenuring --
// 32 MB for what is young instead of 16: a first load then costs 6 % less processor time, for 30 MB (npm run bench).
// V8 may not guess what grows old: it would take a page's rows for that, and each of them keeps others from being collected.
// The two dashes keep --env-file an option of the program: older releases of Node take it for theirs.

// First of all, and before anything is imported: an older Node ends in syntax errors, or in a crash of the store's library.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (!(major >= 24 || (major === 22 && minor >= 15))) {
  process.stderr.write(
    `svcsync needs Node.js 24, or 22.15 and newer of 22, and this is ${process.versions.node}: install Node.js 24, or use "npx svcsync" in a checkout, where "npm ci" installs one.\n`,
  );
  const wrongSettings = 78;
  process.exit(wrongSettings);
}
// What V8 compiled is kept in a folder of this user alone, so that a command starts sooner. The daemon starts once and has no use for
// it. Where the folder cannot be written, as in a container with a read-only root, nothing happens.
if (!process.argv.includes("run")) await keepCompiled().catch(() => {});
const { runCommand, stopSignals } = await import("#cli");

// The process: arguments, signals and the exit code. Everything else can be run by a test.
const stop = new AbortController();
let signals = 0;
for (const [name, number] of stopSignals())
  process.on(name, () => {
    signals += 1;
    // The second signal means now.
    if (signals > 1) process.exit(128 + number);
    stop.abort();
  });
// A reader that went away (`svcsync status | head`) is no error; a full disk (`svcsync status > file`) is one.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`standard output cannot be written: ${error.message}\n`);
  const couldNotContinue = 70;
  process.exit(couldNotContinue);
});

const code = await runCommand(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  isTerminal: process.stdout.isTTY,
  signal: stop.signal,
});
// Everything is closed, and what was printed is out. A connection whose other side has vanished would keep the process alive.
for (const output of [process.stdout, process.stderr]) await new Promise((resolve) => output.write("", resolve));
process.exit(code);

async function keepCompiled(): Promise<void> {
  const { mkdir } = await import("node:fs/promises");
  const { enableCompileCache } = await import("node:module");
  const { homedir } = await import("node:os");
  const caches = `${homedir()}/.cache`;
  // Node's own attempt to create a folder never ends where the file system says that its parent does not exist, such as below /proc.
  for (const folder of [caches, `${caches}/svcsync`])
    await mkdir(folder, 0o700).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  enableCompileCache(`${caches}/svcsync`);
}
