import { signal, type Signal } from '@preact/signals';
import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { render } from 'preact';
import { afterEach, expect, it, vi } from 'vitest';
import { scalarParts } from '../board';
import type { Feed, Picture } from '../feed/feed';
import { linesOf } from './lines';
import { cardQuery, fakeSeries, groupQuery } from '../feed/fake_board';
import { followed, type Reading } from './reading';
import { Tooltip } from './tooltip';

const POINT: Reading = {
  cursor: { x: 1, y: 8, px: 0, py: 0, reach: [1, 1], nearest: [{ id: 'left:r', index: 1, x: 1, y: 8, distance: 0 }] },
  clientX: 0,
  clientY: 0,
  pinned: false,
};

let finish = (): void => undefined;
afterEach(() => finish());

/** A tooltip in the page; `show` renders it for a smoothing. */
function tooltip(reading: Signal<Reading | null>): {
  show: (smoothing: number) => void;
  showBand: (band: Readonly<Record<'x' | 'centre' | 'low' | 'high' | 'count', readonly number[]>>) => void;
  copy: () => void;
  text: () => string;
} {
  const json = (_: string, query: { smoothing?: number }): unknown =>
    Promise.resolve({
      points: [{ run: 'r', tag: 't', step: 1, wall_time: 101, value: 8, smoothed: query.smoothing === 0.5 ? 5 : 3 }],
    });
  const ctx = fakeContext(['r'], { series: { r: ['t'] } });
  const board = scalarParts(new Page(Object.assign(ctx, { data: { ...ctx.data, json } })));
  const picture = signal<Picture | null>(null);
  const feed = { picture } as unknown as Feed;
  const host = document.body.appendChild(document.createElement('div'));
  finish = () => {
    render(null, host);
    board.page.dispose();
  };
  const draw = (drawn: Picture): void => {
    picture.value = drawn;
    const lines = linesOf(drawn, board.page.runs.value, String, () => '');
    render(<Tooltip board={board} feed={feed} lines={lines} marks={[]} reading={reading} />, host);
  };
  return {
    show(smoothing) {
      const series = fakeSeries([0, 1], [4, 8]);
      const layer = { tag: 't', runs: ['r'], axis: 'left', main: [series], raw: [series], bands: [] } as const;
      draw({ query: { ...cardQuery, smoothing }, layers: [layer] });
    },
    showBand({ x, centre, low, high, count }) {
      const columns = { x: new Float64Array(x), low: new Float64Array(low), high: new Float64Array(high) };
      const numbers = { ...columns, centre: new Float64Array(centre), count: new Float64Array(count) };
      const band = { group: 'g', tag: 't', runs: ['r'], ...numbers, points: x.length, decimated: false };
      const layer = { tag: 't', runs: ['r'], axis: 'left', main: [], raw: [], bands: [band] } as const;
      draw({ query: { ...cardQuery, x: '="m"', group: groupQuery }, layers: [layer] });
    },
    copy: () => host.querySelector<HTMLElement>('[data-action="copy"]')?.click(),
    text: () => [...host.querySelectorAll('td')].map((cell) => cell.textContent).join(' '),
  };
}

it('a pinned reading shows values of the smoothing that the chart has', async () => {
  const { show, text } = tooltip(signal({ ...POINT, pinned: true }));
  show(0.5);
  await vi.waitFor(() => expect(text()).toMatch(/^r 5 8 /));
  show(0.9);
  await vi.waitFor(() => expect(text()).toMatch(/^r 3 8 /));
});

it('Escape closes a reading as soon as it stands in the page', async () => {
  const { show, text } = tooltip(signal(POINT));
  show(0.5);
  expect(text()).toContain('8');
  dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  await vi.waitFor(() => expect(text()).toBe(''));
});

it('a reading that was dismissed returns when the pointer moves, not when new values are drawn below it', () => {
  const dismissed = { ...POINT, dismissed: true };
  const at = (px: number, index: number): Reading => ({
    ...POINT,
    cursor: { ...POINT.cursor, px, nearest: [{ id: 'left:r', index, x: 1, y: 8, distance: 0 }] },
  });
  expect(followed(dismissed, at(0, 2))).toBe(dismissed);
  expect(followed(dismissed, at(1, 1))).toEqual(at(1, 1));
  expect(followed(dismissed, null)).toBe(null);
});

it('a copied reading of groups has their bands, and one along a metric its x', async () => {
  const copied = vi.fn((_: string) => Promise.resolve());
  vi.stubGlobal('navigator', { clipboard: { writeText: copied } });
  const nearest = [{ id: 'left:g', index: 1, x: 2.5, y: 8, distance: 0 }];
  const { showBand, copy } = tooltip(signal({ ...POINT, cursor: { ...POINT.cursor, nearest }, pinned: true }));
  showBand({ x: [1, 2.5], centre: [4, 8], low: [3, 6], high: [5, 9], count: [2, 3] });
  copy();
  await vi.waitFor(() => expect(copied).toHaveBeenCalledWith('group\tvalue\tlow\thigh\tn\tx\ng\t8\t6\t9\t3\t2.5'));
});
