import { expect, test } from 'vitest';
import { lanesOf } from './step_lanes';

test('what runs on one stream is on one lane, unless it overlaps', () => {
  const { lanes, placed, more } = lanesOf([
    { name: 'stream_12_0_Send', start: 10, duration: 5 },
    { name: 'stream_2_0_AllReduce', start: 0, duration: 5 },
    { name: 'stream_2_1_AllReduce', start: 5, duration: 5 },
    { name: 'stream_2_2_AllReduce', start: 7, duration: 5 },
  ]);
  expect(lanes).toEqual(['stream 2', '', 'stream 12']);
  expect(placed.map(({ name, lane }) => [name, lane])).toEqual([
    ['stream_2_0_AllReduce', 0],
    ['stream_2_1_AllReduce', 0],
    ['stream_2_2_AllReduce', 1],
    ['stream_12_0_Send', 2],
  ]);
  expect(more).toBe(0);
});

test('hundreds of streams are not all drawn, and it is said', () => {
  const { lanes, placed, more } = lanesOf(
    Array.from({ length: 40 }, (_, i) => ({ name: `lane ${i}`, start: 0, duration: 1 })),
  );
  expect(lanes.length + more).toBe(40);
  expect(placed.every(({ lane }) => lane < lanes.length)).toBe(true);
});
