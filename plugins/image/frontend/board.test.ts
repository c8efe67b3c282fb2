import { Page, type CardKey } from '@insight-host/kit';
import { type Records } from '@insight-host/kit/steps';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { imageParts, LARGE, pictureOf, type ImageParts } from './board';
import { ACTUAL, zoomText } from './viewport';

const SERIES = { a: ['eyes', 'ears'], b: ['eyes'] };
const card: CardKey = { tag: 'eyes', run: 'a' };
const other: CardKey = { tag: 'eyes', run: 'b' };
const records = {
  steps: new Float64Array([0, 10, 20]),
  wallTimes: new Float64Array([1.5, 2.5, NaN]),
  sizes: new Float64Array([9, LARGE + 1, -1]),
  points: 3,
  kept: 3,
  hidden: 0,
  attempts: 'last',
} as Records;

describe('board of images', () => {
  let ctx: FakeContext;
  let board: ImageParts;
  beforeEach(async () => {
    vi.useFakeTimers();
    ctx = fakeContext(['a', 'b'], { series: SERIES });
    board = imageParts(new Page(ctx));
    await vi.advanceTimersByTimeAsync(0);
  });

  it('has brightness and contrast for all, and for one card', async () => {
    board.lights.brightness.set(150);
    board.lights.set(card, { brightness: 80, contrast: 120 });
    expect([board.lights.of(card), board.lights.of(other)]).toEqual([
      { brightness: 80, contrast: 120 },
      { brightness: 150, contrast: 100 },
    ]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([ctx.address.value.get('brightness'), ctx.address.value.get('light')]).toEqual(['150', 'eyes,a=80,120']);
    board.lights.set(card, { brightness: 150, contrast: 100 }); // as all have it
    expect([board.lights.hasOwn(card), board.lights.isPlain.value]).toEqual([false, false]);
    board.lights.reset();
    expect([board.lights.of(card), board.lights.isPlain.value]).toEqual([{ brightness: 100, contrast: 100 }, true]);
  });

  it('asks for the record that the table has, and for a smaller picture of a large one', () => {
    expect(pictureOf(card, records, 0, 0, false)).toEqual({
      route: 'image',
      query: {
        run: 'a',
        tag: 'eyes',
        index: 0,
        attempts: 'last',
        step: records.steps[0],
        wall_time: 1.5,
        sample: null,
      },
    });
    expect(pictureOf(card, records, 1, 2, false)).toMatchObject({
      route: 'thumbnail',
      query: { index: 1, sample: 2, size: 512 },
    });
    expect(pictureOf(card, records, 1, 2, true)).toMatchObject({ route: 'image', query: { sample: 2 } });
    expect(pictureOf(card, records, 2, 0, false)).toMatchObject({ route: 'image', query: { wall_time: NaN } });
  });

  it('keeps the zoom of the grid apart from that of what fills the screen, which ends with it', () => {
    board.zooms.set(card, ACTUAL);
    board.cards.full.set(card);
    expect(board.zooms.of(card)).toBeNull();
    board.zooms.set(card, { scale: 5, x: 0, y: 0 });
    expect(board.zooms.of(card)?.scale).toBe(5);
    board.cards.full.set(null);
    expect(board.zooms.of(card)).toEqual(ACTUAL);
    board.cards.full.set(card);
    expect(board.zooms.of(card)).toBeNull();
  });

  it('begins with the zoom of the URL', () => {
    const again = fakeContext(['a', 'b'], { series: SERIES });
    again.address.value = new Map([
      ['full', 'eyes;a'],
      ['zoom', zoomText({ scale: 3, x: 0.25, y: 0.5 })],
    ]);
    expect(imageParts(new Page(again)).zooms.of(card)).toEqual({ scale: 3, x: 0.25, y: 0.5 });
  });

  it('compares runs of a tag that is there, with one zoom for all of them', () => {
    board.comparing.wanted.set({ tag: 'gone', run: 'a' });
    expect(board.comparing.card.value).toBeNull();
    board.comparing.wanted.set(card);
    board.zooms.set(card, { scale: 4, x: 0.5, y: 0.5 });
    board.comparing.wanted.set(other);
    expect([board.comparing.card.value, board.zooms.of(other)?.scale]).toEqual([other, 4]);
    board.comparing.wanted.set(null);
    expect(board.zooms.of(other)).toBeNull();
  });

  it('shows the first sample until another is chosen', () => {
    expect(board.samples.of(card) ?? 0).toBe(0);
    board.samples.set(card, 3);
    expect([board.samples.of(card) ?? 0, board.samples.of(other) ?? 0]).toEqual([3, 0]);
    board.samples.set(card, null);
    expect(board.samples.of(card) ?? 0).toBe(0);
  });
});
