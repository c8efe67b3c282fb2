import { signal } from '@preact/signals';
import { Page } from '@insight-host/kit';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sectionOf, translated } from './layouts';
import { keyOf, panelOf, Panels, panelsCodec, type Panel } from './panels';
import { chosenTags, emptiness, matcher } from './choice';

const panel: Panel = {
  id: 'p0',
  kind: 'lines',
  title: `a "b" (c) {d} 'e'`,
  tags: ['x/y'],
  regex: '^(a|b){2}$',
  width: 6,
};

describe('panels in a URL', () => {
  it('come back as they were, whatever signs are in them', () => {
    const text = panelsCodec.format([panel, { id: 'p1', kind: 'note', text: 'line 1\nline 2' }]);
    expect(text).toMatch(/^\[\('id':'p0','kind':'lines'/);
    expect(panelsCodec.parse(text)).toEqual([panel, { id: 'p1', kind: 'note', text: 'line 1\nline 2' }]);
    expect(panelsCodec.format([])).toBeNull();
  });

  it('lose what is malformed and keep the others', () => {
    const read = [
      null,
      { title: 'no kind' },
      { kind: 'bars', y: 7, width: 99, height: -5 },
      { kind: 'bars', id: 'p2' },
    ];
    const text = panelsCodec.format(read as never);
    expect(panelsCodec.parse(text)).toEqual([{ id: 'p2', kind: 'bars', width: 12, height: 120 }]);
    expect(panelOf({ kind: 'lines', tags: [1], margins: [{ value: 'a' }] })).toEqual({ kind: 'lines' });
  });

  it('name their tags, so that a saved view says which are gone', () => {
    const margins = [{ value: 'v', lower: 'l', upper: 'u' }];
    expect(panelsCodec.named?.([{ ...panel, margins }])).toEqual({ tags: ['x/y', 'v', 'l', 'u'] });
  });
});

describe('panels of a board', () => {
  let ctx: FakeContext;
  let page: Page;
  let panels: Panels;
  const keys = signal<ReadonlySet<string>>(new Set());
  const ids = (): readonly string[] => panels.own.value.map(({ id }) => id);

  beforeEach(() => {
    ctx = fakeContext(['a']);
    page = new Page(ctx);
    panels = new Panels(page, keys);
    for (const tag of ['one', 'two', 'three']) panels.add({ kind: 'lines', tags: [tag] });
  });
  afterEach(() => page.dispose());

  it('get ids of their own, move, change and go', () => {
    const [one, two, three] = ids() as [string, string, string];
    expect(new Set([one, two, three]).size).toBe(3);
    panels.move(three, 0);
    expect(ids()).toEqual([three, one, two]);
    panels.remove(one);
    panels.add({ kind: 'note', text: 'x' });
    expect(ids().slice(0, 2)).toEqual([three, two]);
    panels.change(two, { kind: 'bars', y: 'last/one' });
    expect(panels.of(keyOf({ id: two }))).toEqual({ id: two, kind: 'bars', y: 'last/one' });
    expect(ctx.address.value.get('panels')).toContain(`'id':'${three}'`);
  });

  it('get ids that no removed panel had: zooms and thresholds are kept by id', () => {
    for (let n = 0; n < 20; n++) {
      const gone = ids();
      for (const id of gone) panels.remove(id);
      panels.add({ kind: 'lines', tags: ['one'] });
      expect(gone).not.toContain(ids()[0]);
    }
  });

  it('are cards with names, which follow what is in them', () => {
    const two = ids()[1] as string;
    expect([...keys.value]).toEqual(ids().map((id) => keyOf({ id })));
    expect(page.titleOf(keyOf({ id: two }))).toBe('two');
    panels.change(two, { kind: 'lines', tags: ['two', 'three'] });
    expect(page.titleOf(keyOf({ id: two }))).toBe('two, three');
    panels.change(two, { kind: 'lines', tags: ['two'], title: 'mine' });
    expect(page.titleOf(keyOf({ id: two }))).toBe('mine');
    panels.change(two, { kind: 'unheard' });
    expect(page.titleOf(keyOf({ id: two }))).toBe('unheard'); // no key of a text that there is not
  });

  it('draw the tags that there are, and the edges of bands', () => {
    const margins = [{ value: 'v', lower: 'l', upper: 'u' }];
    const layers = panels.layersOf({ kind: 'lines', tags: ['b', 'gone'], regex: '^a', margins }, [
      'a2',
      'a10',
      'b',
      'v',
    ]);
    expect(layers.map(({ tag, edge }) => (edge ? `${tag} ${edge.side} ${edge.of}` : tag))).toEqual([
      'v',
      'b',
      'a2',
      'a10',
      'l low v',
      'u high v',
    ]);
  });

  it('draw no more tags than can be told apart, and say how many are left out', () => {
    const tags = Array.from({ length: 53 }, (_, i) => `t${i}`);
    const many = { kind: 'lines', regex: '^t' };
    expect([panels.layersOf(many, tags).length, panels.hiddenTags(many, tags)]).toEqual([50, 3]);
    expect(panels.hiddenTags(many, tags.slice(3))).toBe(0);
  });

  it('are at most as many as a view holds, and the user sees how many were not added', () => {
    panels.add(...Array.from({ length: 198 }, (_, i) => ({ kind: 'note', text: String(i) })));
    expect([ids().length, ctx.notices.length]).toEqual([200, 1]);
    expect(panels.add({ kind: 'note', text: 'more' })).toBeUndefined();
    expect([ids().length, ctx.notices.length]).toEqual([200, 2]);
    expect(panelsCodec.parse(panelsCodec.format(panels.own.value))).toHaveLength(200);
  });

  it('fold below their headings, which layouts may fold at first', () => {
    expect([panels.isFolded('own', false), panels.isFolded('log/x', true)]).toEqual([false, true]);
    panels.turn('own');
    panels.turn('log/x');
    expect([panels.isFolded('own', false), panels.isFolded('log/x', true)]).toEqual([true, false]);
  });
});

describe('tags of a panel', () => {
  it('are those that are named, then those that match, each once', () => {
    expect(chosenTags({ tags: ['c', 'x'], regex: 'a|c' }, ['a', 'b', 'c'])).toEqual(['c', 'a']);
    expect(chosenTags({}, ['a'])).toEqual([]);
  });

  it('are empty for an invalid expression, with the reason', () => {
    expect(matcher('(').error?.key).toBe('panel.regex.bad');
    expect(emptiness({ regex: '(' }, ['a'])?.key).toBe('panel.regex.bad');
    expect(emptiness({ regex: '^b' }, ['a'])).toEqual({ key: 'panel.regex.none', reason: '^b' });
    expect(emptiness({ regex: '^b', tags: ['a'] }, ['a'])).toBeNull();
    expect(emptiness({ tags: ['b'] }, ['a'])).toBeNull();
    expect(matcher('(').matches('(')).toBe(false);
    expect(matcher(String.raw`a\-b`).matches('a-b')).toBe(true); // as Python takes it
  });
});

describe('layouts of custom scalars', () => {
  it('become panels, whose expressions match from the beginning of a tag', () => {
    const chart = { title: 'both', patterns: ['loss', 'val/.*'], margins: [], runs: ['a'] };
    const { panels } = sectionOf({ title: 'Mine', closed: true, charts: [chart] }, 3);
    expect(panels).toEqual([
      {
        id: 'log.3.0',
        kind: 'lines',
        title: 'both',
        regex: '^(?:loss)|^(?:val/.*)',
        patterns: ['loss', 'val/.*'],
        runs: ['a'],
      },
    ]);
    expect(chosenTags(panels[0]!, ['loss', 'val/loss', 'train/loss'])).toEqual(['loss', 'val/loss']);
  });

  it('are read as Python reads their expressions', () => {
    const { matches } = matcher(translated(String.raw`(?P<part>a|b)/x\Z`));
    expect(['a/x', 'b/x', 'a/xy', 'c/a/x'].map(matches)).toEqual([true, true, false, false]);
    const small = matcher(translated('(?iu)loss(?# of all)$'));
    expect(['Loss', 'LOSS', 'train/loss', 'loss2'].map(small.matches)).toEqual([true, true, false, false]);
  });
});
