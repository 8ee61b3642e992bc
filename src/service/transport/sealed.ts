import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, Buffer>(scrypt);

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const CIPHER = "aes-256-gcm";

/** Encrypts a text with a password: AES-256-GCM, the key derived by scrypt with a random salt. */
export async function seal(text: string, password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, await derive(password, salt, KEY_BYTES), nonce);
  const sealed = [cipher.update(text, "utf8"), cipher.final()];
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), ...sealed]).toString("base64");
}

/** Decrypts a sealed text; undefined when it was sealed with another password, or is damaged. */
export async function unseal(sealed: string, password: string): Promise<string | undefined> {
  const bytes = Buffer.from(sealed, "base64");
  const salt = bytes.subarray(0, SALT_BYTES);
  const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const tag = bytes.subarray(SALT_BYTES + NONCE_BYTES, SALT_BYTES + NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, await derive(password, salt, KEY_BYTES), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(tag);
    const text = [decipher.update(bytes.subarray(SALT_BYTES + NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(text).toString("utf8");
  } catch {
    return undefined;
  }
}
