/** Finds what people did without reading what svcsync did. */
export const recentActs = `
  CREATE INDEX audit_acts ON audit (at) WHERE actor IS NOT NULL;
`;
