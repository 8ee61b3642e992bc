import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The SHA-256 of the files, by name: hexadecimal. */
export function digestsOf(folder: string, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    names.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]),
  );
}

/** As `sha256sum --check` reads it. */
export function checksumsText(digests: ReadonlyMap<string, string>): string {
  return [...digests].map(([name, digest]) => `${digest}  ${name}\n`).join("");
}

/** What a release was made from. */
export interface Origin {
  readonly version: string;
  readonly commit: string;
  /** Where the repository can be had; the builder's name. Of a release from somebody's machine neither is known. */
  readonly repository: string | undefined;
  readonly builder: string | undefined;
  readonly startedAt: Date;
  readonly finishedAt: Date;
}

/** The statement of provenance: in-toto Statement v1 with the predicate SLSA Provenance v1 (https://slsa.dev/spec/v1.0/provenance). */
export function provenanceOf(digests: ReadonlyMap<string, string>, origin: Origin): unknown {
  const { version, commit, repository, builder, startedAt, finishedAt } = origin;
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...digests].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:svcsync:npm-run-release:1",
        externalParameters: { version },
        resolvedDependencies: [
          {
            uri: repository === undefined ? "urn:svcsync:repository" : `git+${repository}`,
            digest: { gitCommit: commit },
          },
        ],
      },
      runDetails: {
        builder: { id: builder ?? "urn:svcsync:not-a-hosted-builder" },
        metadata: { startedOn: startedAt.toISOString(), finishedOn: finishedAt.toISOString() },
      },
    },
  };
}
