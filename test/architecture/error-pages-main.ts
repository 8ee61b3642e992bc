import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writtenErrorPages } from "./error-pages.ts";
import { root } from "./source-files.ts";

/** `npm run docs:errors`: writes docs/errors from the catalogue in src/model/error-catalogue. */
for (const { path, text } of writtenErrorPages()) writeFileSync(join(root, path), text);
