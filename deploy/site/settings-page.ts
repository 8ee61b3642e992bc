const head = /^# -- (.+)$/;
const assignment = /^#?([A-Z][A-Z0-9_]*)=/;

/** The example environment as a page: a heading for each setting, so that it can be found and linked. */
export function settingsPage(title: string, environment: string): string {
  const blocks = environment.trim().split(/\n\s*\n/);
  return `# ${title}\n\n${blocks.map(sectionOf).join("\n\n")}\n`;
}

function sectionOf(block: string): string {
  const lines = block.split("\n");
  const group = head.exec(lines[0] ?? "")?.[1];
  if (group !== undefined) return `## ${group}`;
  const assignments = lines.filter((line) => assignment.test(line));
  const sentences = lines
    .filter((line) => !assignment.test(line))
    .map((line) => line.replace(/^# ?/, ""))
    .join("\n");
  const prose = sentences.replace(/[A-Z]+_[A-Z0-9_*]+(?:=\S+)?|\S*[<>{}*]\S*/g, "`$&`");
  const [first] = assignments;
  if (first === undefined) return prose;
  const name = assignment.exec(first)?.[1] ?? "";
  return `### ${name}\n\n${prose}\n\n\`\`\`sh\n${assignments.join("\n")}\n\`\`\``;
}
