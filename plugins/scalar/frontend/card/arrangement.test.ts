import { Page } from '@insight-host/kit';
import { fakeContext, fakeTags, type FakeContext } from '@insight-host/kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inOrder, moved, shortened } from './arrangement';
import { scalarParts, type ScalarParts } from '../board';

describe('an order', () => {
  it('puts what was arranged first, and leaves the rest as it was', () => {
    expect(inOrder(['a', 'b', 'c', 'd'], ['c', 'gone', 'a'], (one) => one)).toEqual(['c', 'a', 'b', 'd']);
  });

  it('moves to a place, at most to an end', () => {
    expect([moved(['a', 'b', 'c'], 'a', 2), moved(['a', 'b', 'c'], 'c', -5)]).toEqual([
      ['b', 'c', 'a'],
      ['c', 'a', 'b'],
    ]);
  });

  it('stores names only up to the last one that was moved', () => {
    const plain = ['a', 'b', 'c', 'd'];
    expect([shortened(['b', 'a', 'c', 'd'], plain), shortened(plain, plain)]).toEqual([['b', 'a'], []]);
  });
});

describe('the arrangement of a board', () => {
  let ctx: FakeContext;
  let board: ScalarParts;
  const shown = (): readonly string[] =>
    board.cards.groups.value.map(
      ({ kind, name, cards }) => `${kind === 'pinned' ? 'pinned' : name}: ${cards.map(({ tag }) => tag).join(' ')}`,
    );

  beforeEach(() => {
    ctx = fakeContext(['r']);
    ctx.tags.value = fakeTags({ r: ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c'] });
    board = scalarParts(new Page(ctx));
  });
  afterEach(() => board.page.dispose());

  it('moves cards in their sections, and sections, in the URL', () => {
    board.arrangement.moveCard('a/3', 0);
    board.arrangement.moveCard('b/1', 1);
    board.arrangement.moveSection('b', 0);
    expect(shown()).toEqual(['b: b/2 b/1', 'a: a/3 a/1 a/2', ': c']);
    expect([ctx.address.value.get('arranged'), ctx.address.value.get('sections')]).toEqual([
      'a/3;a/1;a/2;b/2;b/1',
      'b;a',
    ]);
    board.arrangement.moveCard('b/1', 0);
    expect(ctx.address.value.get('arranged')).toBe('a/3;a/1;a/2');
    board.arrangement.reset();
    expect(shown()).toEqual(['a: a/1 a/2 a/3', 'b: b/1 b/2', ': c']);
    expect(board.arrangement.isOn.value).toBe(false);
  });

  it('reorders pins, and keeps pins that are not shown', () => {
    board.cards.pins.set(['a/1', 'gone', 'b/1']);
    board.arrangement.moveCard('b/1', 0);
    expect(board.cards.pins.value).toEqual(['b/1', 'a/1', 'gone']);
    expect(shown()[0]).toBe('pinned: b/1 a/1');
  });
});
