/** What users save under a name, of one owner. The host keeps it; all pages of its logs share it. */
import { effect, type Signal, untracked } from '@preact/signals';
import type { SavedEntry } from '@insight-host/api';
import { getJson, href, RequestError, sendWithToken } from '../data/http';
import type { Page } from './page';
import { lateTexts } from '../i18n/texts';
import { saved as en } from '../locales/en.json';
import { saved as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

interface Listed {
  readonly generation: number;
  readonly writable: boolean;
  readonly token: string | null; // null: this client may not write
  readonly damage: { readonly file: string; readonly lines: number } | null;
  readonly entries: readonly SavedEntry[];
}

/** What the host process `boot` answered. */
interface Answer {
  readonly boot: string | undefined;
  readonly listed: Listed;
}

/** The last answers by path: the tab of a plugin and what it adds to the page ask for the same. */
const answers = new WeakMap<Page, Map<string, Answer>>();
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

  /**
   * Asks now, unless the page has the answer already, and whenever somebody has saved something. Changes that come
   * meanwhile wait for the answer, which may have them.
   */
  follow(): () => void {
    const { latest } = this.page.session;
    const known = answers.get(this.page)?.get(this.path);
    if (known && known.boot === latest.peek().boot) this.take(known);
    let isAsking = false;
    const ask = async (): Promise<void> => {
      isAsking = true;
      let before;
      do {
        before = latest.peek();
        await this.refresh().catch(() => null); // the next change asks again
      } while (before !== latest.peek() && this.isBehind());
      isAsking = false;
    };
    return effect(() => {
      void latest.value;
      if (!isAsking && this.isBehind()) void untracked(ask);
    });
  }

  private isBehind(): boolean {
    const { boot, saved } = this.page.session.latest.peek();
    return !this.known || (saved !== undefined && this.known !== `${boot}-${saved}`);
  }

  async refresh(): Promise<readonly SavedEntry[]> {
    const mine = ++this.asked;
    const { boot } = this.page.session.latest.peek();
    const listed = await getJson<Listed>(this.path);
    if (mine !== this.asked) return listed.entries; // a later request knows better
    const answer = { boot, listed };
    this.take(answer);
    answers.set(this.page, (answers.get(this.page) ?? new Map<string, Answer>()).set(this.path, answer));
    const { damage } = listed;
    if (damage && !reported.has(damage.file)) {
      reported.add(damage.file);
      this.page.toasts.show('warn', words(this.page, 'saved.damaged', damage));
    }
    return listed.entries;
  }

  private take({ boot, listed }: Answer): void {
    this.known = `${boot}-${listed.generation}`;
    this.token = listed.token ?? '';
    this.writable.value = listed.writable;
    this.entries.value = listed.entries;
  }

  async get<T>(name: string): Promise<(SavedEntry & { readonly value: T }) | null> {
    const isListed = (entries: readonly SavedEntry[] | null): boolean => !!entries?.some((one) => one.name === name);
    // browsers log an answer of 404 as an error: what may not be there is looked up in the list
    if (!isListed(this.entries.peek()) && !isListed(await this.refresh())) return null;
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
