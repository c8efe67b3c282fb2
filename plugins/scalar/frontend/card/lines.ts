/** The lines of a card: what is drawn of the series that it shows. */
import type { Run, RunGroup } from '@insight-host/api';
import type { Page } from '@insight-host/kit';
import type { Numbers } from '@insight-host/kit/draw';
import type { Cursor, Line, LineChart, Mark } from '@insight-host/kit/lines';
import { useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LayerData, Picture } from '../feed/feed';
import { placeOf, xColumn, type Band, type Series } from '../feed/series';
import type { Axis } from './axis';
import { errorsOf, marginOf } from './bounds';

/** What the cursor needs to know of a line: where its points come from. */
export interface Source {
  readonly label: string;
  readonly color: string;
  readonly run: string;
  /** Names of the runs that it shows: several of a group. */
  readonly runs: readonly string[];
  readonly tag: string;
  /** What people read for the tag. */
  readonly title: string;
  readonly dash: readonly number[];
  readonly main: Series | null;
  readonly raw: Series | null;
  readonly band?: Band;
  /** Ends of its error bars, by step. */
  readonly errors?: { readonly steps: Float64Array; readonly low: Numbers; readonly high: Numbers };
}

export interface Lines {
  readonly lines: readonly Line[];
  readonly sources: ReadonlyMap<string, Source>;
  readonly extent: readonly [number, number] | null;
  readonly marks: readonly Mark[];
}

export function mainLines({ lines }: Lines): readonly Line[] {
  return lines.filter((line) => line.role !== 'raw');
}

const DASHED = [6, 3];
/** Lengths of dashes and gaps that tell tags apart. */
const PATTERNS: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [16, 4], [5, 2, 1, 2, 1, 2]];

const FEW = 12; // lines that a legend of a card names one by one

/** The lines of a legend in a card that is not large: of many lines, one for each tag. */
export function legendOf(found: Lines): Lines {
  const all = mainLines(found);
  if (all.length <= FEW) return found;
  const byTag = new Map<string, Line>();
  for (const line of all) {
    const source = found.sources.get(line.id);
    if (source && !byTag.has(source.tag))
      byTag.set(source.tag, { ...line, label: source.title, color: 'currentColor' });
  }
  return { ...found, lines: [...byTag.values()] };
}

const known = new WeakMap<Series, Map<string, Line>>();

/** How the run panel shows groups, and the run whose line lies over the others. */
interface Shown {
  readonly groups?: readonly RunGroup[];
  readonly best?: string | null;
  /** Names the line of all runs together. */
  readonly all?: (count: number) => string;
}

const ALL_COLOR = '#808a96'; // of no run, and seen on both themes

/** The lines of a picture, in the order of the selected runs; raw ones first, so that they lie below. */
export function linesOf(
  picture: Picture,
  runs: readonly Run[],
  titleOf: (tag: string) => string,
  markText: (run: string, step: number) => string,
  { groups = [], best = null, all = String }: Shown = {},
): Lines {
  const looks = new Map(groups.flatMap((group) => group.runs.map((run) => [run, group] as const)));
  const byName = new Map(runs.map((run) => [run.name, run]));
  const drawn = picture.layers.filter(({ edge }) => !edge);
  const paired = drawn.length > 1;
  const hasEdges = drawn.length < picture.layers.length;
  const [raw, main]: [Line[], Line[]] = [[], []];
  const sources = new Map<string, Source>();
  const marks = new Map<string, Mark>(); // of a run, whichever of its tags restarts
  for (const [place, layer] of drawn.entries()) {
    const own = { x: picture.query.x, axis: layer.axis };
    for (const band of inPanelOrder(layer.bands, groups)) {
      const id = `${prefixOf(layer, place)}:${band.group}`;
      const [first = ''] = band.runs;
      const group = layer.around ? undefined : (looks.get(first) ?? byName.get(first));
      const color = group?.color ?? ALL_COLOR;
      const name = layer.around ? all(layer.around.length) : band.group || looks.get(first)?.title || '';
      const label = paired ? `${name} · ${titleOf(layer.tag)}` : name;
      const dash = dashOf(layer, place, group?.dash ?? []);
      const shown = layer.around ? [] : band.runs; // any hovered run would lift the line of all
      main.push({
        id,
        label,
        color,
        x: band.x,
        y: band.centre,
        axis: layer.axis,
        runs: shown,
        band: { low: band.low, high: band.high },
        ...dashed(dash),
      });
      sources.set(id, {
        label,
        color,
        run: band.group,
        runs: shown,
        tag: layer.tag,
        title: titleOf(layer.tag),
        dash,
        main: null,
        raw: null,
        band,
      });
    }
    const raws = new Map(layer.raw?.map((series) => [series.run, series]));
    for (const series of inOrder(layer.main, runs)) {
      const run = byName.get(series.run);
      if (!run) continue; // no longer selected
      const { color, displayName } = run;
      const id = `${prefixOf(layer, place)}:${series.run}`;
      const label = paired ? `${displayName} · ${titleOf(layer.tag)}` : displayName;
      const behind = raws.get(series.run) ?? null;
      const dash = dashOf(layer, place, run.dash);
      const line = lineOf(series, { ...own, id, label, color, dash, role: series.run === best ? 'best' : 'main' });
      const unsmoothed = picture.query.smoothing > 0 ? behind : series;
      const errors = hasEdges && unsmoothed ? errorsOf(picture.layers, unsmoothed) : undefined;
      const margin = hasEdges ? marginOf(picture.layers, series) : undefined;
      main.push(withBand(line, behind ? margin : (margin ?? errors)));
      if (behind) {
        const faint = lineOf(behind, { ...own, id, label, color, dash: dashOf(layer, place, []), role: 'raw' });
        raw.push(withBand(faint, errors));
      }
      sources.set(id, {
        label,
        color,
        run: series.run,
        runs: [series.run],
        tag: layer.tag,
        title: titleOf(layer.tag),
        dash,
        main: series,
        raw: behind,
        ...(errors && unsmoothed ? { errors: { ...errors, steps: unsmoothed.steps } } : {}),
      });
      if (layer.axis === 'left')
        for (const mark of restarts(series, picture.query.x, color, markText))
          marks.set(`${mark.text} ${mark.x}`, mark);
    }
  }
  return { lines: [...raw, ...main], sources, extent: extent(picture), marks: [...marks.values()] };
}

function inPanelOrder(bands: readonly Band[], groups: readonly RunGroup[]): readonly Band[] {
  const place = new Map(groups.flatMap((group, at) => group.runs.map((run) => [run, at] as const)));
  const placeIn = ({ runs: [first = ''] }: Band): number => place.get(first) ?? groups.length;
  return [...bands].sort((a, b) => placeIn(a) - placeIn(b));
}

function inOrder(all: readonly Series[], runs: readonly Run[]): readonly Series[] {
  const place = new Map(runs.map((run, i) => [run.name, i]));
  return [...all].sort((a, b) => (place.get(a.run) ?? 0) - (place.get(b.run) ?? 0));
}

/** Unique among the layers of a picture. */
const prefixOf = ({ axis }: LayerData, place: number): string => (axis === 'left' && place > 0 ? `${place}` : axis);

/**
 * A second tag on the right axis is dashed; where runs are too, its dashes are twice as long. Of several tags on one
 * axis, each has dashes of its own.
 */
function dashOf({ axis }: LayerData, place: number, pattern: readonly number[]): readonly number[] {
  if (axis === 'left') return place === 0 ? pattern : (PATTERNS[place % PATTERNS.length] as readonly number[]);
  return pattern.length > 0 ? pattern.map((length) => 2 * length) : DASHED;
}

function dashed(dash: readonly number[]): { dash?: readonly number[] } {
  return dash.length > 0 ? { dash } : {};
}

/** Lines are kept as long as their series, so that the chart does not examine them again. */
function lineOf(
  series: Series,
  of: {
    x: Axis;
    axis: 'left' | 'right';
    id: string;
    label: string;
    color: string;
    dash: readonly number[];
    role: 'main' | 'raw' | 'best';
  },
): Line {
  let lines = known.get(series);
  if (!lines) known.set(series, (lines = new Map()));
  const key = `${of.x} ${of.axis} ${of.role} ${of.color} ${of.dash.join()} ${of.label}`;
  let line = lines.get(key);
  if (!line) {
    const { x, dash, ...rest } = of;
    const { run, values: y, breaks, decimated } = series;
    line = { ...rest, runs: [run], x: xColumn(series, x), y, breaks, decimated, ...dashed(dash) };
    lines.set(key, line);
  }
  return line;
}

const withBand = (line: Line, band: Line['band']): Line => (band ? { ...line, band } : line);

function extent(picture: Picture): readonly [number, number] | null {
  let [lo, hi] = [Infinity, -Infinity];
  for (const layer of picture.layers) {
    if (layer.bands.length > 0) return null;
    for (const series of layer.main) {
      if (series.total === 0) continue;
      if (Number.isFinite(series.extent[0])) lo = Math.min(lo, series.extent[0]);
      if (Number.isFinite(series.extent[1])) hi = Math.max(hi, series.extent[1]);
    }
  }
  return lo <= hi ? [lo, hi] : null;
}

/** Restarts are known by step; on a time axis they stand at the first point that is there of that step. */
function restarts(
  series: Series,
  x: Axis,
  color: string,
  text: (run: string, step: number) => string,
): readonly Mark[] {
  return series.restarts.flatMap((step) => {
    const at = placeOf({ step }, x, series);
    return at === undefined ? [] : [{ x: at, color, text: text(series.run, step) }];
  });
}

/** A bar of a card whose runs have one value each. */
export interface SingleValue {
  readonly value: number;
  /** The ends of its error bar. */
  readonly ends?: readonly [low: number, high: number];
}

/** The values of a card whose runs have one each, by run; null for a card with curves, or with one run. */
export function singleValues({ layers }: Picture): ReadonlyMap<string, SingleValue> | null {
  const [layer, ...others] = layers;
  if (!layer || others.some(({ edge }) => !edge?.bars) || layer.bands.length > 0 || layer.main.length < 2) return null;
  if (!layer.main.every(({ total, values }) => total === 1 && values.length === 1)) return null;
  return new Map(
    layer.main.map((series) => {
      const errors = errorsOf(layers, series);
      const ends = [errors?.low[0] ?? NaN, errors?.high[0] ?? NaN] as const;
      const value = series.values[0] as number;
      return [series.run, ends.every(Number.isFinite) ? { value, ends } : { value }];
    }),
  );
}

const REACH = 24; // pixels from a line to the pointer

/** The runs of the line at the pointer; none if it is away from all lines. */
export function pointedRuns(cursor: Cursor | null, sources: Lines['sources']): readonly string[] {
  const nearest = cursor?.nearest[0];
  return (nearest && nearest.distance <= REACH && sources.get(nearest.id)?.runs) || [];
}

/** Shows the runs that are hovered anywhere, without rendering the card again. */
export function useHoveredRuns(page: Page, chart: { readonly current: LineChart | null }, about: unknown): void {
  useSignalEffect(() => chart.current?.hover(page.hovered.value));
  useEffect(() => chart.current?.hover(page.hovered.peek()), [about]); // a chart that was just made
}
