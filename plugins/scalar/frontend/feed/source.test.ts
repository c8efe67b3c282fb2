import { describe, expect, it } from 'vitest';
import { ByteCache } from './source';

describe('a cache bounded by bytes', () => {
  it('evicts what was not used for the longest time', () => {
    const cache = new ByteCache<string>(30);
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 10);
    cache.get('a');
    cache.set('d', 'd', 15);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, undefined, 'd']);
    expect(cache.bytes).toBe(25);
  });

  it('counts a value that is replaced or deleted once', () => {
    const cache = new ByteCache<string>(30);
    cache.set('a', 'old', 20);
    cache.set('a', 'new', 25);
    expect([cache.get('a'), cache.bytes]).toEqual(['new', 25]);
    cache.delete('a');
    cache.delete('a');
    expect([cache.get('a'), cache.bytes]).toEqual([undefined, 0]);
  });

  it('does not keep a value that alone exceeds the limit, nor the older one of its key', () => {
    const cache = new ByteCache<string>(30);
    cache.set('a', 'a', 10);
    cache.set('b', 'b', 10);
    cache.set('a', 'huge', 31);
    expect([cache.get('a'), cache.get('b'), cache.bytes]).toEqual([undefined, 'b', 10]);
  });
});
