import { describe, expect, it } from 'vitest';
import { abbreviated } from '../draw/legend';
import { estimatedWidth } from '../draw/painter';
import { endLabels } from './end_labels';
import { figure } from './figure';
import type { Line, LineChartProps } from './props';

const size = { width: 420, height: 240, ratio: 1, labelled: false };
const whole = { x: null, y: null };
const line = (label: string, y: readonly number[], more: Partial<Line> = {}): Line => ({
  id: label,
  label,
  color: '#336699',
  x: y.map((_, at) => at),
  y,
  ...more,
});
const chart = (lines: readonly Line[], more: Partial<LineChartProps> = {}): LineChartProps => ({
  lines,
  showsEnds: true,
  xKind: 'step',
  xLabel: 'step',
  yLabel: 'loss',
  title: 'loss',
  theme: { mode: 'light', token: () => '' },
  locale: 'en',
  description: '',
  ...more,
});
const laidOut = (props: LineChartProps, width = size.width) => figure(props, whole, { ...size, width });
const few = ['adam', 'sgd', 'lamb', 'lion', 'muon', 'rmsprop'].map((name, at) => line(name, [3, 1 + at / 1000]));

describe('names at the ends of lines', () => {
  it('are a row apart, in the order of the ends, within the plot and the picture', () => {
    const found = laidOut(chart(few));
    const labels = endLabels(found);
    expect(labels.map(({ text }) => text).sort()).toEqual(few.map(({ label }) => label).sort());
    for (const [at, { y, end, text }] of labels.entries()) {
      expect(y).toBeGreaterThanOrEqual(found.plot.top);
      expect(y).toBeLessThanOrEqual(found.plot.top + found.plot.height);
      if (at > 0) expect(y - (labels[at - 1]?.y ?? 0)).toBeGreaterThanOrEqual(13 - 1e-9);
      if (at > 0) expect(end[1]).toBeGreaterThanOrEqual(labels[at - 1]?.end[1] ?? 0);
      expect(found.plot.left + found.plot.width + 6 + estimatedWidth(text, 11)).toBeLessThanOrEqual(size.width);
    }
  });

  it('stand at the value where a line leaves the plot, or where it ends before', () => {
    const props = chart([line('a', [0, 10]), line('b', [5, 5, 5, 5]), line('c', [0, 1, 2, 9], { breaks: [3] })]);
    const found = figure(props, { x: [0, 2.5], y: [0, 10] }, size);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => endLabels(found).find(({ text }) => text === name)?.end);
    expect(a?.[0]).toBeCloseTo(found.x.toPixel(1));
    expect(a?.[1]).toBeCloseTo(found.y.toPixel(10));
    expect(b?.[0]).toBeCloseTo(found.x.toPixel(2.5));
    expect(b?.[1]).toBeCloseTo(found.y.toPixel(5));
    expect(c?.[1]).toBeCloseTo(found.y.toPixel(2));
  });

  it('are not there for one line, for many, next to a right axis, in a small chart or unless they are wanted', () => {
    const none = [
      laidOut(chart(few.slice(0, 1))),
      laidOut(chart([...few, line('more', [1, 2])])),
      laidOut(chart([...few.slice(0, 2), line('right', [1, 2], { axis: 'right' })])),
      laidOut(chart(few), 280),
      laidOut(chart(few, { showsEnds: false })),
    ];
    for (const one of none) expect(endLabels(one)).toEqual([]);
    expect(none[1]?.plot.width).toBe(420 - 54 - 14);
  });

  it('leave out raw lines and lines without a point in view', () => {
    const props = chart([line('raw', [3, 3], { role: 'raw' }), ...few.slice(0, 2), line('gone', [NaN, NaN])]);
    const found = endLabels(laidOut(props)).map(({ text }) => text);
    expect(found.sort()).toEqual(['adam', 'sgd']);
  });
});

describe('abbreviated names', () => {
  it('leave out what all begin and end with, up to a separator', () => {
    expect(abbreviated(['lr=0.1 · adam', 'lr=0.01 · adam', 'lr=0.3 · adam'], 200)).toEqual(['0.1', '0.01', '0.3']);
    expect(abbreviated(['exp/run_a', 'exp/run_b'], 200)).toEqual(['a', 'b']);
    expect(abbreviated(['a', 'a'], 200)).toEqual(['a', 'a']);
    expect(abbreviated(['run', 'run_2'], 200)).toEqual(['run', 'run_2']);
    expect(abbreviated(['only_one'], 200)).toEqual(['only_one']);
  });

  it('are cut where they do not differ', () => {
    const names = ['base', 'seed1_of_a_very_long_experiment_name', 'seed2_of_a_very_long_experiment_name'];
    const found = abbreviated(names, 60);
    expect(new Set(found).size).toBe(3);
    for (const name of found) expect(estimatedWidth(name, 11)).toBeLessThanOrEqual(60);
    const others = abbreviated(['a_very_long_experiment_name_x', 'a_very_long_experiment_nime_x2', '实验'], 60);
    expect(new Set(others).size).toBe(3);
  });
});
