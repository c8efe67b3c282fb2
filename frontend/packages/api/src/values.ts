/** What the page and a plugin hand to each other: signals, runs, series, state in the URL, answers of the host. */

/** The version of this contract; a page shows no plugin of another. */
export const API = 2;

/** Texts by locale, then by key. */
export type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>;

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

/** What the colours of runs say while they follow the numbers of a column. */
export interface ColorScale {
  /** The column, in the user's language. */
  readonly title: string;
  /** The smallest and the largest number, as texts. */
  readonly low: string;
  readonly high: string;
  /** Equal ratios of numbers are equally far apart, not equal differences. */
  readonly isLog: boolean;
  /** CSS colours at even places, from that of the smallest number to that of the largest. */
  readonly stops: readonly string[];
}

/** What the run panel offers while a tab about one run is in front. */
export interface RunChoice {
  /**
   * Runs that the tab has something of: the first one that is listed is shown until the user chooses. Without it, those
   * that the plugin has series of, in the order of the panel.
   */
  readonly among?: readonly string[];
  /** What the run that is shown has several of, such as profiles: the panel lists two or more below the runs. */
  readonly items?: readonly RunItem[];
}

/** Something that one run may have several of. */
export interface RunItem {
  readonly text: string;
  readonly hint: string;
  readonly isChosen: boolean;
  choose(): void;
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

/** What can be done about a message: `{ text: t('undo'), run: restore }`. */
export interface NotifyAction {
  /** A verb, in the user's language. */
  readonly text: string;
  run(): void;
}

/** A tab that can show one step. */
export interface StepTab {
  readonly plugin: string;
  /** In the user's language. */
  readonly title: string;
}
