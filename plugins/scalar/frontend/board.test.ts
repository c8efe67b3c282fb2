import { codecs, Page } from '@insight-host/kit';
import { fakeContext, fakeTags, type FakeContext } from '@insight-host/kit/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isClipped, scalarParts, setAxis, type ScalarParts } from './board';

const WINDOW = { x: [1, 2], y: null } as const;

describe('the parts of the scalar tab', () => {
  let ctx: FakeContext;
  let board: ScalarParts;
  beforeEach(() => {
    vi.useFakeTimers();
    ctx = fakeContext(['a']);
    board = scalarParts(new Page(ctx));
  });
  afterEach(() => {
    board.page.dispose();
    vi.useRealTimers();
  });

  it('zoom each card by itself, and a step back undoes a whole gesture', () => {
    const { zooms } = board;
    zooms.look('loss', WINDOW, 'zoom');
    zooms.look('loss', { x: [1.5, 2.5], y: null }, 'pan'); // within the same gesture
    expect([zooms.of('loss').x, zooms.of('acc').x, zooms.canStepBack('loss')]).toEqual([[1.5, 2.5], null, true]);
    zooms.stepBack('loss');
    expect(zooms.of('loss').x).toBeNull();
    zooms.look('loss', WINDOW, 'zoom');
    zooms.beginGesture();
    zooms.look('loss', { x: [1.5, 2.5], y: null }, 'pan');
    zooms.stepBack('loss');
    expect([zooms.of('loss').x, ctx.address.value.get('zoom')]).toEqual([WINDOW.x, 'loss=1,2']);
  });

  it('leave out diverged runs, but nothing of a learning rate, which somebody set', () => {
    const tags = ['loss', 'lr', 'train/lr', 'opt/learning_rate', 'Learning Rate', 'clr', 'lrs'];
    expect(tags.filter((tag) => isClipped(board, tag))).toEqual(['loss', 'clr', 'lrs']);
  });

  it('zoom all cards where their x is linked, until they have another axis', () => {
    board.link.set(true);
    board.zooms.look('loss', WINDOW, 'zoom');
    expect([board.zooms.of('acc').x, [...ctx.address.value.keys()]]).toEqual([WINDOW.x, ['link', 'range']]);
    setAxis(board, 'relative');
    expect([board.zooms.of('acc').x, board.x.value]).toEqual([null, 'relative']);
  });

  it('have logarithmic axes for all cards and for one, which then shows everything', () => {
    const { logs, zooms } = board;
    logs.y.set(true);
    expect(logs.of('loss')).toEqual({ x: false, y: true });
    zooms.look('loss', WINDOW, 'zoom');
    logs.set('loss', { x: true, y: true });
    expect([logs.of('loss').x, logs.of('acc').x, zooms.of('loss').x]).toEqual([true, false, null]);
    logs.set('loss', { x: false, y: true }); // as all have it
    expect(ctx.address.value.has('log')).toBe(false);
  });

  it('remember thresholds in this browser', () => {
    board.thresholds.set(['loss', 'acc'], { first: { operator: '>', value: 1 } });
    board.thresholds.set(['acc'], null);
    expect([...board.thresholds.byTag.value.keys()]).toEqual(['loss']);
    expect(Object.keys(ctx.memory.get<object>('thresholds', {}))).toEqual(['loss']);
  });

  it('share steps and dates with other tabs, but no relative time', () => {
    const { cursors } = board;
    cursors.share('pin', 'step', 7);
    expect([ctx.cursor.value?.step, cursors.sharedX('step'), cursors.sharedX('wall')]).toEqual([7, 7, null]);
    cursors.share('point', 'relative', 3);
    expect(cursors.sharedX('step')).toBe(7);
    cursors.share('point', 'wall', 100);
    expect([cursors.sharedX('wall'), cursors.sharedX('step')]).toEqual([100, null]);
    cursors.share('point', 'step', null);
    expect(cursors.sharedX('wall')).toBeNull();
  });

  it('open the dialog that a link asks for as soon as there is a card, and once', () => {
    ctx.url.state('dialog', codecs.text).set('first');
    expect(board.dialog.value).toBeNull();
    ctx.tags.value = fakeTags({ a: ['loss'] });
    expect([board.dialog.value?.tag, ctx.address.value.has('dialog')]).toEqual(['loss', false]);
  });
});
