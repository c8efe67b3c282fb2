import { describe, expect, it, vi } from 'vitest';
import {
  asked,
  board,
  fakeSeries,
  grow,
  host,
  open,
  query,
  settled,
  shown,
  wanting,
  withFakeClock,
} from './fake_board';
import type { CardQuery } from './feed';
import { smoothed } from './smoothing';

withFakeClock();

describe('the smoothing slider', () => {
  it('asks for nothing while every point is here, and smooths as the host does', async () => {
    await open(['a', 'b']);
    const feed = await wanting(query(['a', 'b']));
    asked();
    for (const smoothing of [0.3, 0.5, 0.6]) await wanting(query(['a', 'b'], { smoothing }));
    expect(asked()).toEqual([]);
    const [layer] = feed.picture.value?.layers ?? [];
    // 0.4 / 0.64, and (0.6 * 0.4 + 0.4 * 2) / 0.784: the sums of weighted values over those of the weights
    expect([...(layer?.main[0]?.values ?? [])]).toEqual([0, 0.625, expect.closeTo(1.3265306, 6)]);
    expect([...(layer?.raw?.[0]?.values ?? [])]).toEqual([0, 1, 2]);
  });

  it('shows a draft while it moves, and asks once when it rests', async () => {
    await open(['a']);
    host.decimated = true;
    const feed = await wanting(query(['a']));
    asked();
    for (let move = 1; move <= 90; move++) {
      feed.want(query(['a'], { smoothing: move / 100 }));
      expect(feed.picture.value?.query.smoothing).toBe(move / 100);
      await vi.advanceTimersByTimeAsync(200);
    }
    const last = (): number | undefined => feed.picture.value?.layers[0]?.main[0]?.values[2];
    expect(last()).toBeLessThan(2);
    expect(asked()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toMatchObject([{ smoothing: 0.9 }]);
    expect(last(), 'the answer of the host').toBe(2);
  });

  it('asks for nothing while the pointer holds it', async () => {
    await open(['a']);
    host.decimated = true;
    const feed = await wanting(query(['a'], { smoothing: 0.1 }));
    asked();
    const held = vi.spyOn(board.feeds, 'isHeld').mockReturnValue(true);
    await wanting(query(['a'], { smoothing: 0.5 }));
    await vi.advanceTimersByTimeAsync(5000);
    expect([asked(), feed.picture.value?.query.smoothing]).toEqual([[], 0.5]);
    held.mockReturnValue(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toMatchObject([{ smoothing: 0.5 }]);
  });

  it('asks for a card that is not seen when it comes into sight', async () => {
    await open(['a']);
    host.decimated = true;
    const feed = await wanting(query(['a'], { smoothing: 0.1 }));
    asked();
    feed.see(false);
    await wanting(query(['a'], { smoothing: 0.5 }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked()).toEqual([]);
    feed.see(true);
    await settled();
    expect(asked()).toMatchObject([{ smoothing: 0.5 }]);
  });

  it('waits for what is under way, whose answer does not take the draft away', async () => {
    await open(['a']);
    host.decimated = true;
    const feed = await wanting(query(['a'], { smoothing: 0.1 }));
    asked();
    let release = (): void => undefined;
    host.held = new Promise((resolve) => (release = resolve));
    grow(['a']);
    await settled();
    asked();
    await wanting(query(['a'], { smoothing: 0.9 }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toEqual([]);
    host.held = null;
    release();
    await settled();
    expect(feed.picture.value?.query.smoothing).toBe(0.9);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked().at(-1)).toMatchObject({ smoothing: 0.9 });
    expect(shown(feed)).toEqual(['a 4']);
  });

  it('asks for smoothed series where the raw ones are not drawn, because their range is another', async () => {
    await open(['a']);
    host.codes = true;
    const hidden = (smoothing: number): CardQuery => query(['a'], { smoothing, raw: false });
    const feed = await wanting(hidden(0.1));
    await wanting(query(['a'], { smoothing: 0.1 })); // the raw series is here from now on
    expect(asked()).toMatchObject([{ smoothing: 0.1 }, { smoothing: 0 }]);
    await wanting(hidden(0.1));
    await wanting(hidden(0.5));
    expect(feed.picture.value?.query.smoothing, 'a draft').toBe(0.5);
    expect(feed.picture.value?.layers[0]?.raw).toBeNull();
    expect(asked()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toMatchObject([{ smoothing: 0.5 }]);
  });
});

it('a draft of a series that restarts smooths each attempt as if it were alone', () => {
  const steps = Array.from({ length: 11 }, (_, i) => 10 * i);
  const values = steps.map((step) => step % 20);
  const alone = smoothed(fakeSeries(steps, values, { decimated: true, points: 101 }), 0.9);
  for (const after of [steps, [0, 10]]) {
    const more = { decimated: true, points: after === steps ? 202 : 112, breaks: [11] };
    const both = fakeSeries([...steps, ...after], [...values, ...values.slice(0, after.length)], more);
    expect([...smoothed(both, 0.9).values.slice(0, 11)]).toEqual([...alone.values]);
  }
});
