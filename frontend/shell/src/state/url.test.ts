import { codecs } from '@insight-host/kit';
import { describe, expect, it, vi } from 'vitest';
import { formatHash, parseHash } from './browser';
import { type Address, type History, ViewUrl } from './url';

class FakeAddress implements Address {
  stack: string[];
  private move: () => void = () => undefined;
  constructor(first: string) {
    this.stack = [first];
  }
  hash = (): string => this.stack.at(-1) ?? '';
  write = (hash: string, how: History): void => {
    if (how === 'replace') this.stack.pop();
    this.stack.push(hash);
  };
  onMove = (listener: () => void): void => {
    this.move = listener;
  };
  back(): void {
    this.stack.pop();
    this.move();
  }
}
const settled = (): Promise<void> => new Promise((resolve) => queueMicrotask(resolve));

describe('hash text', () => {
  it.each([
    [{ tab: 'scalar', 'scalar.x': 'relative' }],
    [{ filter: 'lr=.*|seed_[0-3]&#%+ ?' }],
    [{ filter: '训练 🚀', runs: 'a\\,b,c/d' }],
    [{ empty: '' }],
  ])('comes back as it went: %j', (entries) => {
    expect(Object.fromEntries(parseHash(formatHash(new Map(Object.entries(entries)))))).toEqual(entries);
  });

  it('reads what people type', () => {
    expect([...parseHash('#tab=scalar&&filter=100%&x')]).toEqual([
      ['tab', 'scalar'],
      ['filter', '100%'],
      ['x', ''],
    ]);
    expect(formatHash(new Map())).toBe('');
  });
});

describe('view state', () => {
  it('merges keys, leaves defaults out, and writes once a turn', async () => {
    const address = new FakeAddress('#tab=scalar&foreign=1');
    const write = vi.spyOn(address, 'write');
    const url = new ViewUrl(address);
    const x = url.state('scalar.x', codecs.choice(['step', 'wall'], 'step'));
    const filter = url.state('filter', codecs.text);
    x.set('wall');
    filter.set('loss');
    await settled();
    expect(write).toHaveBeenCalledTimes(1);
    expect(address.hash()).toBe('#tab=scalar&foreign=1&scalar.x=wall&filter=loss');
    x.set('step');
    await settled();
    expect(address.hash()).toBe('#tab=scalar&foreign=1&filter=loss');
  });

  it('tells all keys of a prefix, and what another page wrote there', () => {
    const address = new FakeAddress('#p.mine.a=1&p.mine.b%20c=x%26y&p.other.a=2&p.mine=3');
    const url = new ViewUrl(address);
    expect(url.below('p.mine.')).toEqual({ a: '1', 'b c': 'x&y' });
    expect(url.below('p.none.')).toEqual({});
  });

  it('pushes an entry that Back undoes', async () => {
    const address = new FakeAddress('');
    const url = new ViewUrl(address);
    const filter = url.state('filter', codecs.text);
    const seen: string[] = [];
    filter.subscribe((value) => seen.push(value));
    filter.set('a', 'push');
    url.set('other', '1'); // in the same turn: one entry for both
    await settled();
    expect(address.stack).toEqual(['', '#filter=a&other=1']);
    address.back();
    expect(filter.value).toBe('');
    expect(url.get('other')).toBeNull();
    expect(seen).toEqual(['', 'a', '']);
  });

  it('takes the fallback when a codec refuses a text', () => {
    const url = new ViewUrl(new FakeAddress('#n=abc'));
    const codec = {
      parse: (text: string | null): number => {
        if (text === 'abc') throw new Error('no number');
        return Number(text ?? 7);
      },
      format: String,
    };
    expect(url.state('n', codec).value).toBe(7);
  });

  it('keeps the identity of a parsed value until its text changes', () => {
    const url = new ViewUrl(new FakeAddress('#names=a,b'));
    const names = url.state('names', codecs.names);
    const first = names.value;
    expect(names.value).toBe(first);
    names.set(['c']);
    expect(names.value).toEqual(['c']);
  });
});
