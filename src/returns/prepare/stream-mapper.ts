import type { MappedReturnField, ReturnStream } from "#mapping";
import type { JsonObject, ReturnContent, ReturnKind, ReturnValue } from "#model";
import type { ReturnMapper, WholeRecord } from "../contract.ts";
import { amountsOf } from "./amounts.ts";
import type { ErpNames } from "./erp-names.ts";
import { cancelledContent, comparedLines, statementHash, type NewLine } from "./statement.ts";

/** Makes the content of a stream's returns: fields and lines with the ERP's keys and names, amounts rounded, differences named. */
export class StreamMapper implements ReturnMapper {
  readonly #stream: ReturnStream;
  readonly #names: Pick<ErpNames, "of" | "prepare">;

  constructor(stream: ReturnStream, names: Pick<ErpNames, "of" | "prepare">) {
    this.#stream = stream;
    this.#names = names;
  }

  isWanted(record: JsonObject): Promise<boolean> {
    return this.#stream.isWanted(record);
  }

  finalAt(record: JsonObject): number | undefined {
    const { finalBy } = this.#stream;
    const stamp = finalBy === undefined ? undefined : record[`${finalBy}Date`];
    const at = typeof stamp === "string" ? Date.parse(stamp) : Number.NaN;
    return Number.isNaN(at) ? undefined : at;
  }

  async content(
    { record }: WholeRecord,
    before: ReturnContent | undefined,
    signal: AbortSignal,
  ): Promise<ReturnContent> {
    const { name: stream, lines: lists } = this.#stream;
    const head = await this.#stream.map(record);
    const all = [];
    for (const list of lists)
      all.push({ list, mapped: (await list.map(record)).toSorted((one, other) => one.id - other.id) });
    const values = [head, ...all.flatMap(({ mapped }) => mapped.map((line) => line.fields))].flat();
    await this.#names.prepare(
      values.map(({ value }) => value),
      signal,
    );
    const fields = await this.#resolved(head, "", signal);
    const lines: NewLine[] = [];
    for (const { list, mapped } of all) {
      const { kind, rounding } = list;
      const amounts = amountsOf(mapped, rounding, { stream, kind });
      for (const [at, line] of mapped.entries())
        lines.push({
          kind,
          id: line.id,
          amount: amounts[at]!,
          fields: await this.#resolved(line.fields, `${kind}.`, signal),
        });
    }
    const kinds = lists.map(({ kind }) => kind);
    return { fields, lines: comparedLines(lines, before, kinds) };
  }

  cancelled(before: ReturnContent): ReturnContent {
    return cancelledContent(before);
  }

  hash(kind: ReturnKind, content: ReturnContent): string {
    return statementHash(kind, content);
  }

  async #resolved(
    fields: readonly MappedReturnField[],
    prefix: string,
    signal: AbortSignal,
  ): Promise<Record<string, ReturnValue>> {
    const wanted = (name: string) => ({ stream: this.#stream.name, field: `${prefix}${name}` });
    const resolved: [string, ReturnValue][] = [];
    for (const { name, value } of fields) resolved.push([name, await this.#names.of(value, wanted(name), signal)]);
    return Object.fromEntries(resolved);
  }
}
