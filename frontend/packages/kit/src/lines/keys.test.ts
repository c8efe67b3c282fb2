// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { figure } from './figure';
import { listenToKeys } from './pointer';
import type { LineChartProps } from './props';

function readings(xs: readonly number[], keys: readonly string[], xWindow: readonly [number, number] | null = null) {
  const props: LineChartProps = {
    lines: [{ id: 'a', label: 'a', color: '#000', x: Float64Array.from(xs), y: new Float64Array(xs.length) }],
    xKind: 'step',
    xLabel: 'x',
    yLabel: 'y',
    title: 't',
    theme: { mode: 'light', token: () => '#000' },
    locale: 'en',
    description: 'd',
  };
  const drawn = figure(props, { x: xWindow, y: null }, { width: 400, height: 200, ratio: 1, labelled: false });
  const element = document.body.appendChild(document.createElement('div'));
  const read: number[] = [];
  const stop = listenToKeys(element, {
    figure: () => drawn,
    tool: () => 'box',
    look: () => undefined,
    select: () => undefined,
    point: (at) => void (at && read.push(Math.round(10 * drawn.x.toValue(at[0])) / 10)),
    click: () => undefined,
  });
  for (const key of keys) element.dispatchEvent(new KeyboardEvent('keydown', { key }));
  stop();
  return read;
}

it.each([
  { named: 'from zero', xs: [0, 1, 2] },
  { named: 'to zero', xs: [-2, -1, 0] },
  { named: 'of wall times', xs: [1.7e9, 1.7e9 + 1, 1.7e9 + 2] },
])('arrows begin with the first and the last point of an axis $named', ({ xs }) => {
  expect(readings(xs, ['ArrowRight', 'ArrowRight'])).toEqual(xs.slice(0, 2));
  expect(readings(xs, ['ArrowLeft', 'ArrowLeft'])).toEqual(xs.slice(1).reverse());
});

it('arrows begin inside of the window, also with a point that is hardly outside of it', () => {
  const xs = [1.7e9, 1.7e9 + 0.5, 1.7e9 + 1, 1.7e9 + 2];
  expect(readings(xs, ['ArrowRight'], [1.7e9 + 0.8, 1.7e9 + 3])).toEqual([1.7e9 + 1]);
});
