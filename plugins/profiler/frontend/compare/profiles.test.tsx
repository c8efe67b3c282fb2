import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import type { Compared } from '../answers/comparison';
import { profilerParts, type ProfilerParts } from '../board';
import { profileInfo } from '../testing';
import { ComparedProfiles, leavesOutliers } from './profiles';

const [BASE, OWN] = [profileInfo('a', 'base'), profileInfo('b', 'own')];
const ANSWER: Compared = {
  steps: { count: 6, median: 97_409_500, left_out: 2 },
  base_steps: { count: 8, median: 97_545_750, left_out: 0 },
  per: 'step',
  limits: {},
};
let host: HTMLElement;
let board: ProfilerParts;

beforeEach(async () => {
  host = document.body.appendChild(document.createElement('div'));
  const context = fakeContext(['a', 'b'], { json: async () => ({ profiles: [BASE, OWN] }) });
  context.address.value = new Map(Object.entries({ run: 'b', profile: 'own' }));
  board = profilerParts(new Page(context));
  await act(() => new Promise((done) => setTimeout(done)));
});
afterEach(() => {
  render(null, host);
  host.remove();
  board.page.dispose();
});

async function show(more: Partial<Compared>): Promise<void> {
  await act(() => render(<ComparedProfiles board={board} base={BASE} answer={{ ...ANSWER, ...more }} />, host));
}

test('medians and their change are of the steps that count, and say which are left out', async () => {
  await show({});
  const text = (place: string): string => host.querySelector(place)?.textContent ?? '';
  const medians = [...host.querySelectorAll('.note')].map(({ textContent }) => textContent);
  expect(medians).toEqual([
    'compare.median {"median":"97.55 ms","count":8}',
    'compare.median {"median":"97.41 ms","count":6} · compare.left_out {"count":2}',
  ]);
  expect(text('strong')).toBe('compare.faster {"share":"0.14 %"}');
  expect(leavesOutliers(ANSWER)).toBe(true);
  expect(leavesOutliers({ ...ANSWER, steps: null })).toBe(false);
});

test('why a side is not compared by the step is said', async () => {
  await show({ base_steps: null, per: 'total', limits: { base: 'no_steps' } });
  expect(host.querySelector('strong')).toBeNull();
  expect(host.querySelector('[data-limit]')?.getAttribute('data-limit')).toBe('no_steps');
});
