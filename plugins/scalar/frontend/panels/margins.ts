/** Bands whose edges are series of other tags. */
import type { Line } from '@insight-host/kit/lines';
import type { LayerData } from '../feed';
import type { Series } from '../series';

/** The line of a series, with a band if layers of the picture are its edges. */
export function withMargin(line: Line, layers: readonly LayerData[], series: Series): Line {
  const edge = (side: 'low' | 'high'): Series | undefined =>
    layers
      .find((layer) => layer.edge?.of === series.tag && layer.edge.side === side)
      ?.main.find(({ run }) => run === series.run);
  const [low, high] = [edge('low'), edge('high')];
  return low && high ? { ...line, band: { low: along(low, series.steps), high: along(high, series.steps) } } : line;
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
