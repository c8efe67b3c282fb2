/**
 * What the page half of a plugin adds beyond its tab: the default export of `contributions.js`, next to `index.js`.
 *
 * The page imports it when it is idle, after it has shown the tab in front. Each part is optional. A part that throws
 * is left out, and the page says so below the tab of the plugin; the other parts and plugins go on.
 */
import type { PluginContext } from './contract';
import type { MarkedChart, Marker } from './contributed';
import type { API, CardSpec, Disposer, Messages, ReadonlySignal } from './values';

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
  /** Cards of the Metrics tab, or of those that `tabs` names, in a section of their own. */
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

export interface ContributedCard {
  /** Unique in the plugin. */
  readonly id: string;
  /** A key of `messages`. */
  readonly title: string;
  /** Names of the plugins in whose tabs it stands: `['image', 'histogram']`. `['scalar']` without it. */
  readonly tabs?: readonly string[];
  /** Smaller ones come first; 0 without it. */
  readonly order?: number;
  /** True: a row above the toolbar of the tab, without frame and title, which takes no room while it is empty. */
  readonly strip?: boolean;
  /** Fills `host`. `ctx.visible` is that of the tab that shows the card, `ctx.signal` ends with the card. */
  mount(host: HTMLElement, ctx: PluginContext): Disposer | void | Promise<Disposer | void>;
}
