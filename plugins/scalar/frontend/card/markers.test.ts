import type { Marker, Run } from '@insight-host/api';
import type { XKind } from '@insight-host/kit/draw';
import { fakeRun } from '@insight-host/kit/testing';
import { describe, expect, it } from 'vitest';
import { chartData } from './chart_data';
import type { Picture } from '../feed/feed';
import { drawn, MOST_MARKS, placed } from './markers';
import { placeOf } from '../feed/series';
import { cardQuery as query, fakeSeries } from '../feed/fake_board';

const series = fakeSeries([0, 10, 20], [3, 2, 1], { run: 'a', origin: 90 }); // at 100, 110 and 120 s
const picture: Picture = {
  query,
  layers: [{ tag: 't', runs: [], axis: 'left', main: [series], raw: null, bands: [] }],
};
const runs: readonly Run[] = [{ ...fakeRun('a'), color: '#a' }];

describe('marks of plugins', () => {
  it.each<[Pick<Marker, 'step' | 'wallTime'>, XKind, number | undefined]>([
    [{ step: 7 }, 'step', 7],
    [{ step: 7 }, 'wall', 110],
    [{ step: 7 }, 'relative', 20],
    [{ wallTime: 105 }, 'step', 10],
    [{ wallTime: 105 }, 'wall', 105],
    [{ wallTime: 105 }, 'relative', 15],
    [{ step: 7, wallTime: 105 }, 'wall', 105],
    [{ step: 21 }, 'wall', undefined],
    [{ wallTime: 121 }, 'step', undefined],
  ])('%j stands on the axis %s at %s', (marker, kind, x) => {
    expect(placeOf(marker, kind, series)).toBe(x);
  });

  it('have the colour of their run, and are left out with it', () => {
    const markers: Marker[] = [
      { step: 1, text: 'of a', run: 'a' },
      { step: 1, text: 'of another', run: 'b' },
      { step: 2, text: 'of none' },
      { step: 3, text: 'red', run: 'a', color: 'red' },
    ];
    expect(placed(markers, picture, runs, 'gray').map(({ x, color, text }) => [x, color, text])).toEqual([
      [1, '#a', 'of a'],
      [2, 'gray', 'of none'],
      [3, 'red', 'red'],
    ]);
  });

  it('are rows of the chart as a table', () => {
    const { head, rows } = chartData(picture, (key) => key, [{ x: 5, color: 'red', text: 'here' }]);
    expect(head.at(-1)).toBe('table.mark');
    expect(rows[0]).toEqual(['a', 't', 0, 3, null]);
    expect(rows.at(-1)).toEqual([null, null, 5, null, 'here']);
  });
});

describe('marks of a card', () => {
  const marks = (count: number) =>
    Array.from({ length: count }, (_, x) => ({ x, color: 'red', text: '', marker: { step: x, text: '' } }));

  it('are all drawn up to a bound, then evenly some of them, with how many more there are', () => {
    expect(drawn(marks(MOST_MARKS))).toMatchObject({ more: 0, marks: { length: MOST_MARKS } });
    const some = drawn(marks(10 * MOST_MARKS));
    expect([some.marks.length, some.more]).toEqual([MOST_MARKS, 9 * MOST_MARKS]);
    expect(some.marks.slice(0, 3).map(({ x }) => x)).toEqual([0, 10, 20]);
  });
});
