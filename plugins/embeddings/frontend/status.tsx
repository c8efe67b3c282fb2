/** How much of the embedding the picture shows, what of it could not be read, and what the colours mean. */
import { Icon, valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { select, type EmbeddingParts } from './board';

/** How much of the embedding the picture shows, and what of it could not be read. */
export function Status({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const { t: say, reason } = board.page;
  const { source, chosen } = board;
  const { value: points } = source.points;
  const { value: entry } = chosen.entry;
  const axes = board.axes.value.slice(0, board.space.value === 'two' ? 2 : 3);
  const share = points ? axes.reduce((sum, axis) => sum + (points.shares[axis] ?? 0), 0) : 0;
  const problems = [
    ...(entry?.missing.map((missing) => reason(missing)) ?? []),
    ...(board.layouts.error.value ? [board.layouts.error.value] : []),
    ...(source.columnsError.value ? [source.columnsError.value] : []),
    ...(source.spriteError.value ? [say('sprite.failed')] : []),
    ...(chosen.run.value ? (board.lists.byRun.value.get(chosen.run.value.name)?.errors ?? []) : []).map((error) =>
      reason(error),
    ),
  ].filter((problem) => problem !== source.error.value); // which stands in place of the picture
  return (
    <footer data-testid="card-status">
      <span class="counts">
        {points &&
          !source.error.value &&
          [
            say('status.size', { points: points.points, dimensions: points.dimensions }),
            ...layoutTexts(board, share),
            ...(points.not_finite > 0 ? [say('status.not_finite', { count: points.not_finite })] : []),
            ...(board.isolated.value ? [say('status.isolated', { count: board.isolated.value.length })] : []),
          ].join(' · ')}
      </span>
      {problems.map((problem) => (
        <span key={problem} class="flaw" title={problem}>
          <Icon name="warn" />
          {problem}
        </span>
      ))}
    </footer>
  );
}

/** What the places of the points mean. */
function layoutTexts(board: EmbeddingParts, share: number): readonly string[] {
  const { t: say } = board.page;
  const { layouts } = board;
  if (board.method.value === 'pca') return [say('status.share', { percent: (100 * share).toFixed(1) })];
  if (layouts.isComing.value) return [say('status.graph')];
  const { value: progress } = layouts.progress;
  if (!progress) return [];
  const count = layouts.count.value;
  return [
    say('status.steps', { method: say(`method.${board.method.value}`), ...progress }),
    say('status.metric', { metric: say(`metric.${board.metric.value}`) }),
    ...(count < board.size.value ? [say('status.sample', { count })] : []),
  ];
}

const MOST = 12; // labels that are listed

/** What the colours stand for; a press on a label selects its points. */
export function Legend({ board }: { readonly board: EmbeddingParts }): JSX.Element | null {
  const { lines, ramp } = board.coloring.value;
  const column = board.colorColumn.value;
  const { t: say } = board.page;
  if (!column) return null;
  const pick = (label: string): void => {
    const code = column.labels.indexOf(label);
    select(board, Uint32Array.from(column.codes.flatMap((other, point) => (other === code ? [point] : []))));
  };
  return (
    <div class="legend" data-testid="legend" role="group" aria-label={column.name}>
      <strong>{column.name}</strong>
      {ramp && (
        <span class="ramp">
          <span>{valueText(ramp.low)}</span>
          <i style={{ background: `linear-gradient(to right, ${ramp.colors.join(', ')})` }} />
          <span>{valueText(ramp.high)}</span>
        </span>
      )}
      {lines?.slice(0, MOST).map(({ label, color, count }) => (
        <button key={label} type="button" title={say('legend.pick', { label, count })} onClick={() => pick(label)}>
          <i class="dot" style={{ background: color }} />
          <span class="name">{label || say('legend.empty')}</span>
          <span class="counts">{count}</span>
        </button>
      ))}
      {lines && lines.length > MOST && <span class="counts">{say('legend.more', { count: lines.length - MOST })}</span>}
    </div>
  );
}
