/**
 * What the page half of a plugin adds beyond its tab: the default export of `contributions.js`, next to `index.js`.
 *
 * The page imports it when it is idle, after it has shown the tab in front. Each part is optional. A part that throws
 * is left out, and the page says so below the tab of the plugin; the other parts and plugins go on.
 */
import type { API, CardSpec, Disposer, Messages, PluginContext, ReadonlySignal } from './contract';

export interface Contributions {
  readonly apiVersion: typeof API;
  /** Catalogues for `ctx.t`, by locale; English is the fallback. */
  readonly messages?: Messages;
  readonly commands?: readonly Command[];
  /** Called once, when the page has loaded the module; what it returns, when the plugin is gone. */
  start?(ctx: PluginContext): Disposer | void;
  /**
   * How the run list shows a column of the run table (`insight_run_columns`), or null: as plain text. The plugin that
   * has the column is asked first, then others in the order of the tabs.
   */
  columns?(column: RunColumn, ctx: PluginContext): ColumnLook | null | undefined;
  /**
   * Marks for a chart of these tags and runs. Asked again when data of the plugin, its `ctx.tags`, `changed`, the chart
   * or the language change; an answer that takes longer than ten seconds is not shown.
   */
  markers?(chart: MarkedChart, ctx: PluginContext): readonly Marker[] | Promise<readonly Marker[]>;
  /** A signal after whose changes the marks are asked for again. */
  readonly changed?: ReadonlySignal<unknown>;
  /** Cards of the Scalars tab, or of those that `tabs` names, in a section of their own. */
  readonly cards?: readonly ContributedCard[];
  /** What the menus of cards offer beyond what their own plugins do. */
  readonly cardActions?: readonly CardAction[];
  /** What the menus of runs offer beyond what the page does. */
  readonly runActions?: readonly RunAction[];
}

/** What can be done with a run, in its menu in the run list. */
export interface RunAction {
  /** Unique in the plugin. */
  readonly id: string;
  /** A key of `messages`. */
  readonly text: string;
  run(run: string, ctx: PluginContext): void | Promise<void>;
}

/** What can be done with a card of any plugin that has `renderCard`. */
export interface CardAction {
  /** Unique in the plugin. */
  readonly id: string;
  /** A key of `messages`. */
  readonly text: string;
  run(card: CardSpec, ctx: PluginContext): void | Promise<void>;
}

/** A command of the palette (Ctrl K), there although the tab of the plugin was never opened. */
export interface Command {
  /** A key of `messages`. */
  readonly text: string;
  /** `view`: it does something with the page as it is shown, so that the dialog of saved views offers it, too. */
  readonly about?: 'view';
  run(ctx: PluginContext): void | Promise<void>;
}

export type Cell = string | number | boolean;

/** A column of the run table. */
export interface RunColumn {
  /** Of the plugin that has it. */
  readonly plugin: string;
  readonly name: string;
  /** In the user's language. */
  readonly title: string;
  /** `time` is in seconds since the epoch, `duration` in seconds. */
  readonly kind: 'text' | 'number' | 'time' | 'duration' | 'boolean';
  readonly group: string;
  /** By run; runs without a value are left out. */
  readonly values: Readonly<Record<string, Cell>>;
}

export interface ColumnLook {
  readonly title?: string;
  /** What stands in the cell: a text or an element, a new one at each call. */
  cell?(value: Cell, run: string): string | HTMLElement | SVGElement;
  /** What the run list sorts by; without it, by the value. */
  order?(value: Cell, run: string): number | string;
}

export interface MarkedChart {
  readonly tags: readonly string[];
  readonly runs: readonly string[];
  /** Aborted when nobody needs the answer any more. */
  readonly signal: AbortSignal;
}

/** A vertical mark. On an axis for which it has no place, it stands at the first point from its step or time on. */
export interface Marker {
  readonly step?: number;
  /** Seconds since the epoch. */
  readonly wallTime?: number;
  readonly text: string;
  /** CSS colour; without it that of `run`, or a faint one. */
  readonly color?: string;
  /** The run that it is about. Only shown while the chart has that run. */
  readonly run?: string;
  /** Where the mark leads: `() => ctx.open('image', { step: '7', link: '1' })`. */
  open?(): void;
}

export interface ContributedCard {
  /** Unique in the plugin. */
  readonly id: string;
  /** A key of `messages`. */
  readonly title: string;
  /** Names of the plugins in whose tabs it stands: `['image', 'histogram']`. `['scalar']` without it. */
  readonly tabs?: readonly string[];
  /** Smaller ones come first; 0 without it. */
  readonly order?: number;
  /** Fills `host`. `ctx.visible` is that of the tab that shows the card, `ctx.signal` ends with the card. */
  mount(host: HTMLElement, ctx: PluginContext): Disposer | void | Promise<Disposer | void>;
}

/** What all plugins contribute, for a tab that shows it. */
export interface Contributed {
  /** Calls `show` with the marks of all plugins, now and after every change. */
  markers(chart: Omit<MarkedChart, 'signal'>, show: (markers: readonly Marker[]) => void): Disposer;
  /** Cards for this tab, in their order. */
  readonly cards: readonly ShownCard[];
  /** For the menu of a card; the page has some of its own. */
  readonly cardActions: readonly ShownCardAction[];
}

export interface ShownCardAction {
  /** Unique in the page. */
  readonly id: string;
  /** In the user's language. */
  readonly text: string;
  /** `card` is a name by which the plugin knows its card. */
  run(card: string): void;
}

export interface ShownCard {
  /** Unique in the page. After the plugin was built again it differs: then mount the card again. */
  readonly id: string;
  /** Name of the plugin. */
  readonly plugin: string;
  /** In the user's language. */
  readonly title: string;
  /**
   * `failed` is called when the card throws, now or later: its `host` is empty then. Ends with the tab that shows it.
   */
  mount(host: HTMLElement, failed: (cause: unknown) => void): Disposer;
}
