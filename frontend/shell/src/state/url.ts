/** The state of the view, kept in the URL's hash: `#tab=scalar&runs=a;b&scalar.x=relative`. */
import { batch, type Signal, signal } from '@preact/signals';
import type { Codec, Mutable, Named } from '@insight-host/api';
import { formatHash, parseHash } from './browser';

export type History = 'push' | 'replace';

/** The part of `window` that this module needs; tests pass their own. */
export interface Address {
  hash(): string;
  write(hash: string, how: History): void;
  /** Calls `listener` when the user goes back, forward, or edits the URL. */
  onMove(listener: () => void): void;
}

const browserAddress: Address = {
  hash: () => location.hash,
  write: (hash, how) => {
    const url = `${location.pathname}${location.search}${hash || '#'}`;
    if (how === 'push') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  },
  onMove: (listener) => {
    addEventListener('popstate', listener);
    addEventListener('hashchange', listener);
  },
};

interface Slot {
  readonly text: Signal<string | null>;
}

export class ViewUrl {
  private entries: Map<string, string>;
  private readonly slots = new Map<string, Slot>();
  private readonly namedBy = new Map<string, (text: string) => Named>();
  private pending: History | null = null;

  constructor(private readonly address: Address = browserAddress) {
    this.entries = parseHash(address.hash());
    address.onMove(() => this.read());
  }

  get(key: string): string | null {
    return this.entries.get(key) ?? null;
  }

  /** What keys that begin with `prefix` say, by the rest of the key. */
  below(prefix: string): Record<string, string> {
    const found = [...this.entries].filter(([key]) => key.startsWith(prefix));
    return Object.fromEntries(found.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  /** All keys and their texts. */
  all(): ReadonlyMap<string, string> {
    return this.entries;
  }

  /** Sets all keys, so that Back undoes it. */
  replaceAll(entries: ReadonlyMap<string, string>): void {
    this.entries = new Map(entries);
    this.schedule('push');
    batch(() => {
      for (const [key, slot] of this.slots) slot.text.value = this.get(key);
    });
  }

  /** Runs and tags that the text of a key names; null if nobody has asked for the key with a codec that knows. */
  named(key: string, text: string): Named | null {
    return this.namedBy.get(key)?.(text) ?? null;
  }

  /** The raw text of one key, null when the URL does not have it. */
  text(key: string): Signal<string | null> {
    let slot = this.slots.get(key);
    if (!slot) {
      slot = { text: signal(this.get(key)) };
      this.slots.set(key, slot);
    }
    return slot.text;
  }

  set(key: string, value: string | null, how: History = 'replace'): void {
    if (this.get(key) === value) return;
    if (value === null) this.entries.delete(key);
    else this.entries.set(key, value);
    this.schedule(how);
    this.text(key).value = value;
  }

  /** A typed view of one key. A text that does not parse counts as absent. */
  state<T>(key: string, codec: Codec<T>): Mutable<T> {
    const text = this.text(key);
    if (codec.named) this.namedBy.set(key, (raw) => codec.named?.(codec.parse(raw)) ?? {});
    let seen: string | null = null;
    let known: { value: T } | null = null;
    const parse = (raw: string | null): T => {
      if (known && seen === raw) return known.value;
      let value: T;
      try {
        value = codec.parse(raw);
      } catch {
        value = codec.parse(null);
      }
      seen = raw;
      known = { value };
      return value;
    };
    return {
      get value() {
        return parse(text.value);
      },
      subscribe: (listener) => text.subscribe((raw) => listener(parse(raw))),
      set: (value, how = 'replace') => this.set(key, codec.format(value), how),
    };
  }

  /** One write per turn: browsers refuse more than a hundred history calls in 30 s. */
  private schedule(how: History): void {
    if (this.pending === null) queueMicrotask(() => this.flush());
    if (this.pending !== 'push') this.pending = how;
  }

  private flush(): void {
    const how = this.pending;
    if (how === null) return;
    this.pending = null;
    this.address.write(formatHash(this.entries), how);
  }

  private read(): void {
    this.pending = null;
    this.entries = parseHash(this.address.hash());
    for (const [key, slot] of this.slots) slot.text.value = this.get(key);
  }
}
