import type { Database } from "better-sqlite3";
import type { BackupState, CareStore, DriftState } from "../../contract/care.ts";
import type { Access } from "../access.ts";
import { parseText, type JsonText } from "./json-text.ts";

interface States {
  readonly backup: BackupState;
  readonly drift: DriftState;
}

/** What scheduled care did last. */
export class Care implements CareStore {
  readonly #access: Access;
  readonly #find;
  readonly #save;

  constructor(db: Database, access: Access) {
    this.#access = access;
    this.#find = db.prepare<[string], JsonText<never>>("SELECT state FROM care WHERE kind = ?").pluck();
    this.#save = db.prepare<[string, string]>("INSERT OR REPLACE INTO care (kind, state) VALUES (?, ?)");
  }

  backupState(): Promise<BackupState | undefined> {
    return this.#read("backup");
  }

  saveBackupState(state: BackupState): Promise<void> {
    return this.#write("backup", state);
  }

  driftState(): Promise<DriftState | undefined> {
    return this.#read("drift");
  }

  saveDriftState(state: DriftState): Promise<void> {
    return this.#write("drift", state);
  }

  #read<Kind extends keyof States>(kind: Kind): Promise<States[Kind] | undefined> {
    return this.#access.read(() => {
      const text: JsonText<States[Kind]> | undefined = this.#find.get(kind);
      return text === undefined ? undefined : parseText(text);
    });
  }

  #write<Kind extends keyof States>(kind: Kind, state: States[Kind]): Promise<void> {
    const text = JSON.stringify(this.#access.clean(state));
    return this.#access.step(() => void this.#save.run(kind, text));
  }
}
