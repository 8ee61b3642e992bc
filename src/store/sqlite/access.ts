/** How a part of the store reaches its tables. */
export interface Access {
  /** A read of what is committed then. */
  read<T>(work: () => T): Promise<T>;
  /** A step of its own, all or nothing; resolves when it is committed, and `durable` when the disk has it. */
  step<T>(work: () => T, options?: { readonly durable: true }): Promise<T>;
  /** A copy without secrets. */
  clean<Value>(value: Value): Value;
}
