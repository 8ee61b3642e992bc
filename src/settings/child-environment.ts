/** What a program that svcsync starts gets of the environment: where programs are, and nothing that could be a secret. */
export function childEnvironment(): Readonly<Record<string, string>> {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { PATH };
}
