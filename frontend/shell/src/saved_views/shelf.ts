/** Where saved views lie: on the host, or in this browser while the host saves nothing. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { SavedEntry } from '@insight-host/api';
import { RequestError } from '../data/http';
import { browserViews, OWNER, remember, type ViewState } from '../state/browser';
import type { Page } from '../state/page';
import { SavedEntries } from '../state/saved';

/** A place for views. A view that has another version than `version` is neither replaced nor removed: that rejects. */
export interface Shelf {
  readonly place: 'host' | 'browser';
  /** Null until they are known. */
  readonly entries: ReadonlySignal<readonly SavedEntry[] | null>;
  /** Name of the view that a page without a hash opens. */
  readonly start: ReadonlySignal<string | null>;
  get(name: string): Promise<{ readonly version: string; readonly state: ViewState } | null>;
  set(name: string, state: ViewState, version: string | null): Promise<string>;
  remove(name: string, version: string): Promise<void>;
  setStart(name: string | null): Promise<void>;
}

export const isState = (value: unknown): value is ViewState =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');

const PREFIX = 'view/'; // of the names of entries that are views (insight_core/web/state/saved.py)
const START = 'default view';

export class HostShelf implements Shelf {
  readonly place = 'host';
  readonly writable = signal(false);
  readonly start = signal<string | null>(null);
  private readonly all = signal<readonly SavedEntry[] | null>(null);
  private readonly saved: SavedEntries;
  private startVersion: string | null = null;

  constructor(page: Page) {
    this.saved = new SavedEntries(page, 'page', this.all, this.writable);
    this.all.subscribe((entries) => {
      const version = entries?.find(({ name }) => name === START)?.version ?? null;
      if (version === this.startVersion) return;
      this.startVersion = version;
      void this.readStart();
    });
  }

  readonly entries = computed(
    () =>
      this.all.value
        ?.filter(({ name }) => name.startsWith(PREFIX))
        .map(({ name, version }) => ({ name: name.slice(PREFIX.length), version })) ?? null,
  );

  follow(): void {
    this.saved.follow();
  }

  refresh(): Promise<unknown> {
    return this.saved.refresh();
  }

  async get(name: string): Promise<{ readonly version: string; readonly state: ViewState } | null> {
    const found = await this.saved.get<{ readonly state?: unknown } | null>(PREFIX + name);
    return found && isState(found.value?.state) ? { version: found.version, state: found.value.state } : null;
  }

  async set(name: string, state: ViewState, version: string | null): Promise<string> {
    return (await this.saved.set(PREFIX + name, { state }, version)).version;
  }

  remove(name: string, version: string): Promise<void> {
    return this.saved.remove(PREFIX + name, version);
  }

  async setStart(name: string | null): Promise<void> {
    const before = await this.saved.get(START);
    if (name !== null) await this.saved.set(START, name, before?.version ?? null);
    else if (before) await this.saved.remove(START, before.version);
    this.start.value = name;
  }

  private async readStart(): Promise<void> {
    const found = this.startVersion === null ? null : await this.saved.get(START).catch(() => null);
    this.start.value = typeof found?.value === 'string' ? found.value : null;
  }
}

export class BrowserShelf implements Shelf {
  readonly place = 'browser';
  private readonly kept;
  readonly entries;
  readonly start;

  /** `full` is the text of the error when this browser stores no more. */
  constructor(
    private readonly logs: string,
    private readonly full: () => string,
  ) {
    this.kept = signal(browserViews(logs));
    this.entries = computed(() =>
      Object.entries(this.kept.value.views).map(([name, state]) => ({ name, version: JSON.stringify(state) })),
    );
    this.start = computed(() => this.kept.value.start);
  }

  async get(name: string): Promise<{ readonly version: string; readonly state: ViewState } | null> {
    const state = this.stateOf(name);
    return isState(state) ? { version: JSON.stringify(state), state } : null;
  }

  async set(name: string, state: ViewState, version: string | null): Promise<string> {
    this.require(name, version);
    this.keep({ ...this.read(), [name]: state });
    return JSON.stringify(state);
  }

  async remove(name: string, version: string): Promise<void> {
    this.require(name, version);
    this.keep(Object.fromEntries(Object.entries(this.read()).filter(([other]) => other !== name)));
  }

  async setStart(name: string | null): Promise<void> {
    this.keep(this.read(), name);
  }

  /** Another page of this browser may have written meanwhile. */
  private read(): Readonly<Record<string, ViewState>> {
    this.kept.value = browserViews(this.logs);
    return this.kept.value.views;
  }

  /** The view may be called "constructor". */
  private stateOf(name: string): ViewState | undefined {
    const views = this.read();
    return Object.hasOwn(views, name) ? views[name] : undefined;
  }

  private require(name: string, version: string | null): void {
    const state = this.stateOf(name);
    const found = state === undefined ? null : JSON.stringify(state);
    if (found !== version) throw new RequestError({ error: '', code: 'saved_changed', details: { name } }, 409);
  }

  private keep(views: Readonly<Record<string, ViewState>>, start = this.kept.value.start): void {
    const wanted = { views, start };
    remember(OWNER, this.logs, wanted);
    this.read();
    if (JSON.stringify(this.kept.value) !== JSON.stringify(wanted)) throw new Error(this.full());
  }
}
