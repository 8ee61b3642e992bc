/** One thing that a product does, and where that is documented or was seen. */
export interface Behaviour {
  readonly says: string;
  /** Title and address of the document, or the public client or test that shows it. */
  readonly source: string;
}

export type Behaviours<Name extends string = string> = Readonly<Record<Name, Behaviour>>;

/** How many documents and public programs stand behind the behaviours. */
export function sourceCount(behaviours: Behaviours): number {
  return new Set(Object.values(behaviours).map(({ source }) => source)).size;
}
