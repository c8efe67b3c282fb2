import { TableButton } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Column } from '@insight-host/kit/runs';
import type { LineageParts } from './board';
import { bucketsOf, edgeText } from './buckets';
import { distributionTable } from './chart_tables';

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
