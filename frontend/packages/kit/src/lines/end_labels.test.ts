import { describe, expect, it } from 'vitest';
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

  it('leave out what the names share where they are too long for a part of the chart', () => {
    const shared = ['adam', 'sgd'].map((name) => `exp/a_long_name_that_all_runs_have/${name}`);
    const found = endLabels(laidOut(chart(shared.map((name) => line(name, [1, 2])))));
    expect(found.map(({ text }) => text).sort()).toEqual(['…runs_have/adam', '…runs_have/sgd']);
  });

  it('of groups are their values, with what is between them, where their columns are too long', () => {
    const groups = ['adam', 'sgd'].map((name) => line(`learning_rate=0.1 · optimizer=${name}`, [1, 2]));
    const texts = endLabels(laidOut(chart(groups))).map(({ text }) => text);
    expect(texts.sort()).toEqual(['0.1 · adam', '0.1 · sgd']);
    const short = ['1', '2'].map((rate) => line(`lr=${rate}`, [1, Number(rate)]));
    expect(endLabels(laidOut(chart(short))).map(({ text }) => text)).toEqual(['lr=2', 'lr=1']);
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
