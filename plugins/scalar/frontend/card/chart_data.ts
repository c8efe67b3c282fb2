import { isoTime } from '@insight-host/kit/draw';
import type { ChartData, Value } from '@insight-host/kit/table';
import { exactAt } from '@insight-host/kit';
import type { Mark } from '@insight-host/kit/lines';
import type { Picture } from '../feed/feed';
import { xColumn, type Band, type Series } from '../feed/series';

/**
 * What a card draws, as a table: a row for each point of each series, or of each band of a group. `say` gives the texts
 * of heads. Marks are rows of their own, with their text in a last column.
 */
export function chartData(
  picture: Picture,
  say: (key: string) => string,
  marks: readonly Mark[] = [],
  xName = say(`x.${picture.query.x}`),
): ChartData {
  const { head, rows } = points(picture, say, xName);
  if (marks.length === 0) return { head, rows };
  const [x, place] = [timeOf(picture), head.indexOf(xName)];
  const markRows = marks.map((mark) => [...head.map((_, i) => (i === place ? x(mark.x) : null)), mark.text]);
  return { head: [...head, say('table.mark')], rows: [...rows.map((row) => [...row, null]), ...markRows] };
}

/** How a table shows an x of a picture. */
function timeOf({ query }: Picture): (x: number) => Value {
  return query.x === 'wall' ? (x) => isoTime(x) ?? x : (x) => x;
}

function points(picture: Picture, say: (key: string) => string, x: string): ChartData {
  const { query, layers } = picture;
  const time = timeOf(picture);
  const bands = layers.flatMap((layer) => layer.bands);
  if (bands.length > 0) {
    const of = (band: Band): Value[][] =>
      Array.from(band.x, (at, i) => [
        band.group,
        band.tag,
        time(at),
        band.low[i] ?? null,
        band.centre[i] ?? null,
        band.high[i] ?? null,
        band.count[i] ?? null,
      ]);
    return {
      head: [
        say('tooltip.group'),
        say('table.tag'),
        x,
        say('chart.low'),
        say(`chart.${query.group?.centre ?? 'mean'}`),
        say('chart.high'),
        say('tooltip.runs'),
      ],
      rows: bands.flatMap(of),
    };
  }
  const isSmoothed = query.smoothing > 0;
  const rowsOf = (series: Series, raw: Series | undefined): Value[][] => {
    const xs = xColumn(series, query.x);
    // Points of both are the same, unless new ones came between two answers.
    const isSame = raw !== undefined && raw.steps.length === series.steps.length;
    return Array.from(series.values, (value, i) => [
      series.run,
      series.tag,
      query.x === 'step' ? exactAt(xs, i) : time(xs[i] as number),
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
