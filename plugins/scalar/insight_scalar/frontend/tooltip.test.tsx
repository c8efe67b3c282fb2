import { signal } from '@preact/signals';
import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { render } from 'preact';
import { expect, it, vi } from 'vitest';
import { scalarParts } from './board';
import type { Feed, Picture } from './feed';
import { linesOf } from './lines';
import { cardQuery, fakeSeries } from './testing';
import { Tooltip, type Reading } from './tooltip';

it('a pinned reading shows values of the smoothing that the chart has', async () => {
  const json = vi.fn((_: string, query: { smoothing?: number }) =>
    Promise.resolve({
      points: [{ run: 'r', tag: 't', step: 1, wall_time: 101, value: 8, smoothed: query.smoothing === 0.5 ? 5 : 3 }],
    }),
  );
  const ctx = fakeContext(['r'], { series: { r: ['t'] } });
  const board = scalarParts(new Page(Object.assign(ctx, { data: { ...ctx.data, json } })));
  const pictureOf = (smoothing: number): Picture => {
    const series = fakeSeries([0, 1], [4, 8]);
    const layer = { tag: 't', runs: ['r'], axis: 'left', main: [series], raw: [series], bands: [] } as const;
    return { query: { ...cardQuery, smoothing }, layers: [layer] };
  };
  const picture = signal<Picture | null>(null);
  const feed = { picture } as unknown as Feed;
  const nearest = [{ id: 'left:r', index: 1, x: 1, y: 8 }];
  const cursor = { x: 1, y: 8, px: 0, py: 0, reach: [1, 1], nearest } as const;
  const reading = signal<Reading | null>({ cursor, clientX: 0, clientY: 0, pinned: true });
  const host = document.body.appendChild(document.createElement('div'));
  const show = (smoothing: number): void => {
    picture.value = pictureOf(smoothing);
    const lines = linesOf(picture.value, board.page.runs.value, String, () => '');
    render(<Tooltip board={board} feed={feed} lines={lines} marks={[]} reading={reading} />, host);
  };
  const text = (): string => [...host.querySelectorAll('td')].map((cell) => cell.textContent).join(' ');
  show(0.5);
  await vi.waitFor(() => expect(text()).toMatch(/^r 5 8 /));
  show(0.9);
  await vi.waitFor(() => expect(text()).toMatch(/^r 3 8 /));
  render(null, host);
  board.page.dispose();
});
