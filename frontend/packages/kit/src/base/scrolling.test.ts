import { expect, it } from 'vitest';
import { linesInSight, offsetAt, placeOf, showing, trackOf, within } from './scrolling';

it('a table of ordinary length is scrolled as it is', () => {
  const track = trackOf(5000, 200);
  expect([track.scaled, track.length, offsetAt(track, 1234), placeOf(track, 1234)]).toEqual([false, 5000, 1234, 1234]);
});

it('a table of ten million rows reaches its last one', () => {
  const track = trackOf(220_000_000, 400);
  expect(track.scaled).toBe(true);
  expect(offsetAt(track, track.length - 400)).toBe(220_000_000 - 400);
  expect(offsetAt(track, 0)).toBe(0);
  expect(placeOf(track, offsetAt(track, 1_000_000))).toBeCloseTo(1_000_000);
});

it('cells come into sight by the shortest way', () => {
  const track = trackOf(1000, 100);
  expect(showing(track, 300, 320, 340)).toBe(300);
  expect(showing(track, 300, 280, 300)).toBe(280);
  expect(showing(track, 300, 400, 420)).toBe(320);
  expect(showing(track, 300, 990, 1010)).toBe(900);
  expect([within(track, -5), within(track, 5000), within(trackOf(50, 100), 10)]).toEqual([0, 900, 0]);
});

it('a list draws the lines in sight and a few around them', () => {
  const [first, last] = linesInSight(1000 * 28, 20 * 28, 28, 5000, 6);
  expect(first).toBeLessThanOrEqual(1000);
  expect(first).toBeGreaterThan(980);
  expect(last).toBeGreaterThanOrEqual(1020);
  expect(last).toBeLessThan(1040);
});

it('a list that became shorter than its scroll position still has a line in sight', () => {
  expect(linesInSight(100_000, 500, 28, 3, 6)).toEqual([2, 3]);
  expect(linesInSight(0, 500, 28, 0, 6)).toEqual([0, 0]);
});
