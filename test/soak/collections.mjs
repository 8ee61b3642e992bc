// Loaded into the daemon before everything else: collects garbage from tasks of the platform, between JavaScript and not in it.
// What a native library then frees, it frees without a JavaScript context, which has ended whole processes.
const { gc } = globalThis;
const MINOR_EVERY_MS = 5;
const MAJOR_EVERY_MS = 200;
let count = 0;

function collect(type) {
  void gc({ type, execution: "async" }).then(() => (count += 1));
}

setInterval(collect, MINOR_EVERY_MS, "minor").unref();
setInterval(collect, MAJOR_EVERY_MS, "major").unref();
process.once("exit", () => process.stdout.write(`${JSON.stringify({ level: "info", msg: "collected", count })}\n`));
