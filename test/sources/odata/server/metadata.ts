import type { EntitySet } from "./entity-set.ts";

/** `$metadata` of these entity sets, as far as a reader needs it: keys, properties with their types, links. */
export function metadata(namespace: string, sets: readonly EntitySet[], version: "v2" | "v4"): string {
  const types = sets.map((set) => {
    const refs = set.keys.map((key) => `<PropertyRef Name="${key}"/>`);
    const simple = Object.entries(set.types).map(([name, type]) => property(name, qualified(namespace, type)));
    const complex = Object.keys(set.complex ?? {}).map((name) =>
      property(name, `Collection(${namespace}.${set.type}${name})`),
    );
    const links = Object.keys(set.navigation ?? {}).map((name) => `<NavigationProperty Name="${name}"/>`);
    return `<EntityType Name="${set.type}"><Key>${refs.join("")}</Key>${[...simple, ...complex, ...links].join("")}</EntityType>${complexTypes(namespace, set)}`;
  });
  const named = sets.map(({ name, type }) => `<EntitySet Name="${name}" EntityType="${namespace}.${type}"/>`);
  const [edmx, edm, number] =
    version === "v4"
      ? ["http://docs.oasis-open.org/odata/ns/edmx", "http://docs.oasis-open.org/odata/ns/edm", "4.0"]
      : ["http://schemas.microsoft.com/ado/2007/06/edmx", "http://schemas.microsoft.com/ado/2008/09/edm", "1.0"];
  return `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="${number}" xmlns:edmx="${edmx}"><edmx:DataServices>
<Schema Namespace="${namespace}" xmlns="${edm}">${types.join("")}
<EntityContainer Name="Container">${named.join("")}</EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>`;
}

function complexTypes(namespace: string, { type, complex = {} }: EntitySet): string {
  const made = Object.entries(complex).map(([name, types]) => {
    const properties = Object.entries(types).map(([member, one]) => property(member, qualified(namespace, one)));
    return `<ComplexType Name="${type}${name}">${properties.join("")}</ComplexType>`;
  });
  return made.join("");
}

const PRIMITIVE =
  /^(Byte|Int\d\d|Decimal|Double|Boolean|Guid|Date|DateTime|DateTimeOffset|TimeOfDay|Time|Duration|String)$/;

function qualified(namespace: string, type: string): string {
  return PRIMITIVE.test(type) ? `Edm.${type}` : `${namespace}.${type}`;
}

function property(name: string, type: string): string {
  return `<Property Name="${name}" Type="${type}"/>`;
}
