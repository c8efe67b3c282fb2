import type { CardKey, Records } from '@insight-host/kit';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { ImageBoard, LARGE } from './board';
import { ACTUAL, zoomText } from './viewport';

const INFO = {
  display_name: '',
  description: '',
  points: 3,
  first_step: 0,
  last_step: 20,
  attempts: 1,
  kept: 3,
  claims: ['tensorboard:image'],
};
const TAGS = { a: { eyes: INFO, ears: INFO }, b: { eyes: INFO } };
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
  let board: ImageBoard;
  beforeEach(async () => {
    vi.useFakeTimers();
    ctx = fakeContext(['a', 'b'], { json: async () => TAGS });
    board = new ImageBoard(ctx);
    await vi.advanceTimersByTimeAsync(0);
  });

  it('has brightness and contrast for all, and for one card', async () => {
    board.brightness.set(150);
    board.setLight(card, { brightness: 80, contrast: 120 });
    expect([board.lightOf(card), board.lightOf(other)]).toEqual([
      { brightness: 80, contrast: 120 },
      { brightness: 150, contrast: 100 },
    ]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([ctx.address.value.get('brightness'), ctx.address.value.get('light')]).toEqual(['150', 'eyes,a=80,120']);
    board.setLight(card, { brightness: 150, contrast: 100 }); // as all have it
    expect([board.hasOwnLight(card), board.plain.value]).toEqual([false, false]);
    board.resetLights();
    expect([board.lightOf(card), board.plain.value]).toEqual([{ brightness: 100, contrast: 100 }, true]);
  });

  it('asks for the record that the table has, and for a smaller picture of a large one', () => {
    expect(board.pictureOf(card, records, 0, 0, false)).toEqual({
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
    expect(board.pictureOf(card, records, 1, 2, false)).toMatchObject({
      route: 'thumbnail',
      query: { index: 1, sample: 2, size: 512 },
    });
    expect(board.pictureOf(card, records, 1, 2, true)).toMatchObject({ route: 'image', query: { sample: 2 } });
    expect(board.pictureOf(card, records, 2, 0, false)).toMatchObject({ route: 'image', query: { wall_time: NaN } });
  });

  it('keeps the zoom of the grid apart from that of what fills the screen, which ends with it', () => {
    board.setZoom(card, ACTUAL);
    board.full.set(card);
    expect(board.zoomOf(card)).toBeNull();
    board.setZoom(card, { scale: 5, x: 0, y: 0 });
    expect(board.zoomOf(card)?.scale).toBe(5);
    board.full.set(null);
    expect(board.zoomOf(card)).toEqual(ACTUAL);
    board.full.set(card);
    expect(board.zoomOf(card)).toBeNull();
  });

  it('begins with the zoom of the URL', () => {
    const again = fakeContext(['a', 'b'], { json: async () => TAGS });
    again.address.value = new Map([
      ['full', 'eyes;a'],
      ['zoom', zoomText({ scale: 3, x: 0.25, y: 0.5 })],
    ]);
    expect(new ImageBoard(again).zoomOf(card)).toEqual({ scale: 3, x: 0.25, y: 0.5 });
  });

  it('compares runs of a tag that is there, with one zoom for all of them', () => {
    board.compared.set({ tag: 'gone', run: 'a' });
    expect(board.comparing.value).toBeNull();
    board.compared.set(card);
    board.setZoom(card, { scale: 4, x: 0.5, y: 0.5 });
    board.compared.set(other);
    expect([board.comparing.value, board.zoomOf(other)?.scale]).toEqual([other, 4]);
    board.compared.set(null);
    expect(board.zoomOf(other)).toBeNull();
  });

  it('shows the first sample until another is chosen', () => {
    expect(board.sampleOf(card)).toBe(0);
    board.setSample(card, 3);
    expect([board.sampleOf(card), board.sampleOf(other)]).toEqual([3, 0]);
    board.setSample(card, 0);
    expect(board.sampleOf(card)).toBe(0);
  });
});
