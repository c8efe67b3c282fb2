/** How the values of the target spread over the runs that are shown, and along one parameter. */
import { TableButton } from '@insight-host/kit';
import type { Column } from '@insight-host/kit/runs';
import type { JSX } from 'preact';
import type { CurvePoint } from '../answers';
import type { Axis } from '../axes';
import type { LineageParts } from '../board';
import { bucketsOf, distributionTable, edgeText } from '../chart_tables';
import type { Places } from './scatter';

/** How the values of the target spread over the runs that are shown. */
export function Distribution({
  board,
  target,
}: {
  readonly board: LineageParts;
  readonly target: Column;
}): JSX.Element | null {
  const { t: say } = board.page;
  const { value: rows } = board.rows.shown;
  const buckets = bucketsOf(target.numbers, rows);
  if (buckets.length === 0) return null;
  const most = Math.max(...buckets.map(({ count }) => count));
  const counted = buckets.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure class="distribution" data-testid="distribution">
      <figcaption>
        {say('distribution')}
        <TableButton
          page={board.page}
          name={`${target.name} distribution`}
          title={say('distribution')}
          data={() => distributionTable(board, buckets)}
          load={() => import('@insight-host/kit/table')}
        />
      </figcaption>
      <ol>
        {buckets.map((bucket, at) => {
          const { low, high, count } = bucket;
          return (
            <li
              key={at}
              data-count={count}
              title={say(low === high ? 'distribution.same' : 'distribution.bucket', {
                low: target.numberText(low),
                high: target.numberText(high),
                count,
              })}
            >
              <span class="count">{count.toLocaleString(board.page.locale.value)}</span>
              <span class="bar" style={{ height: `${(44 * count) / most}px` }} />
              <span class="edge">{edgeText(low, bucket)}</span>
              {at === buckets.length - 1 && low !== high && <span class="edge last">{edgeText(high, bucket)}</span>}
            </li>
          );
        })}
      </ol>
      {counted < rows.length && <p class="hint">{say('distribution.missing', { count: rows.length - counted })}</p>}
    </figure>
  );
}

interface Mark {
  readonly x: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

interface MarginalProps {
  readonly curve: readonly CurvePoint[];
  readonly x: Axis;
  readonly y: Axis;
  readonly places: Places;
}

/** The mean of the target at each value of a parameter, with its spread: a band, or a mark for each category. */
export function Marginal({ curve, x, y, places }: MarginalProps): JSX.Element | null {
  const marks = curve.flatMap((point): Mark[] => {
    const place = placeOf(x, point);
    if (place === null) return [];
    const yOf = (value: number): number => places.y(clamped(y.placeOf(value)));
    return [{ x: places.x(place), mean: yOf(point.mean), low: yOf(point.low), high: yOf(point.high) }];
  });
  if (marks.length === 0) return null;
  if (x.scale === 'category')
    return (
      <g class="marginal">
        {marks.map((mark) => (
          <g key={mark.x}>
            <path class="spread" d={`M${mark.x} ${mark.low}V${mark.high}`} />
            <path class="mean" d={`M${mark.x - 9} ${mark.mean}h18`} />
          </g>
        ))}
      </g>
    );
  const line = (side: 'mean' | 'low' | 'high', order = marks): string =>
    order.map((mark) => `${mark.x.toFixed(1)} ${mark[side].toFixed(1)}`).join('L');
  return (
    <g class="marginal">
      <path class="band" d={`M${line('high')}L${line('low', marks.toReversed())}Z`} />
      <path class="mean" d={`M${line('mean')}`} />
    </g>
  );
}

const clamped = (place: number): number => (Number.isNaN(place) ? 0 : Math.max(0, Math.min(1, place)));

/** Where a step of the curve is on an axis; null where it is not on it. */
function placeOf(axis: Axis, { text, from, to }: CurvePoint): number | null {
  if (axis.scale === 'category') {
    const at =
      axis.column.isTextual && from !== null
        ? axis.categories.findIndex((one) => Number(one) === from)
        : axis.categories.indexOf(text ?? (from === null ? '' : axis.column.numberText(from)));
    return at < 0 ? null : axis.placeOf(at);
  }
  if (from === null || to === null) return null;
  const place = (axis.placeOf(from) + axis.placeOf(to)) / 2;
  return Number.isFinite(place) ? clamped(place) : null;
}
