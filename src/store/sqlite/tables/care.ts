import type { Database } from "better-sqlite3";
import type { BackupState, CareStore, DriftState } from "../../contract/care.ts";
import type { Access } from "../access.ts";
import { parseText, type JsonText } from "./json-text.ts";

/** What scheduled care did last. */
export class Care implements CareStore {
  readonly #access: Access;
  readonly #backup;
  readonly #drift;
  readonly #save;

  constructor(db: Database, access: Access) {
    this.#access = access;
    this.#backup = db.prepare<[], JsonText<BackupState>>("SELECT state FROM care WHERE kind = 'backup'").pluck();
    this.#drift = db.prepare<[], JsonText<DriftState>>("SELECT state FROM care WHERE kind = 'drift'").pluck();
    this.#save = db.prepare<[string, string]>("INSERT OR REPLACE INTO care (kind, state) VALUES (?, ?)");
  }

  backupState(): Promise<BackupState | undefined> {
    return this.#access.read(() => {
      const text = this.#backup.get();
      return text === undefined ? undefined : parseText(text);
    });
  }

  saveBackupState(state: BackupState): Promise<void> {
    return this.#write("backup", state);
  }

  driftState(): Promise<DriftState | undefined> {
    return this.#access.read(() => {
      const text = this.#drift.get();
      return text === undefined ? undefined : parseText(text);
    });
  }

  saveDriftState(state: DriftState): Promise<void> {
    return this.#write("drift", state);
  }

  #write(kind: "backup" | "drift", state: BackupState | DriftState): Promise<void> {
    const text = JSON.stringify(this.#access.clean(state));
    return this.#access.step(() => void this.#save.run(kind, text));
  }
}
