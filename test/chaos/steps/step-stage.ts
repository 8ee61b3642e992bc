import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_TOKEN, startSandbox, type Sandbox } from "#sandbox";
import { scriptEnvironment } from "../../setup/script.ts";

const child = fileURLToPath(new URL("step-child.ts", import.meta.url));
/** A service, an empty store and settings between them, for the death of one process. */
export interface StepStage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly envFile: string;
  /** Runs a delivery that dies at the step of this number or name; which it was, or undefined when it got to its end. */
  dieAt(fatal: number | string): Promise<string | undefined>;
  /** Runs a delivery that stands still at the step of this number or name; undefined when it got to its end. */
  stopAt(step: number | string): Promise<Stopped | undefined>;
}

/** A delivery that stands still. */
export interface Stopped {
  readonly step: string;
  /** Lets it continue; resolves when it has ended. */
  resume(): Promise<void>;
}

export async function setStepStage(more: Readonly<Record<string, string>> = {}): Promise<StepStage> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-steps-"));
  const sandbox = await startSandbox();
  const envFile = join(folder, "steps.env");
  const environment = {
    SERVICE_URL: sandbox.url,
    SERVICE_TOKEN: DEFAULT_TOKEN,
    SETTLE_LAG_SECONDS: "0.3",
    RETRY_BASE_SECONDS: "0.05",
    ERP_URL: `sqlite:${join(folder, "never-opened.sqlite")}`,
    SYNC_FILE: fileURLToPath(new URL("../sync.yaml", import.meta.url)),
    DATA_DIR: join(folder, "data"),
    ...more,
  };
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(envFile, lines.join(""), { mode: 0o600 });
  return {
    sandbox,
    envFile,
    async dieAt(fatal) {
      const dying = spawn(process.execPath, [child, envFile, String(fatal)], {
        stdio: ["ignore", "pipe", "inherit"],
        env: scriptEnvironment,
      });
      let said = "";
      dying.stdout.setEncoding("utf8").on("data", (text: string) => void (said += text));
      const [code, signal] = await once(dying, "close");
      if (signal === "SIGKILL") return said.trim();
      if (code !== 0) throw new Error(`the delivery ended with ${String(code ?? signal)}`);
      return undefined;
    },
    async stopAt(step) {
      const standing = spawn(process.execPath, [child, envFile, String(step), "SIGSTOP"], {
        stdio: ["ignore", "pipe", "ignore"],
        env: scriptEnvironment,
      });
      const closed = once(standing, "close");
      const said = await new Promise<string>((resolve) => {
        standing.stdout.setEncoding("utf8").once("data", resolve);
        standing.once("close", () => resolve(""));
      });
      if (said === "") return undefined;
      return {
        step: said,
        async resume() {
          standing.kill("SIGCONT");
          await closed;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
