/**
 * The parts of the page whose code comes later, as the rest of the page sees them. They know the page; the page knows
 * only this of them.
 */
import type { ReadonlySignal } from '@preact/signals';
import type { Cell, Contributed, Drawing, Run, RunColumn } from '@insight-host/api';
import type { MenuItem } from '@insight-host/kit';
import type { ComponentType, JSX } from 'preact';
import type { GuardedLook, Known, ShownColumn } from '../columns/cells';
import type { Runs } from './runs';
import type { Tab } from './session';
import type { ViewUrl } from './url';

export interface ListedCommand {
  /** Name of the plugin. */
  readonly owner: string;
  readonly label: string;
  readonly isAboutView: boolean;
  readonly run: () => void;
}

/** What failed of a plugin outside of its tab: a title and lines; `retry` where that may help. */
export interface Troubles {
  readonly title: string;
  readonly lines: readonly string[];
  readonly retry?: () => void;
}

/** The plugin whose card it is, and the state that the card is shown with. */
export interface CardScope {
  readonly name: string;
  readonly url: ViewUrl;
  readonly runs: Runs;
}

/** A tab that shows contributions. */
export interface Shower extends CardScope {
  readonly visible: ReadonlySignal<boolean>;
  readonly signal: AbortSignal;
}

/** What all plugins contribute. */
export interface Contributing {
  readonly commands: readonly ListedCommand[];
  /** What fails of a plugin, and a title for it; null if nothing does. */
  troublesOf(plugin: string, title: string): Troubles | null;
  /** Whether the code of a `contributions.js` is in the trace of an error that nobody caught: then it is reported. */
  uncaught(cause: unknown, trace: string): boolean;
  /** How a column of the run table is shown; each function of it gives null when it throws. */
  lookOf(column: RunColumn): GuardedLook | null;
  /** For the menu of a run. */
  runActionsOf(run: string): readonly MenuItem[];
  shownIn(scope: Shower): Contributed;
  /** From now on a chip with this text leads back to a tab, with all that the address says now. */
  offer(tab: string, text: string): void;
}

/** Compares runs in the tab that shows them next to each other. */
export interface Comparing {
  /** Takes a press on a run, if another one waits to be compared with it. */
  pick(run: string): boolean;
  /** The button of a run. */
  readonly Tool: ComponentType<{ readonly run: Run }>;
  /** What stands above the list: a button for the selected runs, or which run waits. */
  readonly Bar: ComponentType;
}

/** The columns of the run table, and their values. */
export interface ColumnValues {
  /** All columns of the host, without values; null until they are known. */
  readonly listing: ReadonlySignal<readonly Known[] | null>;
  /** All columns of the host, with their titles. */
  readonly titled: ReadonlySignal<readonly { readonly key: string; readonly title: string }[]>;
  /** A column whose values are known. */
  columnOf(key: string): ShownColumn | undefined;
  /** A value as text, where no plugin shows it in another way. */
  text(column: Pick<RunColumn, 'kind'>, value: Cell): string;
  /** The value of a run as text, as a plugin shows it unless it shows an element. */
  textOf(column: ShownColumn, run: string, value: Cell): string;
  /** Asks for the list of columns, if it is not known. */
  need(): void;
}

/** What the filter of the run list suggests while it is typed in. */
interface Suggesting {
  readonly items: ReadonlySignal<readonly unknown[]>;
  readonly active: ReadonlySignal<number>;
  follow(field: HTMLInputElement): void;
  close(): void;
  /** Whether a key is for the list; `set` gets the text that Enter or Tab make. */
  press(event: KeyboardEvent, field: HTMLInputElement, set: (text: string) => void): boolean;
}

type View = () => JSX.Element | null;

/** The columns of the run list, and what shows them. */
export interface ColumnView {
  readonly columns: ColumnValues;
  readonly completion: Suggesting;
  readonly Table: View;
  readonly Tools: View;
  readonly Chooser: View;
  readonly Completions: View;
}

/** How the runs of a card that is shown elsewhere are coloured, until `end`. */
interface CardLook {
  readonly by: { readonly value: readonly string[] };
  readonly dashBy: { readonly value: readonly string[] };
  readonly end: () => void;
}

/** Menus and looks of the run panel. */
export interface PanelView {
  /** Names a column, as short as it can be. */
  titleOf(key: string): string;
  /** The orders that charts offer, see `Drawing`. */
  orders(runs: Runs): Drawing['orders'];
  /** The open menu, and what the colours say. */
  readonly Below: View;
  readonly GroupList: View;
  apart(scope: { readonly url: ViewUrl; readonly runs: Runs }): CardLook;
  /** Lets the user pick the colour of a run, next to an element. */
  pick(run: string, anchor: Element): void;
}

/** The saved views as a list to open one of. */
export interface ViewList {
  /** Null until the host has answered. */
  readonly list: ReadonlySignal<readonly ListedView[] | null>;
  open(view: ListedView): Promise<void>;
}

interface ListedView {
  readonly name: string;
}

/** Where a card is shown. */
export interface CardPlace {
  readonly host: HTMLElement;
  readonly visible: ReadonlySignal<boolean>;
  /** Ends the card. */
  readonly until: AbortSignal;
  /** Called once at most, when the card throws: `host` is empty then. */
  readonly failed: (cause: unknown) => void;
}

/** A plugin that is open. */
export interface OpenPlugin {
  readonly tab: Tab;
  readonly moduleUrl: string;
  /** One of its callbacks threw. */
  report(cause: unknown): void;
}

/** The field for the name that people call a run by. */
export type NameField = (props: { readonly run: Run; readonly onDone: () => void }) => JSX.Element;
