import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeContext } from '@insight-host/kit/testing';
import { codecs, Page } from '@insight-host/kit';
import { Grouping } from './grouping';

/** A host that takes balanced expressions only. */
function made(link = '') {
  const asked: string[] = [];
  const ctx = fakeContext(['lr1_seed0'], {
    json: async (route, query) => {
      if (route !== 'groups') return new Promise(() => undefined);
      const text = String(query['group']);
      asked.push(text);
      if (text.split('(').length !== text.split(')').length)
        throw new Error('group is not a regular expression: missing )');
      return { groups: [] };
    },
  });
  if (link) ctx.address.value = new Map([['group', link]]);
  const page = new Page(ctx);
  const grouping = new Grouping(page, page.setting('group', codecs.text));
  return { asked, page, grouping, address: () => ctx.address.value.get('group') };
}

async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000);
}

describe('grouping of runs', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('asks the host once the user has stopped typing, not at each key', async () => {
    const { asked, grouping } = made();
    for (const text of ['l', 'lr', 'lr(', 'lr(.', 'lr(.)']) grouping.type(text);
    await settle();
    expect(asked).toEqual(['lr(.)']);
    expect(grouping.active.value).toBe('lr(.)');
  });

  it('keeps the last valid grouping while the expression is invalid, and says why', async () => {
    const { grouping, address } = made('lr(.)');
    await settle();
    expect(grouping.active.value).toBe('lr(.)');
    grouping.type('lr(.)_(');
    await settle();
    expect(grouping.draft.value).toBe('lr(.)_(');
    expect(grouping.active.value).toBe('lr(.)');
    expect(grouping.error.value).toContain('missing )');
    expect(address()).toBe('lr(.)');
    grouping.type('lr(.)_(.*)');
    expect(grouping.error.value).toBeNull();
    await settle();
    expect(grouping.active.value).toBe('lr(.)_(.*)');
    expect(address()).toBe('lr(.)_(.*)');
  });

  it('is off at once when the field is empty', () => {
    const { asked, grouping } = made();
    grouping.type('(');
    grouping.type('');
    expect(grouping.active.value).toBe('');
    expect(asked).toEqual([]);
  });

  it('of an invalid expression in a link groups nothing, and the field says why', async () => {
    const { page, grouping } = made('lr(');
    expect(grouping.active.value).toBeNull();
    await settle();
    expect(grouping.active.value).toBe('');
    expect(grouping.draft.value).toBe('lr(');
    expect(grouping.error.value).toContain('missing )');
    page.dispose();
  });

  it('without any in the link waits for nobody', () => {
    expect(made().grouping.active.value).toBe('');
  });
});
