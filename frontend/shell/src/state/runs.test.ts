import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Runs, type RunRow } from './runs';
import { ViewUrl } from './url';

const row = (name: string, at: number): RunRow => ({ name, dialects: [], start_time: at, loading: false, damage: 0 });

function made(hash: string) {
  let written = hash;
  const url = new ViewUrl({ hash: () => written, write: (next) => void (written = next), onMove: () => undefined });
  const table = signal({ runs: [row('adam_1', 1), row('adam_2', 2), row('sgd_1', 3), row('sgd_2', 4)] });
  const archived = signal<ReadonlySet<string>>(new Set());
  const runs = new Runs(table, { byRun: signal(new Map()), archived }, signal('light' as const), url);
  return {
    runs,
    archived,
    drawn: () => runs.selected.value.map(({ name }) => name),
    address: async () => (await Promise.resolve(), written),
  };
}

describe('archived runs', () => {
  it('are neither listed nor drawn until they are asked for, and do not count as gone', async () => {
    const { runs, drawn, archived, address } = made('#runs=adam_1;sgd_1');
    const listed = (): readonly string[] => runs.rows.value.map(({ name }) => name);
    archived.value = new Set(['sgd_1', 'of other logs']);
    expect(drawn()).toEqual(['adam_1']);
    expect(listed()).not.toContain('sgd_1');
    expect([runs.archivedCount.value, runs.gone.value]).toEqual([1, []]);
    runs.withArchived.set(true);
    expect(drawn()).toEqual(['adam_1', 'sgd_1']);
    expect(runs.all.value.filter((run) => run.archived).map(({ name }) => name)).toEqual(['sgd_1']);
    expect(await address()).toContain('archived=1');
    archived.value = new Set();
    expect(runs.all.value.some((run) => run.archived)).toBe(false);
  });
});

describe('runs that the filter hides', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are not drawn, are still selected, and are drawn again without the filter', async () => {
    const { runs, drawn, address } = made('#filter=adam');
    expect(drawn()).toEqual(['adam_1', 'adam_2']);
    expect(runs.selectedSet.value.size).toBe(4);
    expect(runs.hiddenCount.value).toBe(2);
    runs.filterText.set('');
    vi.runAllTimers();
    expect(drawn()).toEqual(['adam_1', 'adam_2', 'sgd_1', 'sgd_2']);
    expect(runs.hiddenCount.value).toBe(0);
    expect(await address()).toBe('');
  });

  it('keep being drawn while the user types: views follow once, the list follows each key', () => {
    const { runs, drawn } = made('');
    const pictures: number[] = [];
    runs.selected.subscribe((selected) => void pictures.push(selected.length));
    for (const text of ['a', 'ad', 'adx', 'ad', 'adam_2']) runs.filterText.set(text);
    expect(runs.rows.value.map(({ name }) => name)).toEqual(['adam_2']);
    expect(drawn()).toHaveLength(4);
    vi.runAllTimers();
    expect(drawn()).toEqual(['adam_2']);
    expect(pictures).toEqual([4, 1]);
  });

  it('keep their selection when a view selects among the others', async () => {
    const { runs, drawn, address } = made('#filter=adam&runs=adam_1,sgd_1');
    runs.selectShown(['adam_2']);
    expect(drawn()).toEqual(['adam_2']);
    expect(runs.selectedSet.value).toEqual(new Set(['adam_2', 'sgd_1']));
    runs.selectShown([]);
    expect(runs.selectedSet.value).toEqual(new Set(['sgd_1']));
    expect(await address()).toBe('#filter=adam&runs=sgd_1');
  });

  it('are shown when one of them is asked for alone', () => {
    const { runs, drawn } = made('#filter=adam');
    const hidden = runs.all.value.find(({ name }) => name === 'sgd_2');
    runs.selectOnly(hidden!);
    vi.runAllTimers();
    expect(runs.filterText.value).toBe('');
    expect(drawn()).toEqual(['sgd_2']);
  });

  it('have places in the order of the list, by which charts choose what to draw', () => {
    const { runs } = made('#filter=adam');
    expect([...runs.places.value.keys()]).toEqual(['sgd_2', 'sgd_1', 'adam_2', 'adam_1']);
    runs.sort.set(['name']);
    expect(runs.places.value.get('sgd_2')).toBe(3);
  });
});

describe('runs of a link that are gone', () => {
  it('are counted, and can be dropped', async () => {
    const { runs, drawn, address } = made('#runs=adam_1;gone_1');
    expect(runs.gone.value).toEqual(['gone_1']);
    expect(drawn()).toEqual(['adam_1']);
    runs.forgetGone();
    expect(runs.gone.value).toEqual([]);
    expect(await address()).toBe('#runs=adam_1');
  });

  it('are none of those that a link leaves out', () => {
    expect(made('#runs=~gone_1').runs.gone.value).toEqual([]);
  });
});
