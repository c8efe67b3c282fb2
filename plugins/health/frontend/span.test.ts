import { expect, it } from 'vitest';
import { moved, showing, spanCodec, zoomed } from './span';

it('keeps the length of what is moved, and stops at both ends', () => {
  expect(moved({ from: 10, to: 30 }, 5, 100)).toEqual({ from: 15, to: 35 });
  expect(moved({ from: 10, to: 30 }, -50, 100)).toEqual({ from: 0, to: 20 });
  expect(moved({ from: 10, to: 30 }, 500, 100)).toEqual({ from: 80, to: 100 });
});

it('zooms around a place that stays where it is', () => {
  const near = zoomed({ from: 0, to: 100 }, 0.5, 80, 100, 4);
  expect(near).toEqual({ from: 40, to: 90 });
  expect((80 - near.from) / 50).toBe(0.8);
  expect(zoomed(near, 0.001, 80, 100, 4)).toEqual({ from: 76.8, to: 80.8 });
  expect(zoomed(near, 1000, 80, 100, 4)).toEqual({ from: 0, to: 100 });
});

it('moves as little as brings a cell into sight', () => {
  expect(showing({ from: 10, to: 20 }, 15, 100)).toEqual({ from: 10, to: 20 });
  expect(showing({ from: 10, to: 20 }, 20, 100)).toEqual({ from: 11, to: 21 });
  expect(showing({ from: 10, to: 20 }, 3, 100)).toEqual({ from: 3, to: 13 });
});

it('keeps what is in sight in the link, and takes nothing odd from it', () => {
  expect(spanCodec.parse(spanCodec.format({ from: 1.234, to: 50 }))).toEqual({ from: 1.23, to: 50 });
  for (const text of ['', '5~3', '1~', 'a~b', '-1~4', null]) expect(spanCodec.parse(text)).toBeNull();
});
