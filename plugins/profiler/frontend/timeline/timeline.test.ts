import { describe, expect, test } from 'vitest';
import { firstFrom } from './answers';
import { axisOf } from './axis';
import { firstIn, hitAt, neighbour, type View } from './hit';
import { Labels, ownName } from './labels';
import { barTop, BAR, layoutOf, LEVEL, rowAt, rowsBetween } from './layout';
import { sliceTable } from './sight_table';
import { around, covers, lengthOf, moved, NEAREST, rangeCodec, spanCodec, within, zoomed } from './span';
import { layersOf } from './store';
import { colorOf } from './strips';
import { slices, track, tracksAnswer } from './testing';

const WHOLE = { from: 0, to: 1_000_000 };

describe('stretches of time', () => {
  test('what is at the pointer stays there', () => {
    const span = { from: 200_000, to: 600_000 };
    for (const at of [200_000, 300_000, 599_999]) {
      const near = zoomed(span, WHOLE, at, 0.25);
      expect(lengthOf(near)).toBeCloseTo(100_000);
      expect((at - near.from) / lengthOf(near)).toBeCloseTo((at - span.from) / lengthOf(span));
    }
  });
  test('nothing beyond the profile is shown, nor less than can be seen', () => {
    expect(zoomed(WHOLE, WHOLE, 5, 10)).toEqual(WHOLE);
    expect(moved({ from: 100, to: 600 }, WHOLE, -500)).toEqual({ from: 0, to: 500 });
    expect(moved({ from: 100, to: 600 }, WHOLE, 2_000_000)).toEqual({ from: 999_500, to: 1_000_000 });
    expect(lengthOf(zoomed({ from: 10, to: 70 }, WHOLE, 40, 0.01))).toBe(NEAREST);
    expect(within({ from: -5, to: 3_000_000 }, WHOLE)).toEqual(WHOLE);
  });
  test('a slice has room on both sides', () => {
    expect(around(500_000, 100, WHOLE)).toEqual({ from: 499_900, to: 500_200 });
  });
  test('addresses', () => {
    expect(spanCodec.parse('100~2000')).toEqual({ from: 100, to: 2000 });
    expect(spanCodec.format({ from: 99.6, to: 2000.2 })).toBe('99~2001');
    for (const text of [null, '', 'a~b', '5~5', '9~2', '100']) expect(spanCodec.parse(text)).toBeNull();
    const range = { from: 1, to: 20, tracks: [0, 3] };
    expect(rangeCodec.parse(rangeCodec.format(range))).toEqual(range);
    expect(rangeCodec.parse('1~20')).toEqual({ from: 1, to: 20, tracks: null });
    expect(rangeCodec.parse('1~20~3.x.-1')).toEqual({ from: 1, to: 20, tracks: [3] });
  });
});

describe('the axis', () => {
  test.each([
    [{ from: 0, to: 5e9 }, '1 s'],
    [{ from: 0, to: 5e6 }, '1 ms'],
    [{ from: 0, to: 700 }, '100 ns'],
    [{ from: 0, to: 2e6 }, '0.5 ms'],
  ])('units go with the scale: %o', (span, text) => {
    expect(axisOf(span, 1000, 'en').ticks.map((tick) => tick.text)).toContain(text);
  });
  test('what all ticks share is said once', () => {
    const { ticks, base } = axisOf({ from: 3_200_000_100, to: 3_200_000_700 }, 1000, 'en');
    expect(base).toBe('3,200,000 µs');
    expect(ticks[0]?.text).toBe('+100 ns');
    expect(new Set(ticks.map((tick) => tick.text)).size).toBe(ticks.length);
  });
  test('ticks are apart whatever the width', () => {
    for (const width of [300, 1000, 3000])
      expect(axisOf({ from: 17, to: 123_456_789 }, width, 'en').ticks.length).toBeLessThanOrEqual(width / 100 + 1);
  });
});

describe('rows', () => {
  const answer = tracksAnswer(
    [
      track(0, null, { slices: 0, order: 2 }),
      track(1, 0, { levels: 3, order: 5 }),
      track(2, 0, { order: 1 }),
      track(3, 0, { slices: 0 }),
      track(4, null, { order: 1 }),
      track(5, null, { slices: 0, order: 0 }),
    ],
    {
      counters: [
        { id: 0, label: 'Allocated', group: 'memory', unit: 'bytes', device: null, points: 4, minimum: 0, maximum: 9 },
        { id: 1, label: 'Empty', group: 'memory', unit: '', device: null, points: 0, minimum: null, maximum: null },
      ],
    },
  );
  const layout = layoutOf(answer, new Set());
  test('are in order, without what is empty', () => {
    expect(layout.rows.map(({ key }) => key)).toEqual(['t4', 'g0', 't2', 't1', 'c-memory', 'n0']);
    expect(
      layout.rows.every(
        (row, i) => i === 0 || row.top === (layout.rows[i - 1]?.top ?? 0) + (layout.rows[i - 1]?.height ?? 0),
      ),
    ).toBe(true);
    expect(layout.height).toBe((layout.rows.at(-1)?.top ?? 0) + (layout.rows.at(-1)?.height ?? 0));
  });
  test('a closed group shows its tracks in one row, a closed track one level', () => {
    const closed = layoutOf(answer, new Set(['g0']));
    expect(closed.rows.map(({ key }) => key)).toEqual(['t4', 'g0', 'c-memory', 'n0']);
    expect(closed.rowOf.get(1)?.tracks).toEqual([2, 1]);
    expect(layoutOf(answer, new Set(['t1'])).rowOf.get(1)?.height).toBe(layout.rowOf.get(2)?.height);
  });
  test('are found by their height', () => {
    layout.rows.forEach((row, i) =>
      expect([rowAt(layout, row.top), rowAt(layout, row.top + row.height - 1)]).toEqual([i, i]),
    );
    expect(rowsBetween(layout, 0, layout.height)).toEqual(layout.rows);
    expect(rowsBetween(layout, -500, 1).map(({ key }) => key)).toEqual(['t4']);
    expect(rowsBetween(layout, layout.height + 10, layout.height + 20)).toEqual([]);
  });
});

describe('what is drawn', () => {
  const span = { from: 400, to: 600 };
  const whole = slices(0, 1000, 100, [{ track: 0, depth: 0, start: 0, duration: 1000 }]);
  const near = slices(300, 700, 400, [{ track: 0, depth: 0, start: 0, duration: 1000 }]);
  const later = slices(500, 900, 400, [{ track: 0, depth: 0, start: 0, duration: 1000 }]);
  test('the answer of its scale, if it holds all of the picture', () => {
    expect(layersOf([whole, near], 0, span, 1)).toEqual([near]);
    expect(layersOf([near, whole], 0, WHOLE, 10)).toEqual([whole]);
    expect(layersOf([whole, near], 1, span, 1)).toEqual([]);
  });
  test('else what holds the most, and the better one above', () => {
    expect(layersOf([later, whole], 0, span, 1)).toEqual([whole, later]);
    expect(layersOf([later], 0, span, 1)).toEqual([later]);
    expect(layersOf([later], 0, { from: 0, to: 100 }, 1)).toEqual([]);
  });
  test('colours as a canvas has them in memory', () => {
    expect(new Uint8Array(new Uint32Array([colorOf('#123456')]).buffer)).toEqual(
      new Uint8Array([0x12, 0x34, 0x56, 255]),
    );
    expect(new Uint8Array(new Uint32Array([colorOf('#123456', 0.5)]).buffer)[3]).toBe(128);
  });
});

describe('names upon bars', () => {
  test('are cut to what fits, name spaces first', () => {
    const context = {
      measureText: (text: string) => ({ width: text.length * 6 }),
    } as unknown as CanvasRenderingContext2D;
    const labels = new Labels();
    const fitting = (room: number): string => labels.fitting(context, 'aten::convolution', room);
    expect([fitting(200), fitting(70), fitting(50), fitting(10)]).toEqual([
      'aten::convolution',
      'convolution',
      'convolu…',
      '',
    ]);
  });
  test.each([
    ['aten::empty', 'empty'],
    ['void at::native::add<4, at::Half>(int)', 'add<4, at::Half>(int)'],
    ['torch/nn/modules.py(12): forward', 'modules.py(12): forward'],
    ['plain', 'plain'],
    ['ends::', 'ends::'],
    ['<built-in method of torch._C>', '<built-in method of torch._C>'],
  ])('%s', (name, own) => expect(ownName(name)).toBe(own));
});

describe('which slice is at a place', () => {
  const made = [
    { track: 0, depth: 0, start: 0, duration: 500 },
    { track: 0, depth: 0, start: 600, duration: 100 },
    { track: 0, depth: 1, start: 100, duration: 100 },
    { track: 0, depth: 1, start: 300, duration: 1 },
  ];
  const answer = slices(0, 1000, 1000, made);
  const view: View = {
    layout: layoutOf(tracksAnswer([track(0, null, { levels: 2 })]), new Set()),
    span: { from: 0, to: 1000 },
    width: 500,
    answers: [answer],
  };
  const [row] = view.layout.rows;
  if (!row) throw new Error('no row');
  const y = (depth: number): number => barTop(row, depth) + BAR / 2;
  const at = (time: number, depth: number): number | undefined => hitAt(view, time / 2, y(depth))?.id;

  test('by time and depth', () => {
    expect([at(20, 0), at(499, 0), at(650, 0), at(150, 1)]).toEqual([0, 0, 1, 2]);
    expect([at(550, 0), at(250, 1), at(900, 1)]).toEqual([undefined, undefined, undefined]);
    expect(hitAt(view, 100, y(0) + LEVEL * 5)).toBeNull();
  });
  test('narrow ones from beside them', () => {
    expect([at(297, 1), at(304, 1), at(306, 1)]).toEqual([3, 3, undefined]);
  });
  test('neighbours on the lane, and what is within', () => {
    const [first, second, inner, last] = made.map((slice, id) => ({ ...slice, id, name: '', category: 'other' }));
    if (!first || !second || !inner || !last) throw new Error('four were made');
    expect(neighbour(view, first, 1)?.id).toBe(1);
    expect(neighbour(view, first, -1)).toBeNull();
    expect(neighbour(view, second, -1)?.id).toBe(0);
    expect(neighbour(view, second, 1)).toBeNull();
    expect(neighbour(view, first, 'in')?.id).toBe(2);
    expect(neighbour(view, second, 'in')).toBeNull();
    expect(neighbour(view, last, -1)?.id).toBe(2);
    expect(firstIn(view)?.id).toBe(0);
  });
  test('the first that ends later', () => {
    const lane = answer.lanes.get(0)?.[0];
    if (!lane) throw new Error('no lane');
    expect([
      firstFrom(answer, lane, -10),
      firstFrom(answer, lane, 500),
      firstFrom(answer, lane, 501),
      firstFrom(answer, lane, 701),
    ]).toEqual([0, 0, 1, 2]);
  });
  test('covers', () => {
    expect(covers({ from: 0, to: 10 }, { from: 0, to: 10 })).toBe(true);
    expect(covers({ from: 1, to: 10 }, { from: 0, to: 10 })).toBe(false);
  });
});

describe('the table of what is in sight', () => {
  const say = (key: string): string => key;
  const answer = tracksAnswer([
    track(0, null, { label: 'process' }),
    track(1, 0, { label: 'main', levels: 2 }),
    track(2, 0, { label: 'loader' }),
  ]);
  const drawn = slices(0, 1000, 100, [
    { track: 2, depth: 0, start: 5, duration: 20 },
    { track: 1, depth: 0, start: 100, duration: 400 },
    { track: 1, depth: 0, start: 600, duration: 50 },
    { track: 1, depth: 1, start: 150, duration: 100 },
  ]);
  const rowsOf = (closed: readonly string[]): readonly (readonly unknown[])[] =>
    sliceTable({ t: say }, answer, layoutOf(answer, new Set(closed)), drawn).rows;

  test('bars stand in the order of the tracks, levels and times, with the exact nanoseconds', () => {
    expect(rowsOf([])).toEqual([
      ['process / main', 'slice 1', 100, 400, 1],
      ['process / main', 'slice 2', 600, 50, 1],
      ['process / main', 'slice 3', 150, 100, 1],
      ['process / loader', 'slice 0', 5, 20, 1],
    ]);
  });
  test('the levels that a closed track hides are left out', () => {
    expect(rowsOf(['t1']).map(([, name]) => name)).toEqual(['slice 1', 'slice 2', 'slice 0']);
    expect(rowsOf(['g0']).map(([, name]) => name)).toEqual(['slice 1', 'slice 2', 'slice 0']);
  });
});
