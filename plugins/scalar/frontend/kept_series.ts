/** Computed series that the host keeps: they are there for everybody who opens these logs. */
import { signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Page } from '@insight-host/kit';
import { changed } from '@insight-host/kit/lab';
import { retried } from './saved_retry';

const ENTRY = 'computed series'; // among what is saved of the tab: names by expression

type Names = ReadonlyMap<string, string>;

export class SavedExpressions {
  /** Names by expression. */
  readonly names: Live<Names>;
  /** False while the host saves nothing (`--read-only`). */
  readonly writable: Live<boolean>;
  private readonly known = signal<Names>(new Map());
  private version: string | null = null;

  constructor(private readonly page: Page) {
    this.names = this.known;
    this.writable = page.follow(page.ctx.saved.writable);
    page.until(
      page.ctx.saved.entries.subscribe((entries) => {
        const version = entries?.find(({ name }) => name === ENTRY)?.version ?? null;
        if (!entries || version === this.version) return;
        this.version = version;
        this.read().catch(() => (this.version = null)); // the next change asks again
      }),
    );
  }

  /** Keeps a series under a name; null: no longer. Rejects with the reason why the host does not. */
  async set(expression: string, name: string | null): Promise<void> {
    const { saved } = this.page.ctx;
    await retried(async () => {
      const before = await this.read();
      const names = changed(this.known.value, expression, name);
      if (names.size > 0) this.version = (await saved.set(ENTRY, Object.fromEntries(names), before)).version;
      else if (before !== null) await saved.remove(ENTRY, before);
      this.known.value = names;
    });
  }

  /** Reads what the host has; its version, or null for nothing. */
  private async read(): Promise<string | null> {
    const entry = await this.page.ctx.saved.get<unknown>(ENTRY);
    const pairs = Object.entries(entry?.value ?? {}).filter(([, name]) => typeof name === 'string');
    this.known.value = new Map(pairs as [string, string][]);
    return entry?.version ?? null;
  }
}
