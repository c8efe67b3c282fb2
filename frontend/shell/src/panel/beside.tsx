/** What stands next to a name in the list: the bar of a run's value, or the line of those of a group. */
import type { Run, RunGroup } from '@insight-host/api';
import { usePage } from '../state/page';

interface SparkProps extends Pick<RunGroup, 'color' | 'dash'> {
  /** Of the runs of the group, the smallest first. */
  readonly values: Float64Array;
  /** From the smallest to the largest value of all groups. */
  readonly range: readonly [number, number];
}

const [WIDTH, HEIGHT, INSIDE] = [30, 16, 1]; // pixels
const POINTS = 15; // of a line: those of more runs are too near to each other

/** The values of a group in the order of their size, as a small line; a flat one of one run. */
export function Spark({ color, dash, values, range: [low, high] }: SparkProps) {
  const last = values.length - 1;
  const count = Math.min(POINTS, Math.max(2, values.length));
  const points = Array.from({ length: count }, (_, at) => {
    const value = values[Math.round((at / (count - 1)) * last)] ?? NaN;
    const share = high > low ? (value - low) / (high - low) : 0.5;
    const x = INSIDE + (at / (count - 1)) * (WIDTH - 2 * INSIDE);
    return `${x.toFixed(1)},${(HEIGHT - INSIDE - share * (HEIGHT - 2 * INSIDE)).toFixed(1)}`;
  });
  return (
    <svg class="ih-spark" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <polyline points={points.join(' ')} stroke={color} stroke-dasharray={dash.join(' ')} />
    </svg>
  );
}

/** The value of a run in the column that the list is sorted by. */
export function Beside({ run }: { readonly run: Run }) {
  const metric = usePage().runs.metric.value;
  if (!metric) return null;
  const share = metric.shareOf(metric.valueOf(run.name));
  return (
    <span class="ih-run-metric" title={metric.title}>
      {metric.textOf(run.name)}
      {share !== null && (
        <i class="ih-bar">
          <b style={{ background: run.color, width: `${100 * share}%` }} />
        </i>
      )}
    </span>
  );
}
