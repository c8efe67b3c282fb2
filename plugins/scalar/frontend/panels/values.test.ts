import { describe, expect, it } from 'vitest';
import { along, marginOf } from '../card/bounds';
import { fakeSeries } from '../feed/fake_board';
import { binsOf } from './bars';
import { barsOf } from './drawn_bars';
import { metricOf, textOf } from './choice';
import { resized, resizedBy, spanOn } from './frame';
import { axisOf } from './plot';
import { namesOf, pointsOf, withoutPlace } from './scatter';

describe('metrics', () => {
  it('are named by texts', () => {
    for (const text of ['last/loss', 'min/a/b c', 'column/lineage/lr']) expect(textOf(metricOf(text)!)).toBe(text);
    expect([undefined, '', 'last/', 'mean/loss', 'loss'].map(metricOf)).toEqual([null, null, null, null, null]);
  });
});

describe('bars', () => {
  it('stand for finite values, the largest first', () => {
    const values = new Map<string, number | string>([
      ['a', 1],
      ['b', NaN],
      ['c', 3],
      ['d', Infinity],
      ['e', 'text'],
      ['f', -2],
    ]);
    expect(barsOf(values).map(({ run }) => run)).toEqual(['c', 'a', 'f']);
  });
});

describe('a scatter', () => {
  it('has runs with both values', () => {
    const [x, y] = [
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 5],
        ['c', 6],
      ]),
    ];
    expect(pointsOf(x, y)).toEqual([{ run: 'b', x: 2, y: 5 }]);
  });

  it('gives texts places by name, and numbers none', () => {
    expect(namesOf(['sgd', 'adam', 'sgd'])).toEqual(['adam', 'sgd']);
    expect(namesOf([1, 2])).toBeUndefined();
    const axis = axisOf([NaN], { range: [0, 200], log: false, label: '', names: ['adam', 'sgd'] });
    expect([axis.scale.toPixel(0), axis.scale.toPixel(1)]).toEqual([50, 150]);
  });

  it('abbreviates texts to where they differ, in the room that each has', () => {
    const names = ['resnet_small_with_dropout', 'resnet_large_with_dropout', 'vit_large_with_dropout'];
    const ranges = [
      [200, 0],
      [0, 210],
    ] as const; // upwards, and along x
    for (const range of ranges) {
      const texts = axisOf([], { range, log: false, label: '', names }).ticks.flatMap(({ label }) => label || []);
      expect(texts.length).toBeGreaterThan(1);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.join()).not.toContain('dropout');
    }
  });

  it('names several values of an axis that is short and upright', () => {
    const axis = axisOf([0.11, 0.27], { range: [170, 0], log: false, label: '' });
    expect(axis.ticks.map(({ label }) => label)).toEqual(['0.15', '0.20', '0.25']);
  });

  it('leaves room beside the values, by factors on a logarithmic axis', () => {
    const axis = axisOf([0.001, 0.1, 0, NaN], { range: [0, 100], log: true, label: '' });
    const [low, high] = axis.scale.domain;
    expect(low).toBeLessThan(0.001);
    expect(low).toBeGreaterThan(0.0005);
    expect(high).toBeGreaterThan(0.1);
  });

  it('has an axis for values whose quotient overflows', () => {
    for (const values of [[1e-300, 1e20], [5e-324], [5e-324, 1.7e308]]) {
      const { domain } = axisOf(values, { range: [0, 100], log: true, label: '' }).scale;
      expect([domain[0] > 0, Number.isFinite(domain[1])]).toEqual([true, true]);
    }
  });

  it('counts runs that have no place on its axes', () => {
    const points = [
      { run: 'a', x: 1, y: 2 },
      { run: 'b', x: NaN, y: 2 },
      { run: 'c', x: 1, y: 0 },
    ];
    expect([withoutPlace(points, {}), withoutPlace(points, { logY: true })]).toEqual([1, 2]);
    const named = [...points, { run: 'd', x: 'sgd', y: 1 }]; // now NaN is a name, too
    expect(withoutPlace(named, { logX: true })).toBe(0);
  });
});

describe('a histogram', () => {
  it('counts every finite value once, the largest too', () => {
    const values = Array.from({ length: 100 }, (_, i) => i);
    const bins = binsOf([...values, NaN, Infinity]);
    expect(bins).toHaveLength(10);
    expect(bins.map(({ count }) => count)).toEqual(Array.from({ length: 10 }, () => 10));
    expect([bins[0]?.from, bins.at(-1)?.to]).toEqual([0, 99]);
  });

  it('has one bin around equal values, and none without values', () => {
    expect(binsOf([3, 3]).map(({ count }) => count)).toEqual([2]);
    expect(binsOf([NaN])).toEqual([]);
    expect(binsOf([-1, 0], true)).toEqual([]);
  });

  it('has bins of one ratio on a logarithmic axis', () => {
    const ratios = binsOf([0.001, 0.01, 0.1, 1], true).map(({ from, to }) => to / from);
    for (const ratio of ratios) expect(ratio).toBeCloseTo(ratios[0] as number, 9);
  });
});

describe('a band from other tags', () => {
  const x = Float64Array.from([0, 5, 10, 15, 20, 30]);

  it('lies along the steps of the line, between its points, and nowhere beyond them', () => {
    const edge = fakeSeries([0, 10, 20], [1, 2, 4]);
    expect([...along(edge, x)]).toEqual([1, 1.5, 2, 3, 4, NaN]);
  });

  it('goes back with the steps of a restart', () => {
    const edge = fakeSeries([0, 10, 20], [1, 2, 4]);
    expect([...along(edge, Float64Array.from([10, 20, 5]))]).toEqual([2, 4, 1.5]);
  });

  it('needs both edges, of the same run', () => {
    const of = (tag: string, run: string) => ({
      tag,
      runs: [run],
      axis: 'left' as const,
      main: [fakeSeries([0, 1], [1, 1], { tag, run })],
      raw: null,
      bands: [],
    });
    const [low, high] = [
      { ...of('l', 'r'), edge: { of: 'v', side: 'low' as const } },
      { ...of('u', 'r'), edge: { of: 'v', side: 'high' as const } },
    ];
    const series = fakeSeries([0, 1], [1, 1], { tag: 'v', run: 'r' });
    expect(marginOf([low, high], series)).toBeDefined();
    expect(marginOf([low], series)).toBeUndefined();
    expect(marginOf([low, high], { ...series, run: 'other' })).toBeUndefined();
    expect(marginOf([low, high], { ...series, tag: 'w' })).toBeUndefined();
  });
});

describe('the size of a panel', () => {
  it('follows the pointer in twelfths and even heights, from what it takes now', () => {
    expect(resized({ width: 4, height: 280 }, 330, 33, 1188)).toEqual({ width: 7, height: 320 });
    expect(resized({ width: 1, height: 280 }, 0, -1000, 400)).toEqual({ width: 9, height: 120 });
    expect(resized({ width: 4, height: 280 }, 9999, 9999, 1188)).toEqual({ width: 12, height: 1600 });
  });

  it('follows arrow keys, and other keys not', () => {
    expect(resizedBy('ArrowRight', { width: 4, height: 280 })).toEqual({ width: 5, height: 280 });
    expect(resizedBy('ArrowUp', { width: 4, height: 280 })).toEqual({ width: 4, height: 260 });
    expect(resizedBy('End', { width: 4, height: 280 })).toEqual({ width: 12, height: 280 });
    expect(resizedBy('a', { width: 4, height: 280 })).toBeNull();
  });

  it('is never too narrow to read, and at most the board', () => {
    expect([spanOn(1600, 2), spanOn(1600, 6), spanOn(320, 2)]).toEqual([3, 6, 11]);
    expect(spanOn(200, 2)).toBe(12);
  });
});
