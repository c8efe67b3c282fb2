import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardParts, type CardParts } from './card_parts';
import { cardCodec } from './card_key';
import { Page } from './page';
import { fakeContext, type FakeContext } from '../testing';

describe('the cards of a tab', () => {
  const perTag = signal(true);
  let ctx: FakeContext;
  let parts: CardParts;
  const titles = (): string[] => parts.cards.groups.value.map(({ kind, name }) => `${kind} ${name}`);

  beforeEach(() => {
    perTag.value = true;
    ctx = fakeContext(['a', 'b'], { series: { a: ['loss', 'eval/acc'], b: ['loss'] } });
    parts = cardParts(new Page(ctx), perTag);
  });
  afterEach(() => parts.page.dispose());

  it('are one for each tag, or one for each run of a tag', () => {
    expect(titles()).toEqual(['prefix eval', 'prefix ']);
    perTag.value = false;
    expect(titles()).toEqual(['tag eval/acc', 'tag loss']);
    expect(parts.cards.groups.value[1]?.cards).toEqual([
      { tag: 'loss', run: 'a' },
      { tag: 'loss', run: 'b' },
    ]);
  });

  it('are those of the runs of a tag in the order of the run panel', () => {
    perTag.value = false;
    const places = new Map([
      ['b', 0],
      ['a', 1],
    ]);
    ctx.runs.drawing.value = { places, orders: [] };
    expect(parts.cards.groups.value[1]?.cards.map(({ run }) => run)).toEqual(['b', 'a']);
    expect(parts.tags.runNames('loss')).toEqual(['a', 'b']);
  });

  it('are those of tags that match the filter, and those that are pinned', () => {
    parts.filter.text.set('acc');
    expect([parts.filter.shown.value, titles()]).toEqual([['eval/acc'], ['prefix eval']]);
    parts.cards.togglePin('loss');
    expect(parts.cards.groups.value.map(({ kind }) => kind)).toEqual(['pinned', 'prefix']);
    parts.cards.togglePin('loss');
    parts.filter.text.set('(');
    expect([parts.filter.match.value.error === null, titles()]).toEqual([false, []]);
  });

  it('are there as long as a selected run has their tag', () => {
    const { cards } = parts;
    const there = () => [cards.has({ tag: 'loss', run: 'b' }), cards.has({ tag: 'loss', run: null })];
    expect(there()).toEqual([true, true]);
    ctx.runs.select(['a']);
    expect(there()).toEqual([false, true]);
    expect(cards.has({ tag: 'gone', run: null })).toBe(false);
  });

  it('stand in the order of the tab, which may have other cards next to them', () => {
    const before = titles();
    parts.cards.arrange.value = (groups) => groups.toReversed();
    expect(titles()).toEqual(before.toReversed());
    const other = { tag: '\u0000mine', run: null };
    expect(parts.cards.has(other)).toBe(false);
    parts.cards.others.value = new Set([other.tag]);
    expect(parts.cards.has(other)).toBe(true);
    expect(cardCodec.named?.(other)).toEqual({}); // no tag of the logs: no saved view misses it
  });

  it('say in the URL which groups are closed and which card fills the screen', () => {
    parts.cards.toggleGroup('eval');
    parts.cards.full.set({ tag: 'loss', run: null });
    expect([...ctx.address.value]).toEqual([
      ['closed', 'eval'],
      ['full', 'loss'],
    ]);
    parts.cards.toggleGroup('eval');
    expect(ctx.address.value.has('closed')).toBe(false);
  });

  it('have those of groups that come last closed until the user opens them, unless there is nothing else', () => {
    const { cards, filter } = parts;
    expect([cards.isClosed('system'), cards.isClosed('environment')]).toEqual([true, true]);
    const states = [cards.isClosed('hparam'), cards.isClosed('eval')];
    for (let i = 0; i < 2; i++) {
      cards.toggleGroup('hparam');
      states.push(cards.isClosed('hparam'));
    }
    filter.text.set('no such tag');
    expect(cards.isClosed('hparam')).toBe(false);
    filter.text.set('');
    expect(states).toEqual([true, false, false, true]);
    expect(ctx.address.value.has('closed')).toBe(false);
    cards.closed.set(['hparam']); // of an address of the last release
    expect(cards.isClosed('hparam')).toBe(true);
    cards.toggleGroup('hparam');
    expect(cards.isClosed('hparam')).toBe(false);
  });
});
