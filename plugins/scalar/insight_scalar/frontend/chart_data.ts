import type { ChartData, Value } from '@insight-host/kit/table';
import type { Picture } from './feed';
import { xColumn, type Band, type Series } from './series';

/**
 * What a card draws, as a table: a row for each point of each series, or of each band of a group. `say` gives the texts
 * of heads.
 */
export function chartData({ query, layers }: Picture, say: (key: string) => string): ChartData {
  const isWall = query.x === 'wall';
  const timeOf = (x: number): Value => (isWall ? new Date(x * 1000).toISOString() : x);
  const x = say(`x.${query.x}`);
  const bands = layers.flatMap((layer) => layer.bands);
  if (bands.length > 0) {
    const of = (band: Band): Value[][] =>
      Array.from(band.x, (at, i) => [
        band.group,
        band.tag,
        timeOf(at),
        band.low[i] ?? null,
        band.mean[i] ?? null,
        band.high[i] ?? null,
      ]);
    return {
      head: [say('tooltip.group'), say('table.tag'), x, say('chart.low'), say('chart.mean'), say('chart.high')],
      rows: bands.flatMap(of),
    };
  }
  const isSmoothed = layers.some((layer) => layer.raw !== null);
  const rowsOf = (series: Series, raw: Series | undefined): Value[][] => {
    const xs = xColumn(series, query.x);
    // Points of both are the same, unless new ones came between two answers.
    const isSame = raw !== undefined && raw.steps.length === series.steps.length;
    return Array.from(series.values, (value, i) => [
      series.run,
      series.tag,
      timeOf(xs[i] as number),
      ...(isSmoothed ? [value, isSame ? (raw.values[i] as number) : null] : [value]),
    ]);
  };
  const rows = layers.flatMap(({ main, raw }) =>
    main.flatMap((series) =>
      rowsOf(
        series,
        raw?.find(({ run, tag }) => run === series.run && tag === series.tag),
      ),
    ),
  );
  return {
    head: [
      say('tooltip.run'),
      say('table.tag'),
      x,
      ...(isSmoothed ? [say('tooltip.smoothed')] : []),
      say('tooltip.value'),
    ],
    rows,
  };
}
