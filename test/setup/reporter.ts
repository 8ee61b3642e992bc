import { MinimalReporter, type TestModule, type TestRunEndReason, type TestSpecification } from "vitest/node";

/** How often a run says that it lives. */
const EVERY_MS = 30_000;

/**
 * Prints little while all is well: how far it is twice a minute, and the totals at the end. Of a test that fails, at once, all it printed; its
 * error at the end.
 */
export default class QuietReporter extends MinimalReporter {
  readonly #running = new Set<string>();
  #files = 0;
  #ended = 0;
  #failed = 0;
  #told = 0;
  #timer: NodeJS.Timeout | undefined;

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#running.clear();
    this.#files = specifications.length;
    this.#ended = this.#failed = this.#told = 0;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tell(), EVERY_MS).unref();
  }

  onTestModuleStart(testModule: TestModule): void {
    this.#running.add(testModule.relativeModuleId);
  }

  override onTestModuleEnd(testModule: TestModule): void {
    super.onTestModuleEnd(testModule);
    this.#running.delete(testModule.relativeModuleId);
    this.#ended += 1;
    if (testModule.state() === "failed") this.#failed += 1;
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: Parameters<MinimalReporter["onTestRunEnd"]>[1],
    reason: TestRunEndReason,
  ): void {
    clearInterval(this.#timer);
    super.onTestRunEnd(modules, errors, reason);
  }

  #tell(): void {
    const failed = this.#failed > 0 ? `, ${this.#failed} of them failed` : "";
    // Where nothing ended since the last time, a person wants to know what takes so long.
    const running =
      this.#ended === this.#told && this.#running.size > 0 ? `; running: ${[...this.#running].join(", ")}` : "";
    this.#told = this.#ended;
    this.log(` ${this.#ended} of ${this.#files} test files have ended${failed}${running}`);
  }
}
