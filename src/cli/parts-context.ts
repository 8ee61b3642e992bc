import { Closing, openOwnStore, openSystems, type Configuration, type Systems } from "#daemon";
import { loadSettings } from "#settings";
import { expectKnown, operatorLogger, readFiles, type GlobalOptions, type StreamNames } from "./command-context.ts";
import type { Io } from "./output/io.ts";

export interface PartsContext extends AsyncDisposable {
  readonly configuration: Configuration;
  readonly parts: Systems;
  /** Closes what a command opens beside them. */
  readonly closing: Closing;
}

/** For commands that also talk to the service or the ERP. Throws as {@link openStoreContext} does. */
export async function openPartsContext(options: GlobalOptions, io: Io, names: StreamNames): Promise<PartsContext> {
  const { settings, secrets } = loadSettings(options);
  const syncFile = await readFiles(settings, secrets, io);
  expectKnown(names, syncFile);
  const { redaction } = io;
  const configuration = { settings, secrets, syncFile, logger: operatorLogger(settings, io), redaction };
  const closing = new Closing();
  try {
    const store = closing.use(await openOwnStore(configuration, "operator"));
    const parts = await openSystems(configuration, store, "operator", closing);
    return { configuration, parts, closing, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}
