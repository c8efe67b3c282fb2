import type { JSX } from 'preact';
import type { Column } from '@insight-host/kit/runs';
import type { LineageParts } from './board';

const MOST = 8;

/** What the colours mean, when they are those of a column. */
export function Legend({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const { axis, palette } = board.coloring.value;
  if (!axis) return null;
  const { column, categories } = axis;
  if (axis.scale === 'category') {
    return (
      <span class="legend" data-testid="color-legend">
        {categories.slice(0, MOST).map((text, at) => (
          <span key={text} class="entry" title={text}>
            <span class="dot" style={{ background: palette[at % (palette.length - 1)] }} />
            {text}
          </span>
        ))}
        {categories.length > MOST && <span class="count">+{categories.length - MOST}</span>}
      </span>
    );
  }
  const stops = palette.slice(0, -1).join(', ');
  return (
    <span class="legend" data-testid="color-legend" title={column.name}>
      <span class="entry">{column.title}</span>
      <span>{short(column, axis.valueAt(0))}</span>
      <span class="ramp" style={{ background: `linear-gradient(90deg, ${stops})` }} />
      <span>{short(column, axis.valueAt(1))}</span>
    </span>
  );
}

/** A bound in few letters; moments are whole. */
const short = (column: Column, value: number): string =>
  column.numberText(column.name === 'start_time' ? value : Number(value.toPrecision(4)));
