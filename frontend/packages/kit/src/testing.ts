/** A context without a page, for tests. */
import { signal, type Signal } from '@preact/signals';
import type {
  Changes,
  Columns,
  Contributed,
  CursorAt,
  CursorPlace,
  ColorScale,
  Drawing,
  Locale,
  PluginContext,
  Query,
  Run,
  RunGroup,
  Saved,
  SavedEntry,
  SharedCursor,
  TagInfo,
  TagTable,
  Theme,
} from '@insight-host/api';

export interface FakeContext extends PluginContext {
  readonly runs: PluginContext['runs'] & {
    readonly selected: Signal<readonly Run[]>;
    readonly shown: Signal<readonly Run[]>;
    readonly all: Signal<readonly Run[]>;
    readonly hovered: Signal<readonly string[]>;
    readonly groups: Signal<readonly RunGroup[]>;
    readonly colorScale: Signal<ColorScale | null>;
    readonly drawing: Signal<Drawing>;
  };
  readonly changes: Signal<Changes>;
  /** Set `value` to a table (`fakeTags`), `failure.value` to a reason; `withUnclaimed` is apart. */
  readonly tags: FakeCatalogue & { readonly withUnclaimed: FakeCatalogue };
  readonly visible: Signal<boolean>;
  readonly locale: Signal<Locale>;
  /** What the URL says, by key. */
  readonly address: Signal<ReadonlyMap<string, string>>;
  readonly notices: string[];
  /** What `badge` said last. */
  readonly badges: Signal<string>;
  /** Names of the other tabs that `open` finds. */
  readonly tabs: Signal<readonly string[]>;
  readonly cursor: Signal<CursorAt | null> & SharedCursor;
  readonly contributed: Signal<Contributed>;
  /** What `open` was asked for. */
  readonly opened: {
    readonly plugin: string;
    readonly state: Readonly<Record<string, string | null>>;
    readonly back?: string;
  }[];
  readonly saved: Saved & { readonly entries: Signal<readonly SavedEntry[]>; readonly writable: Signal<boolean> };
  end(): void;
}

/** Tags by run, or with what is known of each. */
export type FakeSeries = Readonly<Record<string, readonly string[] | Readonly<Record<string, Partial<TagInfo>>>>>;

export interface FakeCatalogue extends Signal<TagTable | null> {
  readonly failure: Signal<string | null>;
  /** How often `refresh` was called. */
  readonly refreshed: Signal<number>;
  refresh(): void;
}

export interface FakeAnswers {
  /** The table of `tags`; without it, it is null. */
  readonly series?: FakeSeries;
  readonly json?: (route: string, query: Query, signal: AbortSignal) => Promise<unknown>;
  readonly columns?: (route: string, query: Query, signal: AbortSignal) => Promise<Columns>;
  readonly frames?: (route: string, query: Query, signal: AbortSignal) => AsyncIterable<Columns>;
  readonly post?: (route: string, body: unknown, query: Query, signal: AbortSignal) => Promise<unknown>;
  readonly ask?: (plugin: string, route: string, query: Query, signal: AbortSignal) => Promise<unknown>;
}

export function fakeRun(name: string): Run {
  return {
    name,
    displayName: name,
    note: '',
    remark: '',
    mark: 0,
    archived: false,
    color: 'red',
    dash: [],
    dialects: [],
    startTime: null,
    loading: false,
    damage: 0,
  };
}

export function fakeColumns(
  columns: Readonly<Record<string, readonly number[]>>,
  metadata: Readonly<Record<string, string>> = {},
): Columns {
  return { metadata, names: Object.keys(columns), column: (name) => new Float64Array(columns[name] ?? []) };
}

/** Entries as a host keeps them, without one. */
function fakeSaved(): FakeContext['saved'] {
  const values = new Map<string, { readonly version: string; readonly value: string }>();
  const entries = signal<readonly SavedEntry[]>([]);
  let writes = 0;
  const change = (name: string, version: string | null, value?: string): SavedEntry => {
    if ((values.get(name)?.version ?? null) !== version)
      throw Object.assign(new Error(`${name} was changed`), { code: 'saved_changed', status: 409, details: { name } });
    const next = { name, version: String(++writes) };
    if (value === undefined) values.delete(name);
    else values.set(name, { version: next.version, value });
    entries.value = [...values].map(([key, entry]) => ({ name: key, version: entry.version }));
    return next;
  };
  return {
    entries,
    writable: signal(true),
    list: async () => entries.value,
    get: async <T>(name: string) => {
      const entry = values.get(name);
      return entry ? { name, version: entry.version, value: JSON.parse(entry.value) as T } : null;
    },
    set: async (name, value, version) => change(name, version, JSON.stringify(value ?? null)),
    remove: async (name, version) => void change(name, version),
  };
}

/** A table of series; each has one attempt unless it says otherwise. */
export function fakeTags(series: FakeSeries): TagTable {
  const rows = new Map(
    Object.entries(series).map(([run, tags]) => [
      run,
      new Map(
        (Array.isArray(tags) ? tags.map((tag): [string, Partial<TagInfo>] => [tag, {}]) : Object.entries(tags)).map(
          ([tag, info]): [string, TagInfo] => [tag, { attempts: 1, claims: [], plugin: 'sample', ...info }],
        ),
      ),
    ]),
  );
  const lists = new Map([...rows].map(([run, infos]) => [run, [...infos.keys()]]));
  return {
    runs: [...rows.keys()],
    tagsOf: (run) => lists.get(run) ?? [],
    infoOf: (run, tag) => rows.get(run)?.get(tag),
    hasRestarts: (run) => [...(rows.get(run)?.values() ?? [])].some(({ attempts }) => attempts > 1),
  };
}

function fakeCatalogue(series?: FakeSeries): FakeCatalogue {
  const refreshed = signal(0);
  return Object.assign(signal<TagTable | null>(series ? fakeTags(series) : null), {
    failure: signal<string | null>(null),
    refreshed,
    refresh: () => void refreshed.value++,
  });
}

export function fakeContext(
  runs: readonly string[],
  { series, json, columns, frames, post, ask }: FakeAnswers = {},
): FakeContext {
  const ended = new AbortController();
  const memory = new Map<string, unknown>();
  const address = signal<ReadonlyMap<string, string>>(new Map());
  const theme = signal<Theme>({ mode: 'light', token: () => '' });
  const all = signal<readonly Run[]>(runs.map(fakeRun));
  const shown = signal<readonly Run[]>(all.value);
  const selected = signal<readonly Run[]>(all.value);
  const hovered = signal<readonly string[]>([]);
  const settable = <T>(first: T) => {
    const value = signal(first);
    return Object.assign(value, { set: (next: T) => void (value.value = next) });
  };
  const notices: string[] = [];
  const badges = signal('');
  const tabs = signal<readonly string[]>(['scalar', 'image', 'sample']);
  const opened: { plugin: string; state: Readonly<Record<string, string | null>>; back?: string }[] = [];
  const cursor = signal<CursorAt | null>(null);
  const never = (): Promise<never> => new Promise(() => undefined);
  return {
    name: 'sample',
    signal: ended.signal,
    visible: signal(true),
    runs: {
      all,
      filter: settable(''),
      shown,
      selected,
      select: (names) => (selected.value = all.value.filter((run) => names.includes(run.name))),
      hovered,
      colorBy: settable<readonly string[]>([]),
      colorScale: signal<ColorScale | null>(null),
      groupBy: settable<readonly string[]>([]),
      groups: signal<readonly RunGroup[]>([]),
      drawing: signal<Drawing>({ places: new Map(), orders: [] }),
      one: settable<string | null>(null),
      offer: () => undefined,
      hover: (names) => void (hovered.value = names),
      annotate: async (name, fields) =>
        void (all.value = all.value.map((run) =>
          run.name === name ? { ...run, ...fields, displayName: (fields.displayName ?? run.displayName) || name } : run,
        )),
      annotatable: signal(true),
    },
    tabs,
    open: (plugin, state = {}, back = '') => {
      const known = tabs.value.includes(plugin);
      if (known) opened.push({ plugin, state, ...(back && { back }) });
      return known;
    },
    opened,
    browseTags: () => undefined,
    modes: signal([{ plugin: 'sample', title: 'Sample' }]),
    stepTabs: signal(tabs.value.filter((tab) => tab === 'image').map((plugin) => ({ plugin, title: plugin }))),
    openStep: (plugin, step, run) => {
      opened.push({ plugin, state: { step: String(step), ...(run && { run }) } });
      return true;
    },
    cursor: Object.assign(cursor, {
      point: (place: CursorPlace | null) => void (cursor.value = place && { ...place, pinned: false, from: 'sample' }),
      pin: (place: CursorPlace | null) => void (cursor.value = place && { ...place, pinned: true, from: 'sample' }),
    }),
    generation: signal(0),
    changes: signal<Changes>({ generation: 0, series: null }),
    tags: Object.assign(fakeCatalogue(series), { withUnclaimed: fakeCatalogue() }),
    tagsOf: () => fakeCatalogue(series),
    theme,
    locale: signal<Locale>('en'),
    reason: ({ error }) => error,
    t: (key, values) => (values ? `${key} ${JSON.stringify(values)}` : key),
    address,
    notices,
    badges,
    url: {
      state: (key, codec) => ({
        get value() {
          return codec.parse(address.value.get(key) ?? null);
        },
        subscribe(listener) {
          let seen: string | undefined | null = null;
          return address.subscribe((entries) => {
            const text = entries.get(key);
            if (text !== seen) listener(codec.parse(text ?? null));
            seen = text;
          });
        },
        set(value) {
          const next = new Map(address.value);
          const text = codec.format(value);
          if (text === null) next.delete(key);
          else next.set(key, text);
          address.value = next;
        },
      }),
    },
    memory: {
      get: <T>(key: string, fallback: T) => (memory.has(key) ? (memory.get(key) as T) : fallback),
      set: (key, value) => void memory.set(key, value),
    },
    isSnapshot: false,
    saved: fakeSaved(),
    data: {
      json: async <T>(route: string, query: Query = {}, options?: { signal?: AbortSignal }) =>
        (await (json ?? never)(route, query, options?.signal ?? ended.signal)) as T,
      columns: (route, query = {}, options) => (columns ?? never)(route, query, options?.signal ?? ended.signal),
      frames: async function* (route, query = {}, options) {
        yield* frames ? frames(route, query, options?.signal ?? ended.signal) : [await never()];
      },
      href: (route) => route,
      post: async <T>(route: string, body?: unknown, options?: { query?: Query; signal?: AbortSignal }) =>
        (await (post ?? never)(route, body, options?.query ?? {}, options?.signal ?? ended.signal)) as T,
    },
    ask: async <T>(plugin: string, route: string, query: Query = {}, options?: { signal?: AbortSignal }) =>
      (await (ask ?? never)(plugin, route, query, options?.signal ?? ended.signal)) as T,
    ui: { icon: () => document.createElementNS('http://www.w3.org/2000/svg', 'svg'), download: () => undefined },
    shortcut: () => () => undefined,
    notify: (_, text) => void notices.push(text),
    badge: (text) => void (badges.value = text),
    contributed: signal<Contributed>({ markers: () => () => undefined, cards: [], cardActions: [] }),
    showCard: () => () => undefined,
    end: () => ended.abort(),
  };
}
