import { describe, expect, it, vi } from 'vitest';
import type { Feed } from './feed';
import {
  asked,
  askedRuns,
  board,
  changeAnything,
  ctx,
  groupQuery,
  grow,
  host,
  open,
  query,
  reload,
  settled,
  shown,
  wanting,
  withFakeClock,
} from './fake_board';

withFakeClock();

describe('the selection', () => {
  it('asks for a run that is selected, and for no other', async () => {
    await open(['a', 'b', 'c']);
    const feed = await wanting(query(['a', 'b']));
    expect(askedRuns()).toEqual([['a', 'b']]);
    await wanting(query(['a', 'b', 'c']));
    expect(askedRuns()).toEqual([['c']]);
    expect(shown(feed)).toEqual(['a 3', 'b 3', 'c 3']);
  });

  it('asks for nothing when runs are deselected and selected again', async () => {
    await open(['a', 'b', 'c']);
    const feed = await wanting(query(['a', 'b', 'c']));
    asked();
    await wanting(query(['b']));
    expect(shown(feed)).toEqual(['b 3']);
    await wanting(query(['a', 'b', 'c']));
    expect(shown(feed)).toEqual(['a 3', 'b 3', 'c 3']);
    expect(asked()).toEqual([]);
  });

  it('names no run when all of many are asked for', async () => {
    const runs = Array.from({ length: 30 }, (_, i) => `run ${i}`);
    await open(runs);
    await wanting(query(runs));
    expect(askedRuns()).toEqual([null]);
  });

  it('lets a request go on whose runs are still of use, and then asks for the others', async () => {
    await open(['a', 'b', 'c']);
    let release = (): void => undefined;
    host.held = new Promise((resolve) => (release = resolve));
    const feed = await wanting(query(['a', 'b']));
    await wanting(query(['a', 'b', 'c']));
    expect(askedRuns()).toEqual([['a', 'b']]);
    release();
    await settled();
    expect(askedRuns()).toEqual([['c']]);
    expect(shown(feed)).toEqual(['a 3', 'b 3', 'c 3']);
  });

  it('fetches bands for each set of runs, because a band covers all its runs, and caches earlier ones', async () => {
    await open(['a', 'b']);
    const feed = await wanting(query(['a', 'b'], { group: groupQuery }));
    await wanting(query(['a'], { group: groupQuery }));
    expect(asked().map(({ route, runs }) => [route, runs])).toEqual([
      ['bands', ['a', 'b']],
      ['bands', ['a']],
    ]);
    await wanting(query(['a', 'b'], { group: groupQuery }));
    expect(asked()).toEqual([]);
    expect(feed.picture.value?.layers[0]?.bands.map(({ group }) => group)).toEqual(['a', 'b']);
  });

  it('asks for bands of the series as they are smoothed', async () => {
    await open(['a']);
    await wanting(query(['a'], { group: groupQuery, smoothing: 0.5, smoother: 'gaussian' }));
    expect(host.bandsQuery).toMatchObject({ smoothing: 0.5, smoother: 'gaussian' });
  });
});

describe('what is there already', () => {
  it('serves smoothing, zooming and a second look without a request', async () => {
    await open(['a']);
    await wanting(query(['a']));
    await wanting(query(['a'], { smoothing: 0.5 }));
    expect(asked()).toHaveLength(1);
    const feed = await wanting(query(['a'], { window: [1, 2], width: 200 }));
    feed.rest();
    expect(board.feeds.of('loss')).not.toBe(feed);
    expect(shown(await wanting(query(['a'])))).toEqual(['a 3']);
    expect(asked()).toEqual([]);
  });

  it('asks for a window of a series of which points were left out', async () => {
    await open(['a']);
    host.decimated = true;
    await wanting(query(['a']));
    await wanting(query(['a'], { window: [1, 2], width: 200 }));
    await wanting(query(['a']));
    expect(asked().map(({ from }) => from)).toEqual([null, 1]);
  });

  it('is asked for again when it is selected after it grew unseen: only the points that were appended', async () => {
    await open(['a', 'b']);
    await wanting(query(['a', 'b']));
    await wanting(query(['a']));
    asked();
    grow(['b']);
    await settled();
    expect(asked()).toEqual([]);
    const feed = await wanting(query(['a', 'b']));
    expect(asked()).toMatchObject([{ runs: ['b'], from: 2 }]);
    expect(shown(feed)).toEqual(['a 3', 'b 4']);
  });

  it('is not completed but fetched when anything may have changed', async () => {
    await open(['a']);
    await wanting(query(['a']));
    asked();
    changeAnything();
    await settled();
    expect(asked()).toMatchObject([{ runs: ['a'], from: null }]);
  });

  it('are completed once a time-weighted average knows its unit, not before', async () => {
    await open(['a']);
    await wanting(query(['a'], { smoothing: 0.5, smoother: 'twema', raw: false }));
    asked();
    host.steps.set('a', 100);
    grow(['a']);
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked()).toMatchObject([{ from: null }]);
    grow(['a']);
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked()).toMatchObject([{ from: 100 }]);
  });

  it('are asked for as a whole where new points change smoothed old ones', async () => {
    await open(['a']);
    const smoothed = query(['a'], { smoothing: 0.5, smoother: 'gaussian', raw: false });
    const feed = await wanting(smoothed);
    expect(asked()).toHaveLength(1); // no raw series
    grow(['a']);
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked()).toMatchObject([{ runs: ['a'], from: null }]);
    expect(shown(feed)).toEqual(['a 4']);
  });
});

describe('series that grow', () => {
  it('are asked for by what was appended, and no others', async () => {
    await open(['a', 'b']);
    const feed = await wanting(query(['a', 'b']));
    asked();
    grow(['a']);
    await settled();
    expect(asked()).toMatchObject([{ runs: ['a'], from: 2 }]);
    expect(shown(feed)).toEqual(['a 4', 'b 3']);
  });

  it('are asked for alone where points were left out', async () => {
    await open(['a', 'b']);
    host.decimated = true;
    const feed = await wanting(query(['a', 'b']));
    asked();
    grow(['b']);
    await settled();
    expect(asked()).toMatchObject([{ runs: ['b'], from: null }]);
    expect(shown(feed)).toEqual(['a 3', 'b 4']);
  });

  it('are asked for together, and a card whose series did not grow asks for nothing', async () => {
    const tags = ['acc', 'loss', 'rate'];
    await open(['a', 'b'], tags);
    const feeds: Feed[] = [];
    for (const tag of tags) feeds.push(await wanting(query(['a', 'b'], {}, tag), tag));
    asked();
    const { requests } = host;
    grow(['a', 'b'], ['acc', 'loss']);
    await settled();
    expect(host.requests - requests).toBe(1);
    expect(asked().map(({ tag }) => tag)).toEqual(['acc', 'loss']);
    expect(feeds.map(shown)).toEqual([
      ['a 4', 'b 4'],
      ['a 4', 'b 4'],
      ['a 3', 'b 3'],
    ]);
  });

  it.each([0, 100, 400])('are asked for half of the time at most, where an answer takes %i ms', async (took) => {
    await open(['a', 'b'], ['acc', 'loss']);
    for (const tag of ['acc', 'loss']) await wanting(query(['a', 'b'], {}, tag), tag);
    const { requests } = host;
    Object.defineProperty(host, 'held', { get: () => new Promise((resolve) => setTimeout(resolve, took)) });
    for (let twentieth = 0; twentieth < 60; twentieth++) {
      grow(['a', 'b'], ['acc', 'loss']);
      await vi.advanceTimersByTimeAsync(50);
    }
    const frame = 16;
    const most = Math.ceil(3000 / Math.max(50, 2 * (took + frame)));
    expect(host.requests - requests).toBeLessThanOrEqual(most + 2); // nothing is known of the first two
    expect(host.requests - requests).toBeGreaterThan(most / 2);
    await vi.advanceTimersByTimeAsync(3000);
    expect(shown(board.feeds.of('loss'))).toEqual(['a 63', 'b 63']);
  });

  it('are asked for on a card beyond the edge of the screen when it comes into sight', async () => {
    await open(['a']);
    const feed = await wanting(query(['a']));
    feed.see(false);
    asked();
    grow(['a']);
    await settled();
    expect(asked()).toEqual([]);
    feed.see(true);
    await settled();
    expect(asked()).toMatchObject([{ tag: 'loss', runs: ['a'], from: 2 }]);
    expect(shown(feed)).toEqual(['a 4']);
  });

  it('are not asked for on a card that is covered, until it shows again', async () => {
    await open(['a', 'b'], ['acc', 'loss']);
    const below = await wanting(query(['a', 'b'], {}, 'acc'), 'acc');
    const feed = await wanting(query(['a', 'b']));
    board.cards.full.set({ tag: 'loss', run: null });
    asked();
    for (let i = 0; i < 3; i++) {
      grow(['a'], ['acc', 'loss']);
      await settled();
    }
    expect(asked().map(({ tag }) => tag)).toEqual(['loss', 'loss', 'loss']);
    expect([shown(feed), shown(below)]).toEqual([
      ['a 6', 'b 3'],
      ['a 3', 'b 3'],
    ]);
    board.cards.full.set(null);
    below.wake();
    await settled();
    expect(asked()).toMatchObject([{ tag: 'acc', runs: ['a'], from: 2 }]);
    expect(shown(below)).toEqual(['a 6', 'b 3']);
  });

  it('are not asked for while another tab is in front', async () => {
    await open(['a']);
    const feed = await wanting(query(['a']));
    asked();
    ctx.visible.value = false;
    grow(['a']);
    await settled();
    expect(asked()).toEqual([]);
    ctx.visible.value = true;
    feed.wake();
    await settled();
    expect(shown(feed)).toEqual(['a 4']);
  });

  it('that grow during a request are asked for after it', async () => {
    await open(['a']);
    let release = (): void => undefined;
    host.held = new Promise((resolve) => (release = resolve));
    const feed = await wanting(query(['a']));
    const before = host.sent.length;
    grow(['a']);
    await settled();
    expect(host.sent).toHaveLength(before);
    host.held = null;
    release();
    await settled();
    await settled();
    expect(host.sent).toHaveLength(before + 1);
    expect(shown(feed)).toEqual(['a 4']);
  });
});

describe('failures', () => {
  it('of one run leave the others on the card', async () => {
    const runs = ['a', 'b', 'c', 'd', 'e'];
    await open(runs);
    host.broken.add('c');
    const feed = await wanting(query(runs));
    expect(shown(feed)).toEqual(['a 3', 'b 3', 'd 3', 'e 3']);
    expect(feed.error.value).toBe('status 500');
    asked();
    host.broken.clear();
    feed.retry();
    await settled();
    expect(askedRuns()).toEqual([['c']]);
    expect(shown(feed)).toEqual(['a 3', 'b 3', 'c 3', 'd 3', 'e 3']);
    expect(feed.error.value).toBeNull();
  });

  it('of a run that is selected leave the picture', async () => {
    await open(['a', 'b']);
    const feed = await wanting(query(['a']));
    host.broken.add('b');
    await wanting(query(['a', 'b']));
    expect(shown(feed)).toEqual(['a 3']);
    expect(feed.error.value).toBe('status 500');
  });

  it('are asked for again after a reload, not taken from the cache of the browser', async () => {
    await open(['a']);
    host.lost.add('loss');
    const feed = await wanting(query(['a']));
    feed.retry();
    await settled();
    reload();
    await wanting(query(['a']));
    const texts = host.queries.map((sent) => JSON.stringify(sent));
    expect(new Set(texts).size).toBe(3);
    host.lost.clear();
    board.feeds.of('loss').retry();
    await settled();
    expect(shown(board.feeds.of('loss'))).toEqual(['a 3']);
  });

  it('of one card leave the others', async () => {
    await open(['a'], ['acc', 'loss']);
    host.lost.add('acc');
    const [lost, feed] = [board.feeds.of('acc'), board.feeds.of('loss')];
    lost.want(query(['a'], {}, 'acc'));
    feed.want(query(['a']));
    await settled();
    expect(host.requests).toBe(1);
    expect([lost.error.value, feed.error.value]).toEqual(['status 500', null]);
    const failing = host.queries.at(-1);
    lost.retry();
    await settled();
    expect(host.queries).toHaveLength(2);
    expect(host.queries[1], 'the browser has an answer to the first request').not.toEqual({
      ...failing,
      card: host.queries[1]?.['card'],
    });
    expect(shown(feed)).toEqual(['a 3']);
  });
});

describe('cards', () => {
  it('that appear together are asked for together, the nearest first, with their runs named once', async () => {
    await open(['a', 'b'], ['acc', 'loss', 'lr']);
    ['acc', 'loss', 'lr'].forEach((tag, i) => {
      const feed = board.feeds.of(tag);
      feed.urgency = () => 3 - i;
      feed.want(query(tag === 'loss' ? ['b'] : ['a', 'b'], {}, tag));
    });
    await settled();
    expect(host.requests).toBe(1);
    expect(asked().map(({ tag, runs }) => [tag, runs])).toEqual([
      ['lr', ['a', 'b']],
      ['loss', ['b']],
      ['acc', ['a', 'b']],
    ]);
  });
});
