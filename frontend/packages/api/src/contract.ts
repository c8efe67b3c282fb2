/**
 * The contract between the page and a plugin's ES module, version 2.
 *
 * A plugin's `index.js` has a default export of type `Plugin`. Nothing here needs a framework or a
 * bundler: charts and controls can be imported by name, `@insight-host/kit`.
 */
import type { Contributed } from './contributed';
import type {
  API,
  Messages,
  CardSpec,
  Disposer,
  ReadonlySignal,
  Annotation,
  Run,
  RunGroup,
  ColorScale,
  Drawing,
  RunChoice,
  Changes,
  TagCatalogue,
  Locale,
  Theme,
  Query,
  Reason,
  Columns,
  UrlState,
  Mutable,
  SharedCursor,
  Saved,
  StepTab,
  NotifyAction,
} from './values';

export interface Plugin {
  readonly apiVersion: typeof API;
  /** Catalogues for `ctx.t`, by locale; English is the fallback. */
  readonly messages?: Messages;
  /** Fills `host`; what it returns is called when the tab is closed for good. */
  mount(host: HTMLElement, ctx: PluginContext): Disposer | void | Promise<Disposer | void>;
  /**
   * Fills `host`, of any size, with one card alone: in a report, or in a page of others. `card` is the name that the
   * plugin gave `ShownCardAction.run`; `ctx.url` and `ctx.runs` are those of the card.
   */
  renderCard?(host: HTMLElement, ctx: PluginContext, card: string): Disposer | void | Promise<Disposer | void>;
}

export interface PluginContext {
  readonly name: string;
  /** Aborted when the tab is closed for good. */
  readonly signal: AbortSignal;
  /** False while another tab is in front: stop drawing and fetching. */
  readonly visible: ReadonlySignal<boolean>;
  readonly runs: {
    readonly all: ReadonlySignal<readonly Run[]>;
    /** What filters the run list: a regular expression of names, or an expression over columns of the run table. */
    readonly filter: Mutable<string>;
    /** Runs that match the filter of the run list. */
    readonly shown: ReadonlySignal<readonly Run[]>;
    /**
     * Those of `shown` that are selected, however many: answers are about all, a chart draws some (`drawing`). All of
     * `shown` in a tab about one run.
     */
    readonly selected: ReadonlySignal<readonly Run[]>;
    /** Selects exactly these of `shown`; the selection of runs that the filter hides stays. */
    select(names: readonly string[]): void;
    /**
     * Runs that stand out in every tab: draw them thicker, and all others faint. Changes once a frame at most. Any
     * element with `data-hover-run` hovers that run while it has the pointer or the focus, and a card with
     * `data-card-run` of another run fades.
     */
    readonly hovered: ReadonlySignal<readonly string[]>;
    /** These runs are under the pointer or have the focus; none: no longer. Ends when the tab leaves the front. */
    hover(names: readonly string[]): void;
    /**
     * What runs are coloured by: columns of the run table (`plugin/name`), or `path`; none: each has its own colour.
     */
    readonly colorBy: Mutable<readonly string[]>;
    /** The scale that the colours follow: a chart shows it as a bar in place of a legend; null: they follow none. */
    readonly colorScale: ReadonlySignal<ColorScale | null>;
    /**
     * What runs are grouped by: columns of the run table, `path`, or `name~EXPRESSION`, what a regular expression
     * captures of their names; none: they are not.
     */
    readonly groupBy: Mutable<readonly string[]>;
    /** The groups of all runs; empty where runs are not grouped, and until the columns are known. */
    readonly groups: ReadonlySignal<readonly RunGroup[]>;
    readonly drawing: ReadonlySignal<Drawing>;
    /** From now on the tab is about one run, which the run panel chooses from these; null: it is about many. */
    offer(choice: RunChoice | null): void;
    /**
     * The run that a tab about one run shows: the one that the user chose in the run panel; where that one is not
     * offered, the offered one with the most similar name, selected ones first; null without any.
     */
    readonly one: Mutable<string | null>;
    /** Writes these fields of a run down. Rejects with the reason; where `annotatable` is false it always does. */
    annotate(run: string, fields: Partial<Annotation>): Promise<void>;
    /** False while the host takes no annotations (`--read-only`). */
    readonly annotatable: ReadonlySignal<boolean>;
  };
  /** Names of the plugins that have a tab now, in the order of the tabs. */
  readonly tabs: ReadonlySignal<readonly string[]>;
  /** Tabs of the group of this one (`Plugin.tab_group`), itself among them: the user sees them as modes of one tab. */
  readonly modes: ReadonlySignal<readonly StepTab[]>;
  /**
   * Brings the tab of a plugin to the front, with these keys of its state in the URL (null: the default);
   * other keys stay. Back undoes it. With a text `back` the page offers under it to return to this tab, with filter and
   * selection as they were before the call. False, and nothing changes, if no plugin of this name has a tab.
   */
  open(plugin: string, state?: Readonly<Record<string, string | null>>, back?: string): boolean;
  /** Opens a tree of the plugin's tags, which leads to some of them in its tab by `Plugin.tag_state`. */
  browseTags(): void;
  /** Other tabs with data that can show one step (`Plugin.step_state`), in the order of the tabs. */
  readonly stepTabs: ReadonlySignal<readonly StepTab[]>;
  /**
   * Brings such a tab to the front at a step, or at the nearest one of each series, and pins the cursor there; a tab
   * about one run shows `run`. Back undoes it. False, and nothing changes, if the plugin has no such tab.
   */
  openStep(plugin: string, step: number, run?: string | null): boolean;
  readonly cursor: SharedCursor;
  /** Grows whenever data of any plugin change. */
  readonly generation: ReadonlySignal<number>;
  /** The latest change that concerns this plugin. */
  readonly changes: ReadonlySignal<Changes>;
  /** The series of this plugin; `withUnclaimed` has those of values that no plugin claims, too. */
  readonly tags: TagCatalogue & { readonly withUnclaimed: TagCatalogue };
  /** The series of another plugin; none if it is not there. */
  tagsOf(plugin: string): TagCatalogue;
  readonly theme: ReadonlySignal<Theme>;
  readonly locale: ReadonlySignal<Locale>;
  /**
   * A text of `messages`, `{name}` filled in. With a number `count`, `key.one` (or another plural category) goes first.
   */
  t(key: string, values?: Readonly<Record<string, string | number>>): string;
  /** A reason in the user's language: the text `reason.<code>` of `messages`, else that of the page, else its own. */
  reason(reason: Reason): string;
  readonly url: UrlState;
  /** Remembered in this browser, under the plugin's name; parse errors give the fallback. */
  readonly memory: { get<T>(key: string, fallback: T): T; set(key: string, value: unknown): void };
  readonly saved: Saved;
  /**
   * The page is a file without a host: only `snapshot.js` answers. What it cannot do is better disabled, with the
   * reason.
   */
  readonly isSnapshot: boolean;
  readonly data: {
    json<T>(route: string, query?: Query, options?: { signal?: AbortSignal }): Promise<T>;
    columns(route: string, query?: Query, options?: { signal?: AbortSignal }): Promise<Columns>;
    /** The parts of an answer of several (`framed_response`), each as soon as it is there. */
    frames(route: string, query?: Query, options?: { signal?: AbortSignal }): AsyncIterable<Columns>;
    /** URL of a route of this plugin, for links and images. */
    href(route: string, query?: Query): string;
    /**
     * Sends `body` as JSON to a `POST` route of this plugin, with the token that `ctx.own_page.require` asks for, and
     * gives what it answers; null for an answer without a body. The host refuses it while it saves nothing
     * (`--read-only`).
     */
    post<T>(route: string, body?: unknown, options?: { query?: Query; signal?: AbortSignal }): Promise<T>;
  };
  /** The JSON of a `GET` route of another plugin; rejects with `unknown_plugin` if that is not there. */
  ask<T>(plugin: string, route: string, query?: Query, options?: { signal?: AbortSignal }): Promise<T>;
  readonly ui: {
    icon(name: string): SVGSVGElement;
    /** Saves `content` as a file on the user's machine. */
    download(name: string, content: Blob): void;
  };
  /**
   * Keyboard shortcut while this plugin is in front; listed in the page's keyboard help. The palette (Ctrl K) lists
   * what it does, too, and running it there brings this tab to the front first. Escape is for undoing: it is not listed
   * there.
   */
  shortcut(key: string, description: string, run: () => void): Disposer;
  /** Shows a message at the edge of the page for some seconds, an error until it is closed; `action`: its button. */
  notify(level: 'info' | 'warn' | 'error', text: string, action?: NotifyAction): void;
  /** A short text at the tab of this plugin, such as a number of news; "" is none. */
  badge(text: string): void;
  /** What plugins add to the tabs of others; another value when there is more or less of it. */
  readonly contributed: ReadonlySignal<Contributed>;
  /**
   * Fills `host` with a card of any plugin, as users chose it for `Contributions.cardActions`; `failed` is called when
   * that fails, now or later: `host` is empty then.
   */
  showCard(card: CardSpec, host: HTMLElement, failed: (cause: unknown) => void): Disposer;
}
