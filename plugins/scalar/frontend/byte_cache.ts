/** An LRU cache bounded by `limit` bytes. */
export class ByteCache<T> {
  private readonly entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  private used = 0;

  constructor(private readonly limit: number) {}

  /** Bytes of all values. */
  get bytes(): number {
    return this.used;
  }

  /** The value, which counts as used now. */
  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** Evicts the values that were not used for the longest time; a value larger than the limit is not kept. */
  set(key: string, value: T, bytes: number): void {
    this.delete(key);
    if (bytes > this.limit) return;
    this.entries.set(key, { value, bytes });
    this.used += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.used <= this.limit) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.used -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}
