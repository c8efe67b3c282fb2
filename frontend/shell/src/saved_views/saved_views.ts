/** The saved views of these logs, and what can be done with them. */
import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import type { Values } from '../i18n/texts';
import { type StartView, told, type ViewState } from '../state/browser';
import type { ViewList } from '../state/late';
import type { Page } from '../state/page';
import { BrowserShelf, HostShelf, isState, type Shelf } from './shelf';
import { lateTexts } from '../i18n/texts';
import { saved_views as en } from '../locales/en.json';
import { saved_views as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });
type WordKey = Parameters<typeof words>[1];

const PERSONAL = ['theme', 'locale']; // keys of the URL that belong to the reader, not to the view
export const LONGEST_NAME = 190; // characters

/** A view in the list. */
export interface ListedView {
  readonly name: string;
  readonly version: string;
  readonly shelf: Shelf;
  readonly isStart: boolean;
}

/** The view that the page shows, as it was when it was opened or saved. */
interface OpenedView extends StartView {
  /** Null: the version that the host had when the page was loaded. */
  readonly version: string | null;
}

/** What a file of exported views holds. */
interface Exported {
  readonly insight_host_views: 1;
  readonly views: readonly { readonly name: string; readonly state: ViewState }[];
}

export class SavedViews implements ViewList {
  readonly host: HostShelf;
  readonly browser: BrowserShelf;
  /** Where views are saved now. */
  readonly shelf = computed<Shelf>(() => (this.host.writable.value ? this.host : this.browser));
  readonly opened = signal<OpenedView | null>(null);
  readonly gone: GoneNames;

  constructor(
    readonly page: Page,
    start: StartView | undefined,
  ) {
    this.host = new HostShelf(page);
    this.browser = new BrowserShelf(told().logs ?? '', () => this.say('browser.full'));
    if (start) this.opened.value = { ...start, version: null };
    this.gone = new GoneNames(page, this.opened);
    this.host.follow();
    effect(() => {
      const { value: opened } = this.opened;
      const { value: names } = this.gone.names;
      if (opened && names.length > 0)
        untracked(() => page.toasts.show('warn', this.say('gone', { name: opened.name, count: names.length })));
    });
  }

  say(key: WordKey, values?: Values): string {
    return words(this.page, key, values);
  }

  /** All views, by name; null until the host has answered. */
  readonly list = computed<readonly ListedView[] | null>(() => {
    if (this.host.entries.value === null) return null;
    const own = this.browser.start.value;
    const found = [this.host, this.browser].flatMap((shelf) =>
      (shelf.entries.value ?? []).map(({ name, version }) => ({
        name,
        version,
        shelf,
        isStart: shelf.start.value === name && (shelf === this.browser || own === null),
      })),
    );
    return found.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  });

  /** What a view of the page as it is now would hold. */
  state(): ViewState {
    return Object.fromEntries([...this.page.url.all()].filter(([key]) => !PERSONAL.includes(key)));
  }

  /** Whether the page still shows the opened view as it was saved. */
  isUnchanged(): boolean {
    const { value: opened } = this.opened;
    return opened !== null && sameState(this.state(), opened.state);
  }

  async open({ name, shelf }: Pick<ListedView, 'name' | 'shelf'>): Promise<void> {
    const found = await shelf.get(name);
    if (!found) throw new Error(this.say('unreadable', { name }));
    const personal = [...this.page.url.all()].filter(([key]) => PERSONAL.includes(key));
    this.page.url.replaceAll(new Map([...personal, ...Object.entries(found.state)]));
    this.opened.value = { name, ...found };
  }

  /** Saves what the page shows. Rejects if somebody else has changed the view of this name since it was opened. */
  async save(name: string): Promise<void> {
    const { value: shelf } = this.shelf;
    const state = this.state();
    const listed = shelf.entries.value?.find((entry) => entry.name === name)?.version ?? null;
    const { value: opened } = this.opened;
    const known = opened?.name === name ? opened.version : null;
    try {
      this.opened.value = { name, state, version: await shelf.set(name, state, known ?? listed) };
    } catch (cause) {
      // who saves again has read that another page was faster
      if (opened?.name === name) this.opened.value = { ...opened, version: null };
      throw cause;
    }
  }

  /** A copy under a free name, where views are saved now. */
  async duplicate({ name, shelf }: ListedView): Promise<void> {
    const found = await shelf.get(name);
    if (!found) throw new Error(this.say('unreadable', { name }));
    await this.shelf.value.set(this.freeName(name), found.state, null);
  }

  /** The new name is saved before the old one goes: whatever fails, the view is there. */
  async rename(view: ListedView, to: string): Promise<void> {
    const { name, version, shelf, isStart } = view;
    if (shelf.entries.value?.some((entry) => entry.name === to)) throw new Error(this.say('taken', { name: to }));
    const found = await shelf.get(name);
    if (!found) throw new Error(this.say('unreadable', { name }));
    const renamed = await shelf.set(to, found.state, null);
    if (isStart) await shelf.setStart(to);
    await shelf.remove(name, version);
    if (this.opened.value?.name === name) this.opened.value = { name: to, state: found.state, version: renamed };
  }

  /** Returns what brings the view back. */
  async remove({ name, version, shelf, isStart }: ListedView): Promise<() => Promise<void>> {
    const found = await shelf.get(name);
    await shelf.remove(name, version);
    if (isStart) await shelf.setStart(null);
    return async () => {
      if (found) await shelf.set(name, found.state, null);
      if (found && isStart) await shelf.setStart(name);
    };
  }

  async toggleStart({ name, shelf, isStart }: ListedView): Promise<void> {
    // what this browser keeps goes before what the host says
    if (shelf === this.host && this.browser.start.value !== null) await this.browser.setStart(null);
    if (shelf === this.host && !this.host.writable.value) {
      const found = await shelf.get(name);
      if (!found) throw new Error(this.say('unreadable', { name }));
      const own = this.freeName(name, this.browser);
      await this.browser.set(own, found.state, null);
      await this.browser.setStart(own);
      return;
    }
    await shelf.setStart(isStart ? null : name);
  }

  async exported(views: readonly ListedView[]): Promise<Blob> {
    const found = await Promise.all(
      views.map(async ({ name, shelf }) => ({ name, state: (await shelf.get(name))?.state })),
    );
    const known = found.flatMap(({ name, state }) => (state ? [{ name, state }] : []));
    const file: Exported = { insight_host_views: 1, views: known };
    return new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' });
  }

  /** Saves the views of a file, under other names where theirs are taken; returns how many. */
  async imported(text: string): Promise<number> {
    let file: Partial<Exported> | null;
    try {
      file = JSON.parse(text) as Partial<Exported> | null;
    } catch {
      file = null;
    }
    const views = file?.insight_host_views === 1 && Array.isArray(file.views) ? file.views : null;
    if (!views?.every((view) => typeof view?.name === 'string' && view.name.trim() !== '' && isState(view.state)))
      throw new Error(this.say('import.malformed'));
    for (const { name, state } of views) await this.shelf.value.set(this.freeName(name), state, null);
    return views.length;
  }

  /** `name`, or `name (2)`, … if that is taken. */
  private freeName(name: string, shelf = this.shelf.value): string {
    const taken = new Set(shelf.entries.value?.map((entry) => entry.name));
    let free = name.trim().slice(0, LONGEST_NAME);
    const stem = free.replace(/ \(\d+\)$/, '').slice(0, LONGEST_NAME - 8);
    for (let next = 2; taken.has(free); next++) free = `${stem} (${next})`;
    return free;
  }
}

function sameState(left: ViewState, right: ViewState): boolean {
  const [keys, others] = [Object.keys(left), Object.keys(right)];
  return keys.length === others.length && keys.every((key) => left[key] === right[key]);
}

/** Which runs and tags an opened view names that these logs do not have any more. */
class GoneNames {
  /** Empty while the host still loads. Tags of a tab are looked up once the tab was opened. */
  readonly names: ReadonlySignal<readonly string[]>;

  constructor(page: Page, opened: ReadonlySignal<StartView | null>) {
    let before: readonly string[] = [];
    const runs = computed(() => new Set(page.runs.all.value.map(({ name }) => name)));
    this.names = computed(() => {
      if (!opened.value || page.session.table.value?.progress.loaded_once !== true) return [];
      const gone = new Set<string>();
      for (const [key, text] of Object.entries(opened.value.state)) {
        const [plugin = ''] = key.split('.');
        const known = key.includes('.') ? page.tags.known(plugin) : null; // also when nothing was asked of the tab yet
        const named = page.url.named(key, text);
        const tags = known && named?.tags ? new Set(known) : null;
        for (const run of named?.runs ?? []) if (!runs.value.has(run)) gone.add(run);
        for (const tag of named?.tags ?? []) if (tags && !tags.has(tag)) gone.add(tag);
      }
      const after = [...gone].sort();
      if (after.join('\n') !== before.join('\n')) before = after; // the same list says nothing new
      return before;
    });
  }
}
