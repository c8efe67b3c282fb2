import { expect, it } from 'vitest';
import { Column } from '@insight-host/kit/runs';
import { axisOf } from './axes';
import { coloredAlong, coloredAsRuns, ownColors } from './coloring';

const VALUES = [1, null, 3, 2];
const axis = axisOf(
  new Column({ name: 'acc', title: 'acc', group: 'metric', type: 'float', count: 3 }, VALUES),
  undefined,
);
const look = (color: string) => ({ color, dash: [] });

it('says that nobody has chosen the target, by which many runs are coloured', () => {
  const { palette, codes, bar } = coloredAlong(axis, 'light');
  expect(bar).toMatchObject({ column: axis.column, low: 1, high: 3, isDefault: true });
  expect(palette[codes[1] as number]).toBe('rgb(140 148 158)'); // without a value
  expect([codes[0], codes[2]]).toEqual([0, palette.length - 2]);
});

it('has a bar with the colours of the runs where their values are, and none for texts', () => {
  const looks = ['blue', 'gray', 'red', 'green'].map(look);
  expect(coloredAsRuns(looks, axis).bar?.stops).toEqual(['blue 0.0%', 'green 50.0%', 'red 100.0%']);
  expect(coloredAsRuns(looks, axisOf(axis.column, 'category')).bar).toBeNull();
});

it('gives thousands of runs one colour', () => {
  const looks = Array.from({ length: 2000 }, (_, at) => look(`rgb(${at} 0 0)`));
  expect(ownColors(looks, 'dark').palette).toHaveLength(1);
  expect(ownColors(looks.slice(0, 5), 'dark').palette).toHaveLength(5);
});
