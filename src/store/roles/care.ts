import type { BackupState, CareStore, DriftState } from "../contract/people/care.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import { upsert, type Access } from "./access.ts";

/** The last results of scheduled maintenance. */
export class Care implements CareStore {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  backupState = () => this.#state<BackupState>("backup");
  saveBackupState = (state: BackupState) => this.#save("backup", state);
  driftState = () => this.#state<DriftState>("drift");
  saveDriftState = (state: DriftState) => this.#save("drift", state);

  async #state<State>(kind: string): Promise<State | undefined> {
    const sql = "SELECT state FROM care WHERE kind = @kind";
    const [row] = await this.#access.read<{ state: JsonText<State> }>(sql, { kind });
    return row && parseText(row.state);
  }

  async #save(kind: string, state: BackupState | DriftState): Promise<void> {
    await this.#access.step([upsert("care", "kind", { kind, state: JSON.stringify(this.#access.clean(state)) })]);
  }
}
