/** The numbers that a chart shows, within its window of x. */
import { csvOf, type CsvCell } from '@insight-host/kit';
import { isoTime } from '@insight-host/kit/draw';
import type { Line, LineChartProps } from '@insight-host/kit/lines';

/** Whether a point is in the window. */
export function isSeen({ xWindow }: LineChartProps, x: number): boolean {
  return Number.isFinite(x) && (!xWindow || (x >= xWindow[0] && x <= xWindow[1]));
}

/** Indices of the points of a line that are seen. */
export function seenOf(props: LineChartProps, { x }: Line): number[] {
  return Array.from({ length: x.length }, (_, i) => i).filter((i) => isSeen(props, x[i] as number));
}

/** How many values have no place on a logarithmic axis. */
export function leftOut(props: LineChartProps): number {
  if (!props.logY) return 0;
  const mains = props.lines.filter(({ role }) => role !== 'raw');
  return mains.reduce(
    (sum, line) => sum + seenOf(props, line).filter((i) => isNotPositive(line.y[i] as number)).length,
    0,
  );
}

const isNotPositive = (y: number): boolean => y <= 0 && Number.isFinite(y);

/** A row for each point of each line; `say` gives the texts of heads. */
export function seenCsv(props: LineChartProps, say: (key: string) => string): string {
  const { lines } = props;
  const hasBands = lines.some(({ band }) => band);
  const hasRaw = lines.some(({ role }) => role === 'raw');
  const timeOf = (x: number): CsvCell => (props.xKind === 'wall' ? (isoTime(x) ?? x) : x);
  const head = [
    say('figure.line'),
    props.xLabel || say('limits.x'),
    say('tooltip.value'),
    ...(hasBands ? [say('chart.low'), say('chart.high')] : []),
    ...(hasRaw ? [say('figure.raw')] : []),
  ];
  const rows = lines.flatMap((line) =>
    seenOf(props, line).map((i): CsvCell[] => [
      line.label,
      timeOf(line.x[i] as number),
      line.y[i] as number,
      ...(hasBands ? [line.band?.low[i] ?? null, line.band?.high[i] ?? null] : []),
      ...(hasRaw ? [line.role === 'raw' ? 1 : 0] : []),
    ]),
  );
  return csvOf([head, ...rows]);
}
