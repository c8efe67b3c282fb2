import { signal } from '@preact/signals';
import { message, type Page } from '@insight-host/kit';
import { RequestQueue } from '@insight-host/kit/lab';
import { decoded, isDamaged, type Landscape, type Listed } from './landscape';

const AT_ONCE = 4; // requests

export type Loaded = { readonly landscape: Landscape } | { readonly error: string };

/** The landscapes themselves: each is asked for when it is first looked at. */
export class Loads {
  private readonly all = signal<ReadonlyMap<string, Loaded>>(new Map());
  private readonly requested = new Set<string>();
  private readonly queue = new RequestQueue(AT_ONCE);

  constructor(private readonly page: Page) {
    page.onChange(page.ctx.changes, ({ series }) => {
      // Also files with more data of a shown run: keep the current data until the new answer arrives.
      for (const key of this.requested)
        if (!series || series[(JSON.parse(key) as readonly string[])[0] ?? '']) this.requested.delete(key);
    });
  }

  /** What is known of a landscape. */
  of(run: string, entry: Listed): Loaded | null {
    if (isDamaged(entry)) return { error: this.page.reason(entry) };
    const key = JSON.stringify([run, entry.id, entry.tag, entry.step, entry.wall_time]);
    const found = this.all.value.get(key);
    if (!found && !this.requested.has(key)) {
      this.requested.add(key);
      void this.load(key, run, entry.id);
    }
    return found ?? null;
  }

  /** Asks again for what could not be loaded. */
  retry(): void {
    const left = new Map([...this.all.value].filter(([, loaded]) => 'landscape' in loaded));
    this.requested.clear();
    for (const key of left.keys()) this.requested.add(key);
    this.all.value = left;
  }

  private async load(key: string, run: string, id: string): Promise<void> {
    const { data, signal: ended } = this.page.ctx;
    let loaded: Loaded;
    try {
      const query = { run, id, format: 'safetensors' };
      const ask = () => data.columns('landscape', query, { signal: ended });
      loaded = { landscape: decoded(await this.queue.run(() => 0, ended, ask)) };
    } catch (error) {
      if (ended.aborted) return;
      loaded = { error: message(error) };
    }
    this.all.value = new Map(this.all.value).set(key, loaded);
  }
}
