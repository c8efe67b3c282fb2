import { expect, it } from 'vitest';
import { Page } from './page';
import { PerCard } from './card_key';
import { fakeContext } from '../testing';

it('keeps what is set of single cards in the URL, until nothing is', () => {
  const ctx = fakeContext([]);
  const zoom = new PerCard(new Page(ctx), 'zoom', (text) => Number(text) || null, String);
  const [series, tag] = [
    { tag: 'a', run: 'r' },
    { tag: 'a', run: null },
  ];
  zoom.set(series, 2);
  zoom.set(tag, 3);
  expect([zoom.of(series), zoom.of(tag), zoom.of({ tag: 'b', run: null })]).toEqual([2, 3, undefined]);
  expect(ctx.address.value.get('zoom')).toBe('a,r=2;a=3');
  zoom.set(series, null);
  expect([zoom.of(series), zoom.isEmpty]).toEqual([undefined, false]);
  zoom.clear();
  expect([zoom.isEmpty, ctx.address.value.has('zoom')]).toEqual([true, false]);
});
