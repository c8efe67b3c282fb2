import type { JSX } from 'preact';

export interface LegendEntry {
  readonly key: string;
  readonly color: string;
  readonly label: string;
  readonly value?: string;
  readonly share?: string;
}

/** What colours stand for, and how much of each there is. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }): JSX.Element {
  return (
    <ul class="legend-list">
      {entries.map(({ key, color, label, value, share }) => (
        <li key={key} data-category={key}>
          <span class="swatch" style={{ background: color }} />
          <span class="name">{label}</span>
          {value !== undefined && <span class="number">{value}</span>}
          {share !== undefined && <span class="number share">{share}</span>}
        </li>
      ))}
    </ul>
  );
}
