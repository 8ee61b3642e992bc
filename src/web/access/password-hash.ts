import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";

/** N = 2^15, r = 8, p = 3: the OWASP recommendation of 2024 for 32 MiB. */
const cost = { exponent: 15, blockSize: 8, parallelization: 3 };
const saltBytes = 16;
const keyBytes = 32;

/** A password as `scrypt.15.8.3.SALT.KEY`: no character is special in a shell, an .env file or Compose. */
export async function hashPassword(password: string): Promise<string> {
  const { exponent, blockSize, parallelization } = cost;
  const salt = randomBytes(saltBytes);
  const key = await derived(password, salt, exponent, blockSize, parallelization);
  const parts = [exponent, blockSize, parallelization, salt.toString("base64url"), key.toString("base64url")];
  return `scrypt.${parts.join(".")}`;
}

/** Whether `hash` belongs to this password; compares in constant time. */
export async function isPasswordOf(password: string, hash: string): Promise<boolean> {
  const [, exponent, blockSize, parallelization, salt = "", key = ""] = hash.split(".");
  const wanted = Buffer.from(key, "base64url");
  const found = await derived(
    password,
    Buffer.from(salt, "base64url"),
    Number(exponent),
    Number(blockSize),
    Number(parallelization),
  );
  return found.length === wanted.length && timingSafeEqual(found, wanted);
}

function derived(password: string, salt: Buffer, exponent: number, r: number, p: number): Promise<Buffer> {
  const N = 2 ** exponent;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // The same ü may be typed as one character or as two.
    scrypt(password.normalize("NFKC"), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
