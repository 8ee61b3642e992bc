import { execFileSync } from "node:child_process";
import { z } from "zod";
import { deliveredPackages } from "./delivered.ts";

const written = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(z.looseObject({ "bom-ref": z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

/**
 * The bill of materials, CycloneDX 1.5: every package of the lock file that is not for development alone, as npm writes it.
 * npm's own `--omit dev` also leaves out libraries of ours that a tool for development asks for as a peer (npm 11.19: zod, yaml), so all
 * packages are written and those for development taken out.
 */
export function billOfMaterials(root: string): string {
  const delivered = new Set(deliveredPackages(root).map(({ name, version }) => `${name}@${version}`));
  const words = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
  const bill = written.parse(
    JSON.parse(execFileSync("npm", words, { cwd: root, encoding: "utf8", maxBuffer: 64 * 2 ** 20 })),
  );
  const isDelivered = (ref: string) => delivered.has(ref);
  const components = bill.components.filter((component) => isDelivered(component["bom-ref"]));
  const dependencies = bill.dependencies
    .filter(({ ref }) => isDelivered(ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn.filter(isDelivered) }));
  // npm names the folder that it runs in.
  const metadata = { ...bill.metadata, component: { ...bill.metadata.component, name: "svcsync" } };
  return `${JSON.stringify({ ...bill, metadata, components, dependencies }, undefined, 2)}\n`;
}
