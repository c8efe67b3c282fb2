import { describe, expect, it } from 'vitest';
import type { Size } from '../draw/area';
import { figure } from './figure';
import type { Line, LineChartProps } from './props';

const size: Size = { width: 400, height: 200, ratio: 1, labelled: false };
const whole = { x: null, y: null };

function line(id: string, values: readonly number[]): Line {
  return { id, label: id, color: 'red', x: values.map((_, step) => step), y: [...values] };
}

function props(lines: readonly Line[]): LineChartProps {
  return {
    lines,
    xKind: 'step',
    xLabel: 'step',
    yLabel: '',
    title: '',
    theme: { mode: 'light', token: () => '' },
    locale: 'en',
    description: '',
  };
}

describe('a line of a chart that grows', () => {
  const still = line('still', [0, 4, 8, 9]);
  const grown = (count: number): Line => line('grown', [9, 5, 3, 1].slice(0, count));
  const entryOf = (lines: readonly Line[], at = size) => figure(props(lines), whole, at).entries[0];

  it('is not traced again where the axes stay and others grow', () => {
    const before = entryOf([still, grown(2)]);
    expect(entryOf([still, grown(3)])).toBe(before);
    expect(entryOf([line('still', [0, 4, 8, 9]), grown(3)])).not.toBe(before);
  });

  it.each<{ what: string; other: readonly Line[]; at?: Size }>([
    { what: 'steps', other: [line('longer', [0, 1, 2, 3, 4, 5])] },
    { what: 'values', other: [line('higher', [0, 1, 2, 90])] },
    { what: 'pixels', other: [grown(2)], at: { ...size, width: 500 } },
    { what: 'pixels of the device', other: [grown(2)], at: { ...size, ratio: 2 } },
  ])('is traced again where there are more $what', ({ other, at }) => {
    const before = entryOf([still, grown(2)]);
    const after = entryOf([still, ...other], at);
    expect(after).not.toBe(before);
    const fresh = entryOf([line('still', [0, 4, 8, 9]), ...other], at);
    expect(after?.trace).toEqual(fresh?.trace);
  });
});
