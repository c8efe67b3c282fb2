/**
 * The contract between the page and a plugin's ES module, version 2.
 *
 * A plugin's `index.js` has a default export of type `Plugin`. Nothing here needs a framework or a
 * bundler: charts and controls can be imported by name, `@insight-host/kit`.
 */
import type { Contributed } from './contributions';

/** The version of this contract; a page shows no plugin of another. */
export const API = 2;

/** Texts by locale, then by key. */
export type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Plugin {
  readonly apiVersion: typeof API;
  /** Catalogues for `ctx.t`, by locale; English is the fallback. */
  readonly messages?: Messages;
  /** `one`: the tab is about one run, which the run panel chooses (`ctx.runs.one`); without it, about many. */
  readonly runs?: 'one';
  /** Fills `host`; what it returns is called when the tab is closed for good. */
  mount(host: HTMLElement, ctx: PluginContext): Disposer | void | Promise<Disposer | void>;
  /**
   * Fills `host`, of any size, with one card alone: in a report, or in a page of others. `card` is the name that the
   * plugin gave `ShownCardAction.run`; `ctx.url` and `ctx.runs` are those of the card.
   */
  renderCard?(host: HTMLElement, ctx: PluginContext, card: string): Disposer | void | Promise<Disposer | void>;
}

/** A card as it can be kept and shown elsewhere: JSON. */
export interface CardSpec {
  /** Name of the plugin that shows it with `renderCard`. */
  readonly plugin: string;
  /** What this plugin calls it. */
  readonly card: string;
  /** Keys of the URL and their texts: which runs, how they look, and those of the plugin (`scalar.smooth`). */
  readonly state: Readonly<Record<string, string>>;
}

export type Disposer = () => void;

export interface ReadonlySignal<T> {
  readonly value: T;
  /** Calls `listener` at once and after every change. */
  subscribe(listener: (value: T) => void): Disposer;
}

/** What users wrote down about a run; kept outside the logs, the same for every user of the host. */
export interface Annotation {
  /** What people call the run; "" where its name will do. */
  readonly displayName: string;
  readonly note: string;
  readonly remark: string;
  /** One of ten signs, 1 to 10 (`ctx.ui.icon('mark-3')`); 0 is none. */
  readonly mark: number;
  /** Neither listed nor drawn, unless the user asks for archived runs. */
  readonly archived: boolean;
}

export interface Run extends Annotation {
  readonly name: string;
  /** What people read: `name`, unless somebody gave it another. */
  readonly displayName: string;
  /** CSS colour of the run, the same in every view; adapted to the theme. */
  readonly color: string;
  /** Lengths of dashes and gaps of its lines, in pixels; empty where they are solid. */
  readonly dash: readonly number[];
  readonly dialects: readonly string[];
  readonly startTime: number | null;
  readonly loading: boolean;
  readonly damage: number;
}

/** Runs with equal values of what `runs.groupBy` names: one line of a chart, one row of the run panel. */
export interface RunGroup {
  /** Unique among the groups. */
  readonly key: string;
  /** In the user's language. */
  readonly title: string;
  readonly color: string;
  readonly dash: readonly number[];
  /** Names of its runs, in the order of `runs.all`. */
  readonly runs: readonly string[];
}

/** Which lines charts draw where there are more than one can tell apart. */
export interface Drawing {
  /** Places of runs in the order of the run panel: a chart draws those of the first ones. */
  readonly places: ReadonlyMap<string, number>;
  /** Orders to choose from, such as "newest" and "best val_acc". */
  readonly orders: readonly { readonly text: string; readonly isChosen: boolean; choose(): void }[];
}

/** What changed on the server; `null` series: anything may have. */
export interface Changes {
  readonly generation: number;
  readonly series: Readonly<Record<string, readonly string[]>> | null; // tags by run, of this plugin
}

/** What the host knows of a series before its data are asked for. */
export interface TagInfo {
  /** How often writing began, or began again at an earlier step. */
  readonly attempts: number;
  /** Kinds of values of which it consists: `plugin:scalars`, `tensorboard:image`, `file:*.pb`. */
  readonly claims: readonly string[];
  /** Name of the plugin whose series it is; of values that no plugin claims their claim, `plugin:curves`. */
  readonly plugin: string;
}

/** Series by run. A table never changes: there is another one after a change. */
export interface TagTable {
  /** Names of the runs that have series. */
  readonly runs: readonly string[];
  /** The tags of a run. Runs with equal tags share one list (`===`), so that what follows from it can be shared too. */
  tagsOf(run: string): readonly string[];
  infoOf(run: string, tag: string): TagInfo | undefined;
  /** Whether a series of the run has more than one attempt. */
  hasRestarts(run: string): boolean;
}

/**
 * The page's catalogue: asked for when `value` or `subscribe` is first used, and then kept, for all who use it. Series
 * that come or go make another table while the tab is in front, or when it comes there. Null until it is known.
 */
export interface TagCatalogue extends ReadonlySignal<TagTable | null> {
  /** Why the host could not be asked the last time, for the user; null if it could. */
  readonly failure: ReadonlySignal<string | null>;
  /** Asks again: after a failure, or because series that are known may have more attempts by now. */
  refresh(): void;
}

export type Locale = 'en' | 'zh-CN';
export interface Theme {
  readonly mode: 'light' | 'dark';
  /** Value of a CSS custom property of the page (`--text`, `--accent`, …). */
  token(name: string): string;
}

export type QueryValue = string | number | boolean | readonly string[] | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/**
 * Why something failed, as the host says it in an answer: `error` is English. With a `code`, `ctx.reason` has it in the
 * user's language. A detail may be a reason, too.
 */
export interface Reason {
  readonly error: string;
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What `ctx.data` rejects with; its `message` is for the user, in the user's language. */
export interface HostError extends Error {
  /** What went wrong, for programs (docs/http_api.md lists the codes); `offline` when there was no answer. */
  readonly code: string;
  /** What the error is about, by names that belong to the code: `{ run: "a" }`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Of HTTP; 0 when there was no answer. */
  readonly status: number;
}

/** A decoded safetensors answer: zero-copy views by name, and its metadata. */
export interface Columns {
  readonly metadata: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  column(name: string): Float32Array | Float64Array | Int32Array | BigInt64Array | Uint16Array | Uint8Array;
}

export interface Codec<T> {
  parse(text: string | null): T;
  /** null leaves the key out of the URL (the default value). */
  format(value: T): string | null;
  /** Runs and tags that a value names: a saved view that is opened says which of them are gone. */
  named?(value: T): Named;
}
export interface Named {
  readonly runs?: readonly string[];
  /** Tags of this plugin. */
  readonly tags?: readonly string[];
}

export interface UrlState {
  /** One key of the view state, kept in the page's URL under the plugin's name. */
  state<T>(key: string, codec: Codec<T>): Mutable<T>;
}
export interface Mutable<T> extends ReadonlySignal<T> {
  /** `push` makes a history entry (Back undoes it); `replace`, the default, does not. */
  set(value: T, how?: 'push' | 'replace'): void;
}

/** A step, a wall time (seconds since the epoch), or both. */
export interface CursorPlace {
  readonly step?: number;
  readonly wallTime?: number;
}
export interface CursorAt extends CursorPlace {
  readonly pinned: boolean;
  /** Name of the plugin that set it; "" for a link. */
  readonly from: string;
}
/** The step or time that all tabs share: where the pointer is, else where the user pinned it; null without either. */
export interface SharedCursor extends ReadonlySignal<CursorAt | null> {
  /** The pointer is there; null: it has left. Ends when the tab leaves the front. */
  point(place: CursorPlace | null): void;
  /** Stays, also in the URL and in front of other tabs, until it is pinned elsewhere; null lets go of it. */
  pin(place: CursorPlace | null): void;
}

export interface SavedEntry {
  readonly name: string;
  /** Another one whenever the value changes. */
  readonly version: string;
}
/**
 * State that users save on the host under a name: one line of at most 200 characters. It belongs to the plugin and the
 * logs of the host; every page of these logs has it. Rejections are `HostError`s: `saved_changed` if another page
 * was faster, `too_large` beyond 256 KiB, `saved_full` if all entries of the plugin have 4 MiB.
 */
export interface Saved {
  /** What is saved, by name; null until the host has answered. Nobody asks it before the first subscriber or call. */
  readonly entries: ReadonlySignal<readonly SavedEntry[] | null>;
  /** False while the host saves nothing (`--read-only`). */
  readonly writable: ReadonlySignal<boolean>;
  /** What the host has now. */
  list(): Promise<readonly SavedEntry[]>;
  /** The value and its version; null if nothing has this name. */
  get<T>(name: string): Promise<(SavedEntry & { readonly value: T }) | null>;
  /**
   * Saves a JSON value. `version` is that of the entry that it replaces, as it was read, or null for a new name: if the
   * host has another one, nothing is saved.
   */
  set(name: string, value: unknown, version: string | null): Promise<SavedEntry>;
  remove(name: string, version: string): Promise<void>;
}

/** A tab by its name. */
export interface StepTab {
  readonly plugin: string;
  /** In the user's language. */
  readonly title: string;
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
    /** Those of `shown` that are selected, however many: answers are about all, a chart draws some (`drawing`). */
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
    /**
     * What runs are grouped by: columns of the run table, `path`, or `name~EXPRESSION`, what a regular expression
     * captures of their names; none: they are not.
     */
    readonly groupBy: Mutable<readonly string[]>;
    /** The groups of all runs; empty where runs are not grouped, and until the columns are known. */
    readonly groups: ReadonlySignal<readonly RunGroup[]>;
    readonly drawing: ReadonlySignal<Drawing>;
    /**
     * The run that a tab about one run shows (`Plugin.runs`): the one that the user chose in the run panel, else the
     * first selected one of which the plugin has series, else the first such one; null without any.
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
   * other keys stay. Back undoes it. False, and nothing changes, if no plugin of this name has a tab.
   */
  open(plugin: string, state?: Readonly<Record<string, string | null>>): boolean;
  /** Opens a tree of the plugin's tags, which leads to some of them in its tab by `Plugin.tag_state`. */
  browseTags(): void;
  /** Other tabs with data that can show one step (`Plugin.step_state`), in the order of the tabs. */
  readonly stepTabs: ReadonlySignal<readonly StepTab[]>;
  /**
   * Brings such a tab to the front at a step, or at the nearest one of each series, and pins the cursor there. Back
   * undoes it. False, and nothing changes, if the plugin has no such tab.
   */
  openStep(plugin: string, step: number): boolean;
  readonly cursor: SharedCursor;
  /** Grows whenever data of any plugin change. */
  readonly generation: ReadonlySignal<number>;
  /** The latest change that concerns this plugin. */
  readonly changes: ReadonlySignal<Changes>;
  /** The series of this plugin; `withUnclaimed` has those of values that no plugin claims, too. */
  readonly tags: TagCatalogue & { readonly withUnclaimed: TagCatalogue };
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
  notify(level: 'info' | 'warn' | 'error', text: string): void;
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
