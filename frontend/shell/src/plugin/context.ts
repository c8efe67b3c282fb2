/** The `ctx` object that a plugin gets from the page. Everything it registers ends when its signal is aborted. */
import { computed, effect, type ReadonlySignal as Signal, signal, untracked } from '@preact/signals';
import type {
  Changes,
  Contributed,
  CursorPlace,
  Messages,
  Mutable,
  PluginContext,
  ReadonlySignal,
  StepTab,
  TagCatalogue,
} from '@insight-host/api';
import { codecs } from '@insight-host/kit';
import { getColumns, getFrames, getJson, href, RequestError } from '../data/http';
import { pluginText, reasonText } from '../i18n/texts';
import type { TagSource } from '../live/tags';
import { recall, remember } from '../state/browser';
import type { Page } from '../state/page';
import type { Runs } from '../state/runs';
import { changesFor, type Tab } from '../state/session';
import type { ViewUrl } from '../state/url';
import { icon, posted, savedOf, saveFile } from './services';

interface Mounting {
  readonly messages: Messages;
  readonly name: string;
  readonly signal: AbortSignal;
  readonly visible: Signal<boolean>;
  /** A callback of the plugin threw. */
  readonly onError: (cause: unknown) => void;
  /** State of its own, where it is not that of the page. */
  readonly url?: ViewUrl;
  readonly runs?: Runs;
}

const NOTHING: Contributed = {
  markers: () => () => undefined,
  cards: [],
  cardActions: [],
};

export function pluginContext(page: Page, mounting: Mounting): PluginContext {
  const { messages, name, signal: ended, onError, url = page.url, runs = page.runs } = mounting;

  const guarded =
    <A extends unknown[]>(callback: (...values: A) => void) =>
    (...values: A): void => {
      try {
        const result: unknown = callback(...values);
        if (result instanceof Promise) result.catch(onError);
      } catch (cause) {
        onError(cause);
      }
    };
  const endWith = (dispose: () => void): (() => void) => {
    const once = (): void => {
      ended.removeEventListener('abort', once);
      dispose();
    };
    if (ended.aborted) dispose();
    else ended.addEventListener('abort', once);
    return once;
  };
  const wrap = <T>(source: {
    readonly value: T;
    subscribe(listener: (value: T) => void): () => void;
  }): ReadonlySignal<T> => ({
    get value() {
      return untracked(() => source.value); // page and plugins share signals: to follow one, subscribe
    },
    subscribe: (listener) => endWith(source.subscribe(guarded(listener))),
  });

  const settable = <T>(source: Mutable<T>): Mutable<T> => Object.assign(wrap(source), { set: source.set });

  const changes = signal<Changes>({ generation: page.session.latest.peek().generation, series: null });
  let { boot } = page.session.latest.peek();
  endWith(
    effect(() => {
      const { value: latest } = page.session.latest;
      const mine = changesFor(name, latest);
      // a host that was started again may count to the same generation, with other data
      if (mine && (latest.boot !== boot || mine.generation !== untracked(() => changes.value.generation)))
        changes.value = mine;
      boot = latest.boot;
    }),
  );

  const tagsOf = (source: TagSource): TagCatalogue => {
    const table = wrap(source.table);
    let isUsed = false;
    const use = (): void => {
      if (isUsed) return;
      isUsed = true;
      endWith(effect(() => void (mounting.visible.value && source.isDue.value && untracked(() => source.ask()))));
    };
    return {
      get value() {
        use();
        return table.value;
      },
      subscribe: (listener) => {
        use();
        return table.subscribe(listener);
      },
      failure: wrap(source.failure),
      refresh: () => source.refresh(),
    };
  };

  const tags = tagsOf(page.tags.of(name));
  const others = new Map<string, TagCatalogue>();
  const isApart = runs !== page.runs;
  let hasOffered = false;
  const isOfOne = signal(false); // of this context: what the plugin contributes to other tabs is about many

  endWith(
    effect(() => {
      if (mounting.visible.value) return;
      untracked(() => page.cursor.point(null, name));
      page.hovered.set([], name);
    }),
  );
  const colorBy = url.state('color', codecs.names);
  const tabs = computed(() => page.tabs.value.map((tab) => tab.name));
  const named = (tab: Tab, badged = false): StepTab => ({
    plugin: tab.name,
    title: badged ? page.badged(tab) : page.tabTitle(tab),
  });

  const stepTabs = computed(() => page.stepTabs.value.filter((tab) => tab.name !== name).map((tab) => named(tab)));

  const routeOf = (plugin: string, path: string): string =>
    `data/plugin/${encodeURIComponent(plugin)}/${path.replace(/^\/+/, '')}`;
  const route = (path: string): string => routeOf(name, path);
  const until = (own?: AbortSignal): AbortSignal => (own ? AbortSignal.any([ended, own]) : ended);
  /** Errors of the plugin's server half may have codes of its own. */
  const saying = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((cause: unknown) => {
      throw cause instanceof RequestError ? cause.saidBy(messages) : cause;
    });
  const t: PluginContext['t'] = (key, values) => pluginText(messages, page.preferences.locale.value, key, values);

  return {
    name,
    signal: ended,
    visible: wrap(mounting.visible),
    runs: {
      all: wrap(runs.all),
      filter: settable(runs.filterText),
      shown: wrap(runs.shown),
      selected: wrap(computed(() => (isOfOne.value ? runs.shown : runs.selected).value)),
      select: (names) => runs.selectShown(names),
      hovered: wrap(page.hovered.runs),
      hover: (names) => page.hovered.set(names, name),
      colorBy: settable(colorBy),
      colorScale: wrap(computed(() => runs.looks.value?.scale ?? null)),
      groupBy: settable(runs.groupBy),
      groups: wrap(runs.groups),
      drawing: wrap(page.drawing(runs)),
      one: Object.assign(wrap(isApart ? runs.one : page.oneOf(name, runs)), { set: runs.one.set }),
      offer: (choice) => {
        if (isApart) return;
        if (!hasOffered) endWith(() => page.offer(name, null));
        hasOffered = true;
        if (choice && !choice.among) void tags.value; // asks for them
        isOfOne.value = choice !== null;
        page.offer(name, choice);
      },
      annotate: (run, fields) => page.session.annotations.write(run, fields),
      annotatable: wrap(page.session.annotations.writable),
    },
    tabs: wrap(tabs),
    modes: wrap(computed(() => page.modesOf(name).map((tab, at) => named(tab, at > 0)))),
    open: (plugin, state, back) => {
      const known = tabs.peek().includes(plugin);
      if (known && back) page.contributions.value?.offer(name, back);
      if (known) page.open(plugin, state);
      return known;
    },
    browseTags: () => void (page.dialog.value = { kind: 'tags', plugin: name }),
    stepTabs: wrap(stepTabs),
    openStep: (plugin, step, run) => page.openStep(plugin, step, name, run),
    cursor: Object.assign(wrap(page.cursor.now), {
      point: (place: CursorPlace | null) => page.cursor.point(place, name),
      pin: (place: CursorPlace | null) => page.cursor.pin(place, name),
    }),
    generation: wrap(page.session.generation),
    changes: wrap(changes),
    tags: Object.assign(tags, { withUnclaimed: tagsOf(page.tags.of(name, true)) }),
    tagsOf: (plugin) => {
      const known = others.get(plugin) ?? tagsOf(page.tags.of(plugin));
      others.set(plugin, known);
      return known;
    },
    theme: wrap(page.preferences.theme),
    locale: wrap(page.preferences.locale),
    t,
    reason: (told) => reasonText(told, page.preferences.locale.value, messages),
    url: {
      state: (key, codec) => {
        const state = url.state(`${name}.${key}`, codec);
        return Object.assign(wrap(state), { set: state.set });
      },
    },
    memory: {
      get: (key, fallback) => recall(name, key, fallback),
      set: (key, value) => remember(name, key, value),
    },
    isSnapshot: 'snapshot' in document.documentElement.dataset,
    saved: savedOf(page, name, wrap, endWith),
    data: {
      json: (path, query, options) => saying(getJson(route(path), query, until(options?.signal))),
      columns: (path, query, options) => saying(getColumns(route(path), query, until(options?.signal))),
      frames: async function* (path, query, options) {
        const frames = getFrames(route(path), query, until(options?.signal));
        for (let next = await saying(frames.next()); !next.done; next = await saying(frames.next())) yield next.value;
      },
      href: (path, query) => href(route(path), query),
      post: (path, body, options) =>
        saying(posted(page, href(route(path), options?.query), body, until(options?.signal))),
    },
    ask: (plugin, path, query, options) => saying(getJson(routeOf(plugin, path), query, until(options?.signal))),
    ui: {
      icon,
      download: saveFile,
    },
    shortcut: (key, description, run) =>
      endWith(page.shortcuts.add({ key, description, run: guarded(run), owner: name })),
    notify: (level, text, action) => page.toasts.show(level, text, action),
    badge: (text) => void (page.badges.value = { ...page.badges.value, [name]: text }),
    showCard: (spec, host, failed) => {
      const closed = new AbortController();
      const place = { host, visible: mounting.visible, until: AbortSignal.any([ended, closed.signal]), failed };
      page.showCard(spec, place);
      return () => closed.abort();
    },
    contributed: wrap(computed(() => page.contributions.value?.shownIn({ ...mounting, url, runs }) ?? NOTHING)),
  };
}
