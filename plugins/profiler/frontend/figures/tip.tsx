import { Tooltip } from '@insight-host/kit';
import { signal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

export interface TipText {
  readonly title: string;
  readonly lines: readonly (readonly [label: string, value: string, color?: string])[];
}

/** With its place on the screen. */
export interface TipState extends TipText {
  readonly x: number;
  readonly y: number;
}

export const useTip = (): Signal<TipState | null> => useMemo(() => signal<TipState | null>(null), []);

/** The tooltip next to the pointer. */
export function Tip({ tip }: { readonly tip: Signal<TipState | null> }): JSX.Element | null {
  const { value } = tip;
  if (!value) return null;
  return (
    <Tooltip x={value.x} y={value.y}>
      <strong>{value.title}</strong>
      <table>
        <tbody>
          {value.lines.map(([label, text, color]) => (
            <tr key={label}>
              <th>
                {color && <span class="swatch" style={{ background: color }} />} {label}
              </th>
              <td class="number">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Tooltip>
  );
}
