import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
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

interface LegendProps {
  readonly lines: Lines;
  /** What the whole of it is, for screen readers. */
  readonly label: string;
}

/** Which colour is which line, for cards whose colours stand nowhere else on the page. */
export function Legend({ lines, label }: LegendProps): JSX.Element | null {
  const all = mainLines(lines);
  const entries = useRef<HTMLDivElement>(null);
  const below = useSignal(0); // lines for which a card has no room
  useLayoutEffect(() => {
    const { current: element } = entries;
    if (!element) return;
    const count = (): void => {
      const { bottom } = element.getBoundingClientRect();
      below.value = [...element.children].filter((entry) => entry.getBoundingClientRect().top >= bottom - 1).length;
    };
    count();
    const observer = new ResizeObserver(count);
    observer.observe(element);
    return () => observer.disconnect();
  }, [lines]);
  if (all.length === 0) return null;
  const more = Math.max(0, all.length - MOST) + below.value;
  return (
    <div class="legend" data-testid="legend">
      <div class="entries" role="group" tabIndex={0} aria-label={label} ref={entries}>
        {all.slice(0, MOST).map((line) => (
          <span
            key={line.id}
            title={line.label}
            {...(line.runs?.length === 1 ? { 'data-hover-run': line.runs[0] } : {})}
          >
            <Sample color={line.color} dash={line.dash ?? []} />
            <em>{line.label}</em>
          </span>
        ))}
      </div>
      {more > 0 && (
        <span
          class="more"
          title={all
            .slice(-more)
            .map((line) => line.label)
            .join('\n')}
        >
          +{more}
        </span>
      )}
    </div>
  );
}
