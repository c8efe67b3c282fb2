import { expect, it } from 'vitest';
import { SvgPainter } from '../draw/files';
import { palette } from '../draw/painter';
import { draw } from './drawing';
import { extremes } from './extent';
import { figure } from './figure';
import type { Line, LineChartProps } from './props';

const COLOR = '#123456';
const line = (y: readonly number[], by: readonly number[]): Line => ({
  id: 'a',
  label: 'a',
  color: COLOR,
  x: y.map((_, i) => i),
  y,
  band: {
    low: y.map((value, i) => value - (by[i] as number)),
    high: y.map((value, i) => value + (by[i] as number)),
    bars: true,
  },
});

function drawn(of: Line, more: Partial<LineChartProps> = {}): { readonly bars: number; readonly bands: number } {
  const props: LineChartProps = {
    ...{ lines: [of], xKind: 'step', xLabel: 'step', yLabel: '', title: '', description: '', locale: 'en', ...more },
    theme: { mode: 'light', token: () => '' },
  };
  const painter = new SvgPainter(480, 300, '', '');
  const size = { width: 480, height: 300, ratio: 1, labelled: false };
  draw(figure(props, { x: props.xWindow ?? null, y: null }, size), painter, palette(props.theme));
  const found = new DOMParser().parseFromString(painter.toString(), 'application/xml');
  return {
    bars: found.querySelectorAll(`line[stroke="${COLOR}"]`).length,
    bands: found.querySelectorAll(`polygon[fill="${COLOR}"], path[fill="${COLOR}"]`).length,
  };
}

it('each point has a bar with two caps, where its error is known', () => {
  expect(drawn(line([1, 2, 3], [0.1, NaN, 0.3]))).toEqual({ bars: 6, bands: 0 });
});

it('a single point has its bar', () => expect(drawn(line([1], [0.1]))).toEqual({ bars: 3, bands: 0 }));

it('points too close for bars have a band, and bars again in a window with fewer of them', () => {
  const many = line(
    Array.from({ length: 500 }, (_, i) => Math.sin(i)),
    new Array<number>(500).fill(0.2),
  );
  expect(drawn(many)).toEqual({ bars: 0, bands: expect.toSatisfy((count: number) => count > 0) });
  expect(drawn(many, { xWindow: [10, 20] })).toEqual({ bars: 3 * 11, bands: 0 });
});

it('a bar that a logarithmic axis has no lower end for goes on to the bottom', () =>
  expect(drawn(line([1, 2], [2, 0.5]), { logY: true })).toEqual({ bars: 5, bands: 0 }));

it('the axis has room for the bars', () => expect(extremes([line([1, 2], [3, 1])], [0, 1], false)).toEqual([-2, 4]));
