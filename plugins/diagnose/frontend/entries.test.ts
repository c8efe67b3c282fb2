import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { expect, it, vi } from 'vitest';
import type { Finding } from './answer';
import { Dismissed } from './dismissed';
import { entriesOf, evidenceOf, filterTo } from './entries';

function found(rule: string, runs: readonly string[], more: Partial<Finding> = {}): Finding {
  return {
    plugin: 'mine',
    rule,
    runs,
    severity: 'warning',
    title: { error: rule },
    saw: { error: 'it is so' },
    change: null,
    shared: [],
    place: { plugin: 'scalar', tag: '', steps: null, state: {} },
    saves: null,
    confidence: 'measured',
    each: [],
    ...more,
  };
}

const AT = { plugin: 'scalar', tag: 'loss', steps: [61, 90], state: {} } as const;

it('makes one entry of all that a rule found, and shows what is good first', () => {
  const entries = entriesOf([
    found('slow', ['a', 'b']),
    found('best', ['c'], { severity: 'hint' }),
    found('slow', ['d'], { severity: 'hint' }),
    found('best', ['c'], { severity: 'good' }),
  ]);
  expect(entries.map(({ key, runs, also }) => [key, runs, also.length])).toEqual([
    ['mine/slow', ['a', 'b', 'd'], 1],
    ['mine/best', ['c'], 1],
  ]);
  expect(entries[1]?.head.severity).toBe('good');
});

it('tells one story of one step: an alert is part of the worse entry', () => {
  const entries = entriesOf([
    found('nonfinite', ['a'], { severity: 'error', place: AT }),
    found('alert', ['a'], { place: AT }),
    found('alert_of_another_run', ['b'], { place: AT }),
    found('note', ['a'], { severity: 'hint', place: AT }),
  ]);
  expect(entries.map(({ key, also }) => [key, also.map(({ rule }) => rule)])).toEqual([
    ['mine/nonfinite', ['alert']],
    ['mine/alert_of_another_run', []],
    ['mine/note', []],
  ]);
});

it('draws what a finding names: the runs, or a share with what is saved of it', () => {
  const [many] = entriesOf([found('slow', ['a', 'c'], { each: [found('slow', ['a']), found('slow', ['c'])] })]);
  expect(many && evidenceOf(many, 3)).toEqual({ kind: 'runs', meant: [false, true, true] });
  const saves = { low: 0.1, high: 0.3, of: 'step', assumes: null } as const;
  const [share] = entriesOf([found('late', ['a'], { saves, saw: { error: '', code: 'x', details: { share: 63 } } })]);
  expect(share && evidenceOf(share, 1)).toEqual({ kind: 'share', share: 0.63, saved: [0.1, 0.3] });
  const [words] = entriesOf([found('best', ['a'], { saw: { error: '', code: 'x', details: { share: '≥ 76 %' } } })]);
  expect(words && evidenceOf(words, 1)).toEqual({ kind: 'share', share: 0.76, saved: null });
  const details = { percent: 100 };
  const [series] = entriesOf([found('dead', ['a'], { place: AT, saw: { error: '', code: 'x', details } })]);
  expect(series && evidenceOf(series, 1)).toBeNull();
});

it('filters by what only these runs share, else by their names, and selects them if these are too long', () => {
  const ctx = fakeContext(['a.1', 'b']);
  const condition = { columns: ['lr'], text: 'lr = 0.3', having: 2, of: 2, others_having: 0, others: 5 };
  filterTo(ctx, { runs: ['a.1', 'b'], shared: [condition] });
  expect(ctx.runs.filter.value).toBe('lr = 0.3');
  filterTo(ctx, { runs: ['a.1', 'b'], shared: [{ ...condition, others_having: 1 }] });
  expect(ctx.runs.filter.value).toBe('^(a\\.1|b)$');
  filterTo(ctx, { runs: ['a.1', 'x'.repeat(3000)], shared: [] });
  expect(ctx.runs.filter.value).toBe('^(a\\.1|b)$');
  expect(ctx.runs.selected.value.map(({ name }) => name)).toEqual(['a.1']);
});

const ENTRY = { key: 'mine/slow', runs: ['a', 'b'] };

it('dismisses for these runs, until another run has the fault or it is listed again', async () => {
  const ctx = fakeContext(['a', 'b', 'c']);
  const page = new Page(ctx);
  const dismissed = new Dismissed(page);
  await dismissed.dismiss(ENTRY);
  expect(dismissed.hides(ENTRY)).toBe(true);
  expect(dismissed.hides({ key: 'mine/slow', runs: ['b'] })).toBe(true);
  expect(dismissed.hides({ key: 'mine/slow', runs: ['a', 'b', 'c'] })).toBe(false);
  expect(dismissed.hides({ key: 'mine/other', runs: ['a'] })).toBe(false);
  const other = new Dismissed(new Page(ctx)); // another page of the same host
  await vi.waitFor(() => expect(other.hides(ENTRY)).toBe(true));
  await other.dismiss({ key: 'mine/other', runs: ['c'] });
  await dismissed.restore(ENTRY); // although the other one was faster
  expect(dismissed.hides(ENTRY)).toBe(false);
  expect(dismissed.hides({ key: 'mine/other', runs: ['c'] })).toBe(true);
  page.dispose();
});

it('keeps it in the browser where the host saves nothing or has no room', async () => {
  const ctx = fakeContext(['a', 'b']);
  const full = { ...ctx.saved, set: () => Promise.reject(Object.assign(new Error('full'), { code: 'saved_full' })) };
  const page = new Page({ ...ctx, saved: full });
  const dismissed = new Dismissed(page);
  await dismissed.dismiss(ENTRY);
  expect(dismissed.hides(ENTRY)).toBe(true);
  expect(ctx.notices).toHaveLength(1);
  expect(new Dismissed(new Page({ ...ctx, saved: full })).hides(ENTRY)).toBe(true);
  await dismissed.restore(ENTRY);
  expect(dismissed.hides(ENTRY)).toBe(false);
  page.dispose();
});
