/** What stands beside a name in the list: a value, and a bar for it. */
import type { Run } from '@insight-host/api';
import { usePage } from '../state/page';

/** The bar of a value; of three, the range of a group and its mean. */
export function Bar({ color, shares }: { readonly color: string; readonly shares: readonly (number | null)[] }) {
  const [first, mean, last] = shares;
  if (first === null || first === undefined) return null;
  const percent = (share: number): string => `${100 * share}%`;
  const isRange = mean !== null && mean !== undefined && last !== null && last !== undefined;
  return (
    <i class="ih-bar">
      <b style={{ background: color, width: percent(isRange ? mean : first) }} />
      {isRange && <s style={{ left: percent(first), width: percent(last - first) }} />}
    </i>
  );
}

/** The value of a run in the column that the list is sorted by. */
export function Beside({ run }: { readonly run: Run }) {
  const metric = usePage().runs.metric.value;
  return (
    metric && (
      <span class="ih-run-metric" title={metric.title}>
        {metric.textOf(run.name)}
        <Bar color={run.color} shares={[metric.shareOf(metric.valueOf(run.name))]} />
      </span>
    )
  );
}
