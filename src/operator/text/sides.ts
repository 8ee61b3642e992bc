import { oneLine } from "#model";
import type { Overwrite, Shown } from "#pipeline";

/** One side of a binding, in terms that people recognise: `customers/10023 ("Muster AG", customerId 10023)`. */
export function sideText(label: string, { name, match }: Shown): string {
  const said = [name === "" ? [] : JSON.stringify(name), match === "" ? [] : match].flat();
  return oneLine(said.length === 0 ? label : `${label} (${said.join(", ")})`);
}

/** `name: "Old" -> "New"` */
export function overwriteText({ field, from, to }: Overwrite): string {
  return `${field}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}
