import { valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { select, type EmbeddingParts } from './board';

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
