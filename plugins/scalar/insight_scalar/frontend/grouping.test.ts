import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeContext } from '@insight-host/kit/testing';
import { codecs, Page } from '@insight-host/kit';
import { fitsCentre, Grouping } from './grouping';
import { groupColor, rememberGroups } from './lines';

/** A host that takes balanced expressions only. */
function made(link = '', by = '') {
  const asked: string[] = [];
  const ctx = fakeContext(['lr1_seed0'], {
    json: async (route, query) => {
      if (route !== 'groups') return new Promise(() => undefined);
      const text = String(query['group'] ?? '');
      const columns = query['by'] as readonly string[];
      asked.push([text, ...columns].join(' ').trim());
      if (columns.includes('p/gone')) throw new Error('by: no run has a column p/gone');
      if (text.split('(').length !== text.split(')').length)
        throw new Error('group is not a regular expression: missing )');
      return {
        groups: [
          { group: 'first', runs: 1 },
          { group: 'second', runs: 2 },
        ],
      };
    },
  });
  const keys = new Map([
    ['group', link],
    ['by', by],
  ]);
  ctx.address.value = new Map([...keys].filter(([, value]) => value));
  const page = new Page(ctx);
  const grouping = new Grouping(page, page.setting('group', codecs.text), page.setting('by', codecs.names));
  return { asked, page, grouping, address: (key = 'group') => ctx.address.value.get(key) };
}

async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000);
}

it('errors and deviations lie around a mean only', () => {
  expect(['minmax', 'iqr'].every((spread) => fitsCentre(spread as 'iqr', 'median'))).toBe(true);
  expect(['std', 'sem', 'ci95'].some((spread) => fitsCentre(spread as 'sem', 'median'))).toBe(false);
  expect(fitsCentre('ci95', 'mean')).toBe(true);
});

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

  it('is by columns too, which are kept in the link', async () => {
    const { asked, grouping, address } = made();
    expect(grouping.query('mean', 'std')).toBeNull();
    grouping.pick('p/lr');
    await settle();
    grouping.pick('p/seed');
    await settle();
    expect(asked).toEqual(['p/lr', 'p/lr p/seed']);
    expect(address('by')).toBe('p/lr;p/seed');
    expect(grouping.query('median', 'iqr')).toEqual({
      group: null,
      by: ['p/lr', 'p/seed'],
      centre: 'median',
      spread: 'iqr',
    });
    grouping.pick('p/lr');
    grouping.pick('p/seed');
    expect(grouping.query('mean', 'std')).toBeNull();
  });

  it('asks once about a link with an expression and columns', async () => {
    const { asked, grouping } = made('lr(.)', 'p/seed');
    expect(grouping.query('mean', 'std')).toBeUndefined();
    await settle();
    expect(asked).toEqual(['lr(.) p/seed']);
    expect(grouping.query('mean', 'std')).toMatchObject({ group: 'lr(.)', by: ['p/seed'] });
  });

  it('by a column that is gone says so and groups nothing', async () => {
    const { grouping } = made('', 'p/gone');
    await settle();
    expect(grouping.query('mean', 'std')).toBeNull();
    expect(grouping.error.value).toContain('p/gone');
  });

  it('gives all groups their colours before any is drawn', async () => {
    made('lr(.)');
    await settle();
    const [second, first] = [groupColor('second'), groupColor('first')];
    rememberGroups(['first', 'second']);
    expect([groupColor('second'), groupColor('first')]).toEqual([second, first]);
  });

  it('without any in the link waits for nobody', () => {
    expect(made().grouping.active.value).toBe('');
  });
});
