import { describe, expect, it } from 'vitest';
import { cardCodec, cardId, sameCard } from './card_key';
import * as codecs from './codecs';

describe('codecs', () => {
  it('carry names with any letters', () => {
    const names = ['', 'loss/train', 'a;b=c,d%~', '损失', '~', '100%'];
    expect(codecs.names.parse(codecs.names.format(names))).toEqual(names);
    const map = codecs.byTag<string>(codecs.decoded, codecs.encoded);
    const pairs = new Map(names.map((name) => [name, `${name}=;`]));
    expect(map.parse(map.format(pairs))).toEqual(pairs);
  });

  it('tell an empty name from none', () => {
    for (const name of [null, '', 'a;b', '~']) expect(codecs.name.parse(codecs.name.format(name))).toBe(name);
    expect(codecs.name.parse(null)).toBeNull();
    expect(codecs.names.parse('a;;b')).toEqual(['a', 'b']);
    expect(codecs.names.parse('a,b;c')).toEqual(['a', 'b', 'c']);
  });

  it('leave the default out of the URL, and take nonsense as the default', () => {
    expect(codecs.names.format([])).toBeNull();
    expect(codecs.flag(true).format(true)).toBeNull();
    expect(codecs.xKind.format('step')).toBeNull();
    expect(codecs.xKind.parse('sideways')).toBe('step');
    const bins = codecs.wholeNumber(1, 100, 30);
    expect([
      bins.parse(null),
      bins.parse('x'),
      bins.parse(''),
      bins.parse('7.6'),
      bins.parse('-1'),
      bins.parse('1e9'),
    ]).toEqual([30, 30, 30, 8, 1, 100]);
    expect([bins.format(30), bins.format(31), bins.format(NaN)]).toEqual([null, '31', null]);
    expect(codecs.number(0, 2, 1).format(0.1 + 0.2)).toBe('0.3');
  });

  it('know cards by tag, or by tag and run', () => {
    const cards = [
      { tag: '', run: null },
      { tag: '', run: '' },
      { tag: 'a;b,c', run: null },
      { tag: 'a', run: 'b,c' },
      { tag: 'a=1', run: 'x;y' },
    ];
    for (const card of cards) expect(cardCodec.parse(cardCodec.format(card))).toEqual(card);
    expect(cardCodec.parse(null)).toBeNull();
    expect(cardCodec.parse('')).toBeNull();
    expect(sameCard(cards[0] ?? null, cards[1] ?? null)).toBe(false);
    const steps = codecs.byCard<number>((text) => (text ? Number(text) : null), String);
    const map = new Map(cards.map((card, i) => [cardId(card), i]));
    expect(map.size).toBe(cards.length);
    expect(steps.parse(steps.format(map))).toEqual(map);
  });
});
