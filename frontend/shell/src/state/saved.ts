/** What users save under a name, of one owner. The host keeps it; all pages of its logs share it. */
import { effect, type Signal, untracked } from '@preact/signals';
import type { SavedEntry } from '@insight-host/api';
import { RequestError } from '../data/errors';
import { getJson, href, sendWithToken } from '../data/http';
import { words } from '../views/words';
import type { Page } from './page';

interface Listed {
  readonly generation: number;
  readonly writable: boolean;
  readonly token: string;
  readonly damage: { readonly file: string; readonly lines: number } | null;
  readonly entries: readonly SavedEntry[];
}

const reported = new Set<string>(); // files whose damage the user has heard of

export class SavedEntries {
  private token = '';
  private known = ''; // what the host had when it was last asked
  private asked = 0;
  private readonly path: string;

  constructor(
    private readonly page: Page,
    owner: string,
    private readonly entries: Signal<readonly SavedEntry[] | null>,
    private readonly writable: Signal<boolean>,
  ) {
    this.path = `data/saved/${owner}`;
  }

  /** Asks now, and whenever somebody has saved something. */
  follow(): () => void {
    return effect(() => {
      const { boot, saved } = this.page.session.latest.value;
      if (this.known && (saved === undefined || this.known === `${boot}-${saved}`)) return;
      untracked(() => this.refresh()).catch(() => null); // the next change asks again
    });
  }

  async refresh(): Promise<readonly SavedEntry[]> {
    const mine = ++this.asked;
    const { boot } = this.page.session.latest.peek();
    const { generation, token, writable, damage, entries } = await getJson<Listed>(this.path);
    if (mine !== this.asked) return entries; // a later request knows better
    this.known = `${boot}-${generation}`;
    this.token = token;
    this.writable.value = writable;
    this.entries.value = entries;
    if (damage && !reported.has(damage.file)) {
      reported.add(damage.file);
      this.page.toasts.show('warn', words(this.page, 'saved.damaged', damage));
    }
    return entries;
  }

  async get<T>(name: string): Promise<(SavedEntry & { readonly value: T }) | null> {
    try {
      return await getJson(this.path, { name });
    } catch (cause) {
      if (cause instanceof RequestError && cause.code === 'unknown_saved') return null;
      throw cause;
    }
  }

  async set(name: string, value: unknown, version: string | null): Promise<SavedEntry> {
    const answer = await this.send('PUT', {}, JSON.stringify({ name, value: value ?? null, version }));
    return (await answer.json()) as SavedEntry;
  }

  async remove(name: string, version: string): Promise<void> {
    await this.send('DELETE', { name, version });
  }

  private async send(method: string, query: Readonly<Record<string, string>>, body?: string): Promise<Response> {
    if (!this.token) await this.refresh();
    try {
      return await sendWithToken(
        () => this.token,
        () => this.refresh(),
        href(this.path, query),
        { method, ...(body === undefined ? {} : { body }) },
      );
    } finally {
      await this.refresh().catch(() => null); // also when somebody else was faster
    }
  }
}
