/**
 * The contract between the page and a plugin's ES module, version 1.
 *
 * A plugin's `index.js` has a default export of type `Plugin`. Nothing here needs a framework or a
 * bundler: shared widgets arrive as plain functions in `ctx.ui`.
 */
export interface Plugin {
  readonly apiVersion: 1;
  /** Catalogues for `ctx.t`, by locale; English is the fallback. */
  readonly messages?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Fills `host`; what it returns is called when the tab is closed for good. */
  mount(host: HTMLElement, ctx: PluginContext): Disposer | void | Promise<Disposer | void>;
}

export type Disposer = () => void;

export interface ReadonlySignal<T> {
  readonly value: T;
  /** Calls `listener` at once and after every change. */
  subscribe(listener: (value: T) => void): Disposer;
}

/** What users wrote down about a run; kept beside the logs, the same for everybody who looks at them. */
export interface Annotation {
  /** What people call the run; "" where its name will do. */
  readonly displayName: string;
  readonly note: string;
  readonly remark: string;
  /** One of ten signs, 1 to 10 (`ctx.ui.icon('mark-3')`); 0 is none. */
  readonly mark: number;
}

export interface Run extends Annotation {
  readonly name: string;
  /** What people read: `name`, unless somebody gave it another. */
  readonly displayName: string;
  /** CSS colour of the run, the same in every view; adapted to the theme. */
  readonly color: string;
  readonly dialects: readonly string[];
  readonly startTime: number | null;
  readonly loading: boolean;
  readonly damage: number;
}

/** What changed on the server; `null` series: anything may have. */
export interface Changes {
  readonly generation: number;
  readonly series: Readonly<Record<string, readonly string[]>> | null; // tags by run, of this plugin
}

export type Locale = 'en' | 'zh-CN';
export interface Theme {
  readonly mode: 'light' | 'dark';
  /** Value of a CSS custom property of the page (`--text`, `--accent`, …). */
  token(name: string): string;
}

export type QueryValue = string | number | boolean | readonly string[] | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** A decoded safetensors answer: zero-copy views by name, and its metadata. */
export interface Columns {
  readonly metadata: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  column(name: string): Float32Array | Float64Array | Int32Array | BigInt64Array | Uint8Array;
}

export interface Codec<T> {
  parse(text: string | null): T;
  /** null leaves the key out of the URL (the default value). */
  format(value: T): string | null;
}

export interface UrlState {
  /** One key of the view state, kept in the page's URL under the plugin's name. */
  state<T>(key: string, codec: Codec<T>): Mutable<T>;
}
export interface Mutable<T> extends ReadonlySignal<T> {
  /** `push` makes a history entry (Back undoes it); `replace`, the default, does not. */
  set(value: T, how?: 'push' | 'replace'): void;
}

export interface PluginContext {
  readonly name: string;
  /** Aborted when the tab is closed for good. */
  readonly signal: AbortSignal;
  /** False while another tab is in front: stop drawing and fetching. */
  readonly visible: ReadonlySignal<boolean>;
  readonly runs: {
    readonly all: ReadonlySignal<readonly Run[]>;
    /** Runs that match the filter of the run list. */
    readonly shown: ReadonlySignal<readonly Run[]>;
    /** Runs to draw: those of `shown` that are selected. */
    readonly selected: ReadonlySignal<readonly Run[]>;
    /** Selects exactly these of `shown`; the selection of runs that the filter hides stays. */
    select(names: readonly string[]): void;
    /** Writes these fields of a run down. Rejects with the reason; where `annotatable` is false it always does. */
    annotate(run: string, fields: Partial<Annotation>): Promise<void>;
    /** False while the host takes no annotations (`--read-only`). */
    readonly annotatable: ReadonlySignal<boolean>;
  };
  /** Brings the tab of a plugin to the front; false when there is none of that name. */
  openTab(plugin: string): boolean;
  /** Grows whenever data of any plugin change. */
  readonly generation: ReadonlySignal<number>;
  /** The latest change that concerns this plugin. */
  readonly changes: ReadonlySignal<Changes>;
  readonly theme: ReadonlySignal<Theme>;
  readonly locale: ReadonlySignal<Locale>;
  /** A text of `messages`, `{name}` filled in. With a number `count`, `key.one` (or another plural category) goes first. */
  t(key: string, values?: Readonly<Record<string, string | number>>): string;
  readonly url: UrlState;
  /** Remembered in this browser, under the plugin's name; parse errors give the fallback. */
  readonly memory: { get<T>(key: string, fallback: T): T; set(key: string, value: unknown): void };
  readonly data: {
    json<T>(route: string, query?: Query, options?: { signal?: AbortSignal }): Promise<T>;
    columns(route: string, query?: Query, options?: { signal?: AbortSignal }): Promise<Columns>;
    /** URL of a route of this plugin, for links and images. */
    href(route: string, query?: Query): string;
  };
  readonly ui: {
    /** A line chart with zoom, pan, cursor and export; its code is loaded on first use. */
    lineChart(host: HTMLElement, props: LineChartProps): Promise<LineChart>;
    /** Histograms over steps, or of several runs; its code is loaded on first use. */
    histogramChart(host: HTMLElement, props: HistogramChartProps): Promise<HistogramChart>;
    icon(name: string): SVGSVGElement;
    /** Saves `content` as a file on the user's machine. */
    download(name: string, content: Blob): void;
  };
  /** Keyboard shortcut while this plugin is in front; listed in the page's keyboard help. */
  shortcut(key: string, description: string, run: () => void): Disposer;
  notify(level: 'info' | 'warn' | 'error', text: string): void;
}

// --- line chart -----------------------------------------------------------------------------------

export type Numbers = Float64Array | Float32Array | readonly number[];

export interface Line {
  readonly id: string;
  readonly label: string;
  readonly color: string;
  readonly x: Numbers;
  readonly y: Numbers;
  /** 'raw' is the faint line behind a smoothed one: not in the legend, not read by the cursor. */
  readonly role?: 'main' | 'raw';
  readonly axis?: 'left' | 'right';
  readonly dash?: readonly number[];
  /** Indices at which a new attempt begins: the line is not joined there. */
  readonly breaks?: readonly number[];
  /** Lower and upper edge of a band around the line, of the same length as `x`. */
  readonly band?: { readonly low: Numbers; readonly high: Numbers };
}

export interface ThresholdCondition {
  readonly operator: '<' | '>' | '<=' | '>=';
  readonly value: number;
}
/** Both conditions hold (`and`) or one of them (`or`): the part of a line where that is so is drawn red. */
export interface Threshold {
  readonly first: ThresholdCondition;
  readonly join?: 'and' | 'or';
  readonly second?: ThresholdCondition;
}

export type XKind = 'step' | 'relative' | 'wall';
export interface View {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly yRight?: readonly [number, number];
}
export interface LineChartProps {
  readonly lines: readonly Line[];
  readonly xKind: XKind;
  readonly logX?: boolean;
  readonly logY?: boolean;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly yRightLabel?: string;
  readonly title: string;
  /** Whole x range when not zoomed; from the lines when absent. */
  readonly xExtent?: readonly [number, number];
  /** Leave the most extreme 5 % of values out of the y range. */
  readonly ignoreOutliers?: boolean;
  /** x window to show, null for everything; zooming and panning report through `onView`. */
  readonly xWindow?: readonly [number, number] | null;
  readonly yWindow?: readonly [number, number] | null;
  readonly tool?: 'box' | 'pan';
  readonly threshold?: Threshold | null;
  /** x values of vertical marks (restarts), with a hover text. */
  readonly marks?: readonly { readonly x: number; readonly color: string; readonly text: string }[];
  /** x of the cursor shown although the pointer is elsewhere (a linked chart). */
  readonly cursorX?: number | null;
  readonly theme: Theme;
  readonly locale: Locale;
  /** Accessible description of the chart. */
  readonly description: string;
  /** The user zoomed or panned; null axis: back to everything on that axis. */
  readonly onView?: (view: { x: readonly [number, number] | null; y: readonly [number, number] | null }, how: 'zoom' | 'pan' | 'reset') => void;
  /** The pointer moved over the plot (null: left it). `nearest` are points of main lines near x, nearest to the pointer first. */
  readonly onCursor?: (cursor: Cursor | null) => void;
  readonly onClick?: (cursor: Cursor) => void;
}
export interface Cursor {
  readonly x: number;
  readonly y: number;
  /** Pixels from the left and top of the chart's host element. */
  readonly px: number;
  readonly py: number;
  readonly nearest: readonly { readonly id: string; readonly index: number; readonly x: number; readonly y: number }[];
}
export interface LineChart {
  update(props: LineChartProps): void;
  /** Plot area in CSS pixels; its width is the `width` to ask the server for. */
  readonly plot: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  toSVG(): string;
  toPNG(): Promise<Blob>;
  dispose(): void;
}

// --- histogram chart ------------------------------------------------------------------------------

/**
 * `front`: all lines upon each other; `top`: each behind the next, seen from above at 45 degrees;
 * `distributions`: bands of percentiles over steps; `heatmap`: counts as colours over steps.
 */
export type HistogramView = 'front' | 'top' | 'distributions' | 'heatmap';

/** One histogram: of a step, or of a run. */
export interface HistogramRow {
  readonly id: string;
  /** What the legend of a file says, for rows with a colour of their own. */
  readonly label: string;
  /** Its place on the axis of rows: a step, or seconds, as `rowKind` says. */
  readonly at: number;
  /** Of each bin: one less than there are edges. */
  readonly counts: Numbers;
  /** The smallest value, those that 7, 16, 31, 50, 69, 84, 93 percent lie below, and the largest; NaN for none. */
  readonly percentiles: Numbers;
  /** By default the chart's colour, the paler the earlier. */
  readonly color?: string;
}

export interface HistogramChartProps {
  readonly view: HistogramView;
  /** Of the bins, in ascending order, the same for every row. */
  readonly edges: Numbers;
  /** In the order in which they were written. */
  readonly rows: readonly HistogramRow[];
  readonly rowKind: XKind;
  readonly color: string;
  /** Range of values to show; that of the edges when absent. */
  readonly extent?: readonly [number, number];
  /** Places of rows that could not be read. */
  readonly errors?: readonly number[];
  /** A row that stands out although the pointer is elsewhere. */
  readonly marked?: string | null;
  readonly valueLabel: string;
  readonly countLabel: string;
  readonly rowLabel: string;
  readonly title: string;
  readonly theme: Theme;
  readonly locale: Locale;
  /** Accessible description of the chart. */
  readonly description: string;
  /** The pointer or the arrow keys are at a bin of a row (null: no longer). */
  readonly onCursor?: (cursor: HistogramCursor | null) => void;
  readonly onClick?: (cursor: HistogramCursor) => void;
}
export interface HistogramCursor {
  /** Index of the row and of its bin. */
  readonly row: number;
  readonly bin: number;
  /** Pixels from the left and top of the chart's host element. */
  readonly px: number;
  readonly py: number;
}
export interface HistogramChart {
  update(props: HistogramChartProps): void;
  /** Plot area in CSS pixels. */
  readonly plot: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  toSVG(): string;
  toPNG(): Promise<Blob>;
  dispose(): void;
}
