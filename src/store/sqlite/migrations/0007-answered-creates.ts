/** Whether the service said that it carried out a create whose id is not known. When it was first looked for, nothing uses. */
export const answeredCreates = `
  ALTER TABLE intents DROP COLUMN first_look_at;
  ALTER TABLE intents ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
`;
