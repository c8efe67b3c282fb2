/** What is around a line: a band between two other tags, or error bars from tags named after its own. */
import { valueText } from '@insight-host/kit';
import type { Line } from '@insight-host/kit/lines';
import type { LayerData } from '../feed/feed';
import { isWhole, type Series } from '../feed/series';
import type { PanelLayer } from '../panels/panels';

const ERROR = '_stderr'; // as insight_core/ingest/log_file.py names the series of `Points.errors`
const [LOWER, UPPER] = ['_lower', '_upper'];

type Known = { has(tag: string): boolean };
type Bounds = NonNullable<Line['band']>;

/** The layers of the error bars of a tag: its standard errors, or both of its bounds; none where neither is there. */
export function errorLayers({ tag, axis }: PanelLayer, known: Known): readonly PanelLayer[] {
  const of = (end: string, side: NonNullable<PanelLayer['edge']>['side']): PanelLayer => ({
    tag: tag + end,
    axis,
    edge: { of: tag, side, bars: true },
  });
  if (known.has(tag + ERROR)) return [of(ERROR, 'error')];
  return known.has(tag + LOWER) && known.has(tag + UPPER) ? [of(LOWER, 'low'), of(UPPER, 'high')] : [];
}

/** Whether a tag has the errors or a bound of another one, so that it needs no card of its own. */
export function isOfErrors(tag: string, known: Known): boolean {
  const of = (end: string): string | null => (tag.endsWith(end) ? tag.slice(0, -end.length) : null);
  const value = of(ERROR) ?? of(LOWER) ?? of(UPPER);
  if (value === null || !known.has(value)) return false;
  return tag.endsWith(ERROR) || (known.has(value + LOWER) && known.has(value + UPPER));
}

/** The band around a series, if layers of its picture are both of its edges. */
export function marginOf(layers: readonly LayerData[], { tag, run, steps }: Series): Bounds | undefined {
  const side = (wanted: 'low' | 'high'): Series | undefined =>
    layers
      .find(({ edge }) => edge?.of === tag && edge.side === wanted && !edge.bars)
      ?.main.find((series) => series.run === run);
  const [low, high] = [side('low'), side('high')];
  return low && high ? { low: along(low, steps), high: along(high, steps) } : undefined;
}

/** The error bars of a series that is not smoothed. */
export function errorsOf(layers: readonly LayerData[], { tag, run, steps, values }: Series): Bounds | undefined {
  const of = (side: 'low' | 'high' | 'error'): Float64Array | undefined => {
    const layer = layers.find(({ edge }) => edge?.of === tag && edge.side === side && edge.bars);
    const found = layer && (layer.raw ?? layer.main).find((series) => series.run === run);
    return found && (isWhole(found) ? atSteps(found, steps) : along(found, steps));
  };
  const error = of('error');
  const [low, high] = error
    ? [-1, 1].map((sign) => error.map((by, i) => (values[i] as number) + sign * by))
    : [of('low'), of('high')];
  return low && high ? { low, high, bars: true } : undefined;
}

/** The values at these steps; NaN where there is none. */
function atSteps({ steps: own, values }: Series, steps: Float64Array): Float64Array {
  const known = new Map(Array.from(own, (step, i) => [step, values[i] as number]));
  return steps.map((step) => known.get(step) ?? NaN);
}

/**
 * The values of a series at these steps, between its points by a straight line; NaN before the first and after the
 * last.
 */
export function along({ steps: own, values }: Series, steps: Float64Array): Float64Array {
  let at = 0;
  return steps.map((step) => {
    while (at > 0 && (own[at] as number) > step) at--; // after a restart
    while (at + 1 < own.length && (own[at + 1] as number) <= step) at++;
    const [from, to] = [own[at] ?? NaN, own[at + 1] ?? NaN];
    const value = values[at] ?? NaN;
    if (from === step) return value;
    return from < step && to > step
      ? value + ((step - from) / (to - from)) * ((values[at + 1] as number) - value)
      : NaN;
  });
}

/** `0.62 ± 0.03`, or with both bounds where they are not equally far. */
export function withErrorText(text: string, value: number, [low, high]: readonly [low: number, high: number]): string {
  const [below, above] = [value - low, high - value];
  if (!Number.isFinite(below) || !Number.isFinite(above)) return text;
  const isEven = Math.abs(above - below) <= 0.02 * Math.max(Math.abs(above), Math.abs(below));
  if (!isEven) return `${text} (${valueText(low)} … ${valueText(high)})`;
  return `${text} ± ${valueText(Number(((above + below) / 2).toPrecision(2)))}`;
}
