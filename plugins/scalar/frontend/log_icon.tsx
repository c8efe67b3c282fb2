import type { JSX } from 'preact';

/** An arrow along the axis that the word `log` stands at. */
export function LogIcon({ axis }: { readonly axis: 'x' | 'y' }): JSX.Element {
  const across = axis === 'x';
  return (
    <svg
      class="ih-icon"
      viewBox={across ? '0 0 16 16' : '0 0 21 16'}
      style={{ width: across ? 14 : 18.4 }}
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
