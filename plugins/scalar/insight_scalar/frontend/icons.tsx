import { Glyph } from '@insight-host/kit';
import type { JSX } from 'preact';

const PATHS = {
  threshold: 'M2 10.5h2M6 10.5h4M12 10.5h2M2.5 13 6 5l3.5 4 4-6.5',
  pair: 'M2.5 2v12M13.5 2v12M4 11c2.5 0 3-6 8-6',
} as const;

/** Drawings that only this tab has. */
export function Drawing({ name }: { readonly name: keyof typeof PATHS }): JSX.Element {
  return <Glyph path={PATHS[name]} />;
}

/** An arrow along the axis that the word `log` stands at. */
export function LogIcon({ axis }: { readonly axis: 'x' | 'y' }): JSX.Element {
  const across = axis === 'x';
  return (
    <svg
      class="icon"
      viewBox={across ? '0 0 16 16' : '0 0 21 16'}
      width={across ? 14 : 18.4}
      height="14"
      aria-hidden="true"
    >
      <path
        d={
          across
            ? 'M2 13.2h12M4.2 11 2 13.2l2.2 2.2M11.8 11l2.2 2.2-2.2 2.2'
            : 'M2.6 2v12M.6 4.2 2.6 2l2 2.2M.6 11.8l2 2.2 2-2.2'
        }
      />
      <text x={across ? 8 : 13.5} y={across ? 8.4 : 11} text-anchor="middle">
        log
      </text>
    </svg>
  );
}
