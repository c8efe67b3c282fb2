import type { JSX } from 'preact';
import { mainLines, type Lines } from './lines';

const MOST = 60;

/** Which colour is which line, for cards whose colours stand nowhere else on the page. */
export function Legend({ lines }: { readonly lines: Lines }): JSX.Element | null {
  const all = mainLines(lines);
  if (all.length === 0) return null;
  return (
    <div class="legend" data-testid="legend">
      {all.slice(0, MOST).map((line) => (
        <span key={line.id} title={line.label}>
          <i class={line.dash ? 'dashed' : ''} style={{ backgroundColor: line.color }} />
          <em>{line.label}</em>
        </span>
      ))}
      {all.length > MOST && <span>+{all.length - MOST}</span>}
    </div>
  );
}
