import { expect, it } from 'vitest';
import { fakeContext } from '@insight-host/kit/testing';
import { codecs, Page } from '@insight-host/kit';
import { fitsCentre, Grouping } from './query';

function made(address: Readonly<Record<string, string>> = {}) {
  const ctx = fakeContext(['lr1_seed0']);
  ctx.address.value = new Map(Object.entries(address));
  const page = new Page(ctx);
  const grouping = new Grouping(page, page.setting('group', codecs.text), page.setting('by', codecs.names));
  return { ctx, grouping, query: () => grouping.query('mean', 'minmax') };
}

it('errors and deviations lie around a mean only', () => {
  expect(['minmax', 'iqr'].every((spread) => fitsCentre(spread as 'iqr', 'median'))).toBe(true);
  expect(['std', 'sem', 'ci95'].some((spread) => fitsCentre(spread as 'sem', 'median'))).toBe(false);
  expect(fitsCentre('ci95', 'mean')).toBe(true);
});

it('bands follow what the run panel groups by: columns, a part of the name, directories', () => {
  const { ctx, grouping, query } = made();
  expect([grouping.isOn.value, query()]).toEqual([false, null]);
  ctx.runs.groupBy.set(['p/lr', 'p/optimizer']);
  expect(query()).toMatchObject({ group: null, by: ['p/lr', 'p/optimizer'] });
  ctx.runs.groupBy.set(['p/lr', 'name~(.*)/seed']);
  expect(query()).toMatchObject({ group: '(.*)/seed', by: ['p/lr'] });
  ctx.runs.groupBy.set(['path']);
  const directory = new RegExp(query()?.group ?? '');
  expect(['a/b/c', 'c'].map((run) => directory.exec(run)?.[1])).toEqual(['a/b', undefined]);
});

it('addresses of the last release group the run panel, and no longer say it themselves', () => {
  const { ctx, query } = made({ group: '(.*)_seed', by: 'p/lr' });
  expect(ctx.runs.groupBy.value).toEqual(['p/lr', 'name~(.*)_seed']);
  expect(query()).toMatchObject({ group: '(.*)_seed', by: ['p/lr'] });
  expect([...ctx.address.value]).toEqual([]);
});
