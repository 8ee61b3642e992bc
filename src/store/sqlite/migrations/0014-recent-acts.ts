/** An index that finds people's actions without reading svcsync's. */
export const recentActs = `
  CREATE INDEX audit_acts ON audit (at) WHERE actor IS NOT NULL;
`;
