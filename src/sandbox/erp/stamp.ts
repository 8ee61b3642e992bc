/** How the sample ERP writes a moment: UTC, `YYYY-MM-DD HH:MM:SS.sss`. Texts order as the moments do. */
export function erpStamp(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, -1);
}
