import { beforeEach, describe, expect, it } from 'vitest';
import { Cursor, placeCodec } from './pointing';
import { ViewUrl } from './url';

describe('the cursor of all tabs', () => {
  let url: ViewUrl;
  let cursor: Cursor;
  beforeEach(() => {
    url = new ViewUrl({ hash: () => '#cursor=30', write: () => undefined, onMove: () => undefined });
    cursor = new Cursor(url);
  });

  it('stands where a link says', () => expect(cursor.now.value).toEqual({ step: 30, pinned: true, from: '' }));

  it('follows the pointer of a tab, and goes back to where it is pinned', () => {
    cursor.point({ step: 4 }, 'scalar');
    expect(cursor.now.value).toEqual({ step: 4, pinned: false, from: 'scalar' });
    cursor.point(null, 'image'); // the pointer is not in that tab
    expect(cursor.now.value?.step).toBe(4);
    cursor.point(null, 'scalar');
    expect(cursor.now.value).toMatchObject({ step: 30, pinned: true });
  });

  it('is in the URL while it is pinned, and knows which tab pinned it', () => {
    cursor.pin({ step: 7, wallTime: 1.5 }, 'scalar');
    expect([url.get('cursor'), cursor.now.value]).toEqual([
      '7;t1.5',
      { step: 7, wallTime: 1.5, pinned: true, from: 'scalar' },
    ]);
    const seen: unknown[] = [];
    cursor.now.subscribe((at) => seen.push(at));
    cursor.pin({ step: 9 }, 'image');
    // nothing between the old and the new one
    expect(seen.slice(1)).toEqual([{ step: 9, pinned: true, from: 'image' }]);
    url.set('cursor', '8'); // the user edits the link
    expect(cursor.now.value).toEqual({ step: 8, pinned: true, from: '' });
    cursor.pin(null, 'scalar');
    expect([url.get('cursor'), cursor.now.value]).toEqual([null, null]);
  });

  it('reads no nonsense', () => {
    for (const text of ['', 'x', 'NaN', 't', '1 2', null]) expect(placeCodec.parse(text)).toBeNull();
    expect(placeCodec.parse('x;t-2e3')).toEqual({ wallTime: -2000 });
    expect(placeCodec.format({ step: NaN })).toBeNull();
  });
});
