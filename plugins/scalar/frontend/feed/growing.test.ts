import { describe, expect, it } from 'vitest';
import { continuations, mergeColumns } from './growing';
import type { Series } from './series';
import type { SeriesQuery } from './query';
import { fakeSeries, seriesQuery as query } from './fake_board';

const long = (last: number, more: Partial<Series> = {}): Series =>
  fakeSeries([0, 10, last - 5, last], [1, 2, 3, 4], {
    points: last + 1,
    decimated: true,
    total: last + 1,
    kept: last + 1,
    origin: 0,
    ...more,
  });

describe('a series of which points were left out', () => {
  it('is fetched once in columns that stay, then by its last columns', () => {
    const [first] = continuations(query, [long(5000)]);
    expect(first?.more).toMatchObject({ width: 125 });
    const until = first?.more['to'] as number;
    expect(until).toBeGreaterThan(5000 * 1.04);
    expect(until / 125).toBeLessThanOrEqual(5000 / 100);
    const on = first?.take(long(5003)) as Series;
    expect(on.grid).toEqual({ until, width: 125 });
    const [second] = continuations(query, [on]);
    expect(second?.more).toEqual({ to: until, width: 125, since: 5003 - (2 * until) / 125 });
    const tail = long(5004, {
      steps: Float64Array.of(4990, 5004),
      wallTimes: Float64Array.of(4990, 5004),
      values: Float64Array.of(7, 8),
    });
    const merged = second?.take(tail);
    expect([...(merged?.steps ?? [])]).toEqual([0, 10, 4990, 5004]);
    expect([...(merged?.values ?? [])]).toEqual([1, 2, 7, 8]);
    expect(merged).toMatchObject({ total: 5005, grid: { until, width: 125 } });
  });

  it('is fetched again when it has outgrown its columns', () => {
    const [first] = continuations(query, [long(5000)]);
    const until = first?.more['to'] as number;
    expect(first?.take(long(Math.ceil(until) + 1))).toBeNull();
    const on = first?.take(long(5001)) as Series;
    expect(mergeColumns(on, long(Math.ceil(until) + 1), 4900)).toBeNull();
    expect(mergeColumns(on, long(Math.floor(until)), 4900)).not.toBeNull();
    const [next] = continuations(query, [
      { ...on, steps: Float64Array.of(0, Math.ceil(until)), extent: [0, Math.ceil(until)] },
    ]);
    expect(next?.more).not.toHaveProperty('since');
    expect(next?.more['to']).toBeGreaterThan(until);
  });

  it('shares a request with series of its length', () => {
    const names = (olds: Series[]): unknown[] => continuations(query, olds).map(({ runs }) => runs);
    expect(names([long(5000), long(5002, { run: 's' }), long(9000, { run: 'u' })])).toEqual([['r', 's'], ['u']]);
  });

  it.each<[string, Partial<SeriesQuery>, Partial<Series>]>([
    ['over time', { x: 'relative' }, {}],
    ['on a log axis', { logX: true }, {}],
    ['in a window', { window: [0, 100] }, {}],
    ['with attempts in it', {}, { breaks: [3] }],
    ['of which a sample is kept', {}, { kept: 100 }],
    ['hardly longer than what is shown whole', {}, { points: 450 }],
  ])('is fetched again %s', (_, other, more) => {
    expect(continuations({ ...query, ...other }, [long(5000, more)])).toEqual([]);
  });

  it.each<[string, Partial<Series>]>([
    ['restarted', { restarts: [7] }],
    ['hid points', { hidden: 1 }],
    ['began at another time', { origin: 1 }],
    ['began at another step', { extent: [1, 5001] }],
    ['lost points', { points: 4000 }],
    ['left out points', { kept: 5000 }],
    ['is short again', { decimated: false }],
  ])('is fetched again when it %s', (_, more) => {
    const old = { ...long(5000), grid: { until: 6000, width: 125 } };
    expect(mergeColumns(old, long(5001), 4900)).not.toBeNull();
    expect(mergeColumns(old, long(5001, more), 4900)).toBeNull();
  });
});
