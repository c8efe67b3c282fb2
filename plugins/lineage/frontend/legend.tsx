import type { JSX } from 'preact';
import type { Column } from '@insight-host/kit/runs';
import type { LineageParts } from './board';

/** What the colours mean, when they follow numbers; of groups and texts the run panel is the legend. */
export function Legend({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const { bar } = board.coloring.value;
  if (!bar) return null;
  const { t: say } = board.page;
  const { column, low, high, stops, isDefault } = bar;
  return (
    <span
      class="legend"
      data-testid="color-legend"
      title={isDefault ? say('color.default.hint', { column: column.name }) : column.name}
    >
      <span class="entry">{isDefault ? say('color.default', { column: column.title }) : column.title}</span>
      <span>{short(column, low)}</span>
      <span class="ramp" style={{ background: `linear-gradient(90deg, ${stops.join(', ')})` }} />
      <span>{short(column, high)}</span>
    </span>
  );
}

/** A bound in few letters; moments are whole. */
const short = (column: Column, value: number): string =>
  column.numberText(column.name === 'start_time' ? value : Number(value.toPrecision(4)));
