import { XMLParser } from "fast-xml-parser";
import { z } from "zod";
import { meantHint, ParkError } from "#model";

/** How many names a message lists. */
const NAMES_SHOWN = 30;

/** What `$metadata` says about one entity set: its key and its properties' types, by name. */
export interface EntityShape {
  readonly keys: readonly string[];
  readonly types: ReadonlyMap<string, string>;
}

const named = z.looseObject({ "@Name": z.string() });
const property = z.looseObject({ "@Name": z.string(), "@Type": z.string() });
const entityType = z.looseObject({
  "@Name": z.string(),
  "@BaseType": z.string().optional(),
  Key: z.array(z.looseObject({ PropertyRef: z.array(named) })).default([]),
  Property: z.array(property).default([]),
});
const schema = z.looseObject({
  "@Namespace": z.string().optional(),
  "@Alias": z.string().optional(),
  EntityType: z.array(entityType).default([]),
  EntityContainer: z
    .array(
      z.looseObject({
        EntitySet: z.array(z.looseObject({ "@Name": z.string(), "@EntityType": z.string() })).default([]),
      }),
    )
    .default([]),
});
const document = z.object({
  Edmx: z.array(z.object({ DataServices: z.array(z.object({ Schema: z.array(schema) })) })),
});
type EntityType = z.infer<typeof entityType>;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  removeNSPrefix: true,
  parseAttributeValue: false,
  parseTagValue: false,
  isArray: (_name, _path, _leaf, isAttribute) => !isAttribute,
});

/**
 * Reads the shape of an entity set from the service's `$metadata`, of v2 or v4.
 * @throws {ParkError} E_SOURCE_METADATA when the document or the entity set does not exist.
 */
export function entityShape(xml: string, entitySet: string): EntityShape {
  const parsed = document.safeParse(parser.parse(xml));
  if (!parsed.success) throw new ParkError("E_SOURCE_METADATA", "$metadata is not a description of an OData service");
  const schemas = parsed.data.Edmx.flatMap((edmx) => edmx.DataServices.flatMap((services) => services.Schema));
  const sets = schemas.flatMap((one) => one.EntityContainer.flatMap((container) => container.EntitySet));
  const set = sets.find((one) => one["@Name"] === entitySet);
  if (set === undefined) {
    const names = sets.map((one) => one["@Name"]);
    const hint = meantHint(entitySet, names, NAMES_SHOWN);
    throw new ParkError("E_SOURCE_METADATA", `the service has no entity set ${entitySet}; ${hint}`);
  }
  const types = new Map<string, EntityType>();
  for (const { "@Namespace": namespace, "@Alias": alias, EntityType } of schemas)
    for (const type of EntityType)
      for (const prefix of [namespace, alias]) types.set(`${prefix}.${type["@Name"]}`, type);
  const chain = inherited(types, set["@EntityType"]);
  const properties = chain.flatMap((type) => type.Property);
  return {
    keys: chain.flatMap((type) => type.Key.flatMap((key) => key.PropertyRef.map((ref) => ref["@Name"]))),
    types: new Map(properties.map((one) => [one["@Name"], one["@Type"]])),
  };
}

/** Returns a type and the types that it inherits from, the oldest first. */
function inherited(types: ReadonlyMap<string, EntityType>, qualified: string): EntityType[] {
  const chain: EntityType[] = [];
  for (let name: string | undefined = qualified; name !== undefined; name = chain[0]!["@BaseType"]) {
    const type = types.get(name);
    if (type === undefined || chain.includes(type)) break;
    chain.unshift(type);
  }
  return chain;
}

/** @throws {ParkError} E_SOURCE_METADATA when the entity set has no such property. */
export function typeOf(shape: EntityShape, entitySet: string, property: string): string {
  const type = shape.types.get(property);
  if (type !== undefined) return type;
  const hint = meantHint(property, [...shape.types.keys()], NAMES_SHOWN);
  throw new ParkError("E_SOURCE_METADATA", `${entitySet} has no property ${property}; ${hint}`);
}
