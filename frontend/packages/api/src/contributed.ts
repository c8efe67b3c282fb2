/** What plugins contribute, as a tab that shows it sees it: marks for charts, cards, entries of the menus of cards. */
import type { Disposer } from './values';

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

/** What all plugins contribute, for a tab that shows it. */
export interface Contributed {
  /** Calls `show` with the marks of all plugins, now and after every change. */
  markers(chart: Omit<MarkedChart, 'signal'>, show: (markers: readonly Marker[]) => void): Disposer;
  /** Cards for this tab, in their order. */
  readonly cards: readonly ShownCard[];
  /** Those that are a row above its toolbar. */
  readonly strips?: readonly ShownCard[];
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
