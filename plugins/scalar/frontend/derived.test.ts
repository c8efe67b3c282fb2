import { codecs, Page } from '@insight-host/kit';
import { fakeContext, fakeTags } from '@insight-host/kit/testing';
import { describe, expect, it, vi } from 'vitest';
import { Derived, expressionOf, quoted, tagOf, tagsIn, withDerived } from './derived';
import { reasonOf } from './dialogs/derived_dialog';

const GAP = '"train/loss" - "my \\"own\\" loss"';

it('the tags of an expression are what stands in quotes', () => {
  expect(tagsIn(GAP)).toEqual(['train/loss', 'my "own" loss']);
  expect(tagsIn('"a" + "broken')).toEqual(['a']);
  expect([quoted('train/loss'), quoted('损失'), quoted('my loss'), quoted('a-b')]).toEqual([
    'train/loss',
    '损失',
    '"my loss"',
    '"a-b"',
  ]);
});

it('a run has a derived series where it has all of its tags', () => {
  const table = withDerived(fakeTags({ a: ['x', 'y'], b: ['x'], c: ['="x" + "y"', 'x', 'y'] }), ['"x" + "y"']);
  const tag = tagOf('"x" + "y"');
  expect(['a', 'b', 'c'].map((run) => table.tagsOf(run))).toEqual([['x', 'y', tag], ['x'], [tag, 'x', 'y']]);
  expect(table.infoOf('a', tag)).toMatchObject({ attempts: 1, plugin: 'scalar' });
  expect(table.infoOf('b', tag)).toBeUndefined();
});

it('runs with equal tags still share one list', () => {
  const shared = ['x', 'y'];
  const table = withDerived({ ...fakeTags({ a: shared, b: shared }), tagsOf: () => shared }, ['"x"']);
  expect(table.tagsOf('a')).toBe(table.tagsOf('b'));
});

it('the link keeps expressions with their names, and a change of a tag changes what is derived from it', () => {
  const ctx = fakeContext(['r'], { series: { r: ['x', 'y'] } });
  const page = new Page(ctx);
  const derived = new Derived(page);
  derived.set(GAP, 'gap; %=~');
  derived.set('"x" / "y"', 'ratio');
  const codec = codecs.byTag<string>(codecs.decoded, codecs.encoded);
  expect([...codec.parse(ctx.address.value.get('derived') ?? null)]).toEqual([
    [GAP, 'gap; %=~'],
    ['"x" / "y"', 'ratio'],
  ]);
  expect(page.titleOf(tagOf(GAP))).toBe('gap; %=~');
  expect(derived.catalogue.value.value?.tagsOf('r')).toEqual(['x', 'y', '="x" / "y"']);
  expect(derived.affected({ r: ['y'], s: ['z'] })).toEqual({ r: ['y', '="x" / "y"'], s: ['z'] });
  expect(derived.affected(null)).toBeNull();
  derived.set('"x" / "y"', null);
  expect(derived.affected({ r: ['y'] })).toEqual({ r: ['y', '="x" / "y"'] }); // it may be cached, and come back
  expect(expressionOf('x')).toBeNull();
});

it('errors of the host are in the language of the page', () => {
  const say = (key: string, values?: Record<string, string | number>): string => `${key} ${JSON.stringify(values)}`;
  const error = Object.assign(new Error('in English'), {
    code: 'expression_name',
    details: { position: 3, close: '' },
  });
  expect(reasonOf(error, say)).toBe('expression_name {"position":3,"close":""}');
  expect(reasonOf(new Error('no host'), say)).toBe('no host');
});

const SUM = '"x" + "y"';
const RATIO = '"x" / "y"';

describe('computed series that the host keeps', () => {
  it('are there in every page, and are named like those of the link', async () => {
    const ctx = fakeContext(['r'], { series: { r: ['x', 'y'] } });
    const first = new Derived(new Page(ctx));
    first.set(SUM, 'sum');
    await first.keep(SUM, true);
    first.set(SUM, null);
    const other = new Page(ctx);
    const second = new Derived(other);
    await vi.waitFor(() => expect([...second.names.value]).toEqual([[SUM, 'sum']]));
    expect(second.catalogue.value.value?.tagsOf('r')).toEqual(['x', 'y', `=${SUM}`]);
    expect(other.titleOf(`=${SUM}`)).toBe('sum');
    await second.change(SUM, 'total');
    await vi.waitFor(() => expect([...first.names.value]).toEqual([[SUM, 'total']]));
  });

  it('of two pages that keep one at a time are both kept', async () => {
    const ctx = fakeContext(['r'], { series: { r: ['x', 'y'] } });
    const pages = [new Derived(new Page(ctx)), new Derived(new Page(ctx))] as const;
    await Promise.all([pages[0].kept.set(SUM, 'sum'), pages[1].kept.set(RATIO, 'ratio')]);
    for (const { names } of pages)
      await vi.waitFor(() =>
        expect(new Map(names.value)).toEqual(
          new Map([
            [SUM, 'sum'],
            [RATIO, 'ratio'],
          ]),
        ),
      );
  });

  it('are in the link when they are not kept any more, and nowhere when they are removed', async () => {
    const ctx = fakeContext(['r'], { series: { r: ['x', 'y'] } });
    const derived = new Derived(new Page(ctx));
    await derived.kept.set(SUM, 'sum');
    await derived.keep(SUM, false);
    expect([derived.kept.names.value.size, derived.names.value.get(SUM)]).toEqual([0, 'sum']);
    expect(ctx.address.value.get('derived')).toContain('sum');
    await derived.keep(SUM, true);
    await derived.change(SUM, null);
    expect([derived.names.value.size, await ctx.saved.list()]).toEqual([0, []]);
  });

  it('leave the tab as it is where the host keeps something else', async () => {
    const ctx = fakeContext(['r'], { series: { r: ['x', 'y'] } });
    await ctx.saved.set('computed series', { [SUM]: 5, [RATIO]: 'ratio' }, null);
    const derived = new Derived(new Page(ctx));
    await vi.waitFor(() => expect([...derived.names.value]).toEqual([[RATIO, 'ratio']]));
  });
});
