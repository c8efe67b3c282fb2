import type { JSX } from 'preact';
import { mainLines, type Lines } from './lines';

const MOST = 60;

const WIDE = 22; // pixels

/** A piece of a line. */
export function Sample({ color, dash }: { readonly color: string; readonly dash: readonly number[] }): JSX.Element {
  return (
    <svg class="sample" width={WIDE} height="10" aria-hidden="true">
      <line x1="0" x2={WIDE} y1="5" y2="5" stroke={color} stroke-width="3" stroke-dasharray={dash.join(' ')} />
    </svg>
  );
}

/** Which colour is which line, for cards whose colours stand nowhere else on the page. */
export function Legend({ lines }: { readonly lines: Lines }): JSX.Element | null {
  const all = mainLines(lines);
  if (all.length === 0) return null;
  return (
    <div class="legend" data-testid="legend">
      {all.slice(0, MOST).map((line) => (
        <span key={line.id} title={line.label}>
          <Sample color={line.color} dash={line.dash ?? []} />
          <em>{line.label}</em>
        </span>
      ))}
      {all.length > MOST && <span>+{all.length - MOST}</span>}
    </div>
  );
}
