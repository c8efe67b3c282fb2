/** Which findings users put aside, and for which runs. */
import { message, type Page } from '@insight-host/kit';
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Entry } from './entries';

/** Runs by rule. */
type ByRule = Readonly<Record<string, readonly string[]>>;

const NAME = 'dismissed'; // of the saved entry, and of what the browser remembers
const TRIES = 3;

/**
 * Entries that are dismissed for their runs: on the host, where it saves for this page, so that all who look at these
 * logs see the same; else in this browser. A run that gets the same fault later brings the entry back.
 */
export class Dismissed {
  private readonly onHost = signal<ByRule>({});
  private readonly here = signal<ByRule>({});
  private readonly writable: ReadonlySignal<boolean>;
  private version: string | null = null;

  constructor(private readonly page: Page) {
    const { ctx } = page;
    this.here.value = ctx.memory.get<ByRule>(NAME, {});
    this.writable = page.follow(ctx.saved.writable);
    const follow = (entries: typeof ctx.saved.entries.value): void => {
      const entry = entries?.find(({ name }) => name === NAME);
      if (entries && (entry?.version ?? null) !== this.version) void this.read().catch(() => undefined);
    };
    if (!ctx.isSnapshot) page.until(ctx.saved.entries.subscribe(follow));
  }

  private readonly known = computed<ReadonlyMap<string, ReadonlySet<string>>>(() => {
    const found = new Map<string, Set<string>>();
    for (const [key, runs] of [...Object.entries(this.onHost.value), ...Object.entries(this.here.value)])
      found.set(key, new Set([...(found.get(key) ?? []), ...runs]));
    return found;
  });

  /** Whether an entry is dismissed for each of its runs. */
  hides({ key, runs }: Pick<Entry, 'key' | 'runs'>): boolean {
    const known = this.known.value.get(key);
    return known !== undefined && runs.every((run) => known.has(run));
  }

  /** Whether this page can take it back: not what a host has that saves nothing for it. */
  canRestore({ key }: Pick<Entry, 'key'>): boolean {
    return this.writable.value || this.onHost.value[key] === undefined;
  }

  dismiss({ key, runs }: Pick<Entry, 'key' | 'runs'>): Promise<void> {
    const all = [...new Set([...(this.known.peek().get(key) ?? []), ...runs])];
    return this.change((before) => ({ ...before, [key]: all }));
  }

  /** It is listed again. */
  async restore({ key }: Pick<Entry, 'key'>): Promise<void> {
    const without = (before: ByRule): ByRule =>
      Object.fromEntries(Object.entries(before).filter(([name]) => name !== key));
    this.remember(without(this.here.peek()));
    if (this.onHost.peek()[key] !== undefined) await this.change(without);
  }

  private remember(next: ByRule): void {
    this.here.value = next;
    this.page.ctx.memory.set(NAME, next);
  }

  private async read(): Promise<ByRule> {
    const entry = await this.page.ctx.saved.get<ByRule>(NAME);
    this.version = entry?.version ?? null;
    return (this.onHost.value = entry?.value ?? {});
  }

  /** Changes what the host has; in this browser if it saves nothing, or has no room. */
  private async change(next: (before: ByRule) => ByRule): Promise<void> {
    const { saved, notify, t } = this.page.ctx;
    if (!this.writable.peek()) return this.remember(next(this.here.peek()));
    for (let left = TRIES; ; left--) {
      try {
        const value = next(await this.read());
        this.version = (await saved.set(NAME, value, this.version)).version;
        this.onHost.value = value;
        return;
      } catch (cause) {
        const { code } = cause as { readonly code?: string };
        if (code === 'saved_changed' && left > 1) continue; // another page was faster
        notify('warn', t('dismiss.here', { reason: message(cause) }));
        return this.remember(next(this.here.peek()));
      }
    }
  }
}
