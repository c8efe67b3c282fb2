import type { Cursor } from '@insight-host/kit/lines';
import { expect, it } from 'vitest';
import { pointedRuns } from './hovering';
import type { Lines, Source } from './lines';

const sources: Lines['sources'] = new Map([
  ['left:a', { runs: ['a'] } as unknown as Source],
  ['left:seeds', { runs: ['seed 1', 'seed 2'] } as unknown as Source],
]);
const at = (id: string, distance: number): Cursor => ({
  x: 0,
  y: 0,
  px: 0,
  py: 0,
  reach: [0, 0],
  nearest: [{ id, index: 0, x: 0, y: 0, distance }],
});

it('a card hovers the run of the line at the pointer, or all runs of a group, and none away from all lines', () => {
  expect(pointedRuns(at('left:a', 3), sources)).toEqual(['a']);
  expect(pointedRuns(at('left:seeds', 3), sources)).toEqual(['seed 1', 'seed 2']);
  expect(pointedRuns(at('left:a', 200), sources)).toEqual([]);
  expect(pointedRuns(null, sources)).toEqual([]);
});
