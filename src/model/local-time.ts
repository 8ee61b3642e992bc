/** An instant as people write it, with this machine's offset: `2026-11-22 18:00 +01:00`. */
export function localTime(at: number): string {
  const here = new Date(at);
  const minutes = -here.getTimezoneOffset();
  const offset = `${minutes < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
  const day = `${here.getFullYear()}-${two(here.getMonth() + 1)}-${two(here.getDate())}`;
  return `${day} ${two(here.getHours())}:${two(here.getMinutes())} ${offset}`;
}

function two(number: number): string {
  return String(Math.abs(number)).padStart(2, "0");
}
