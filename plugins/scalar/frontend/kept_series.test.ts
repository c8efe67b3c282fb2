import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { describe, expect, it, vi } from 'vitest';
import { Derived } from './derived';

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
