import { API, type Contributions } from '@insight-host/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AllContributions } from '../contributed/all';
import { Page } from '../state/page';
import type { Tab } from '../state/session';
import { cellOf } from './cells';
import { RunColumns } from './run_columns';

const RUNS = ['a', 'b', 'c', 'd'];
const LENGTH = {
  plugin: 'mine',
  name: 'length',
  title: 'Length',
  titles: { 'zh-CN': '长度' },
  kind: 'number',
  group: '',
  values: [3, 'NaN', 20, null],
};
const OTHER = { ...LENGTH, plugin: 'other', title: 'Other', values: [null, null, null, null] };

describe('columns of the run list', () => {
  let page: Page;
  let asked: string[];
  const rows = (): string => page.runs.rows.value.map((run) => run.name).join('');

  beforeEach(() => {
    localStorage.clear();
    history.replaceState(null, '', '#');
    page = new Page();
    page.tableOpen.set(true);
    page.preferences.setLocale('en');
    page.session.table.value = {
      generation: 1,
      progress: { bytes_read: 0, bytes_total: 0, loaded_once: true },
      notices: [],
      runs: RUNS.map((name) => ({ name, dialects: [], start_time: 0, loading: false, damage: 0 })),
    };
    asked = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(new URL(url).search);
      return Response.json({ runs: RUNS, columns: [LENGTH, OTHER], column_errors: [] });
    });
  });
  const chosen = async (...keys: string[]): Promise<RunColumns> => {
    const columns = new RunColumns(page);
    for (const key of keys) columns.choose(key, true);
    await vi.waitFor(() => expect(columns.shown.value).toHaveLength(keys.length));
    return columns;
  };

  it('asks for the chosen ones only, and shows those of the plugin that was meant', async () => {
    const columns = await chosen('mine/length');
    // pages of other tests may still ask, also for what the address of this one names
    expect(asked).toContain('?column=mine%2Flength');
    expect(asked.filter((search) => search.includes('other'))).toEqual([]);
    expect(columns.shown.value.map(({ plugin, title }) => [plugin, title])).toEqual([['mine', 'Length']]);
    expect(page.url.get('columns')).toBe('mine/length');
    page.preferences.setLocale('zh-CN');
    expect(columns.shown.value[0]?.title).toBe('长度');
    columns.choose('mine/length', false);
    expect([columns.shown.value, page.url.get('columns')]).toEqual([[], 'none']);
  });

  it('sort the list down, up, and no more; runs without a number stay last', async () => {
    const columns = await chosen('mine/length');
    const seen = [0, 1, 2].map(() => {
      const [column] = columns.shown.value;
      if (column) columns.turn(column.key);
      return [page.runs.sort.value.join(), rows()];
    });
    expect(seen).toEqual([
      ['-mine/length', 'cabd'],
      ['+mine/length', 'acbd'],
      ['time', 'abcd'],
    ]);
  });

  it('keep chosen columns that the host does not have now, when another one is moved', async () => {
    page.url.set('columns', 'gone/a;mine/length;gone/b;other/length');
    const columns = new RunColumns(page);
    await vi.waitFor(() => expect(columns.shown.value).toHaveLength(2));
    columns.move('mine/length', null);
    expect(page.url.get('columns')).toBe('gone/a;gone/b;other/length;mine/length');
    columns.move('mine/length', 'other/length');
    expect(page.url.get('columns')).toBe('gone/a;gone/b;mine/length;other/length');
  });

  it('have nothing for a run without a value, whatever its name is', async () => {
    const [column] = (await chosen('mine/length')).shown.value;
    expect(column && ['a', 'd', 'constructor'].map((run) => cellOf(column, run))).toEqual([3, undefined, undefined]);
  });

  it('leave the list as it is when a link sorts by a column that is not there', async () => {
    page.url.set('sort', '+gone/away');
    await chosen('mine/length');
    expect(rows()).toBe('abcd');
  });

  it('ask again for the status of runs that go on: silence ends them without a change of the data', async () => {
    vi.useFakeTimers();
    try {
      const status = {
        ...LENGTH,
        plugin: 'run',
        name: 'status',
        kind: 'text',
        values: ['running', 'finished', '', ''],
      };
      let answered = status;
      vi.stubGlobal('fetch', async () => Response.json({ runs: RUNS, columns: [answered], column_errors: [] }));
      const columns = new RunColumns(page);
      columns.choose('run/status', true);
      await vi.advanceTimersByTimeAsync(10);
      expect(columns.shown.value[0]?.values['a']).toBe('running');
      answered = { ...status, values: ['stopped', 'finished', '', ''] };
      await vi.advanceTimersByTimeAsync(70_000);
      expect(columns.shown.value[0]?.values['a']).toBe('stopped');
      const fetched = vi.fn(fetch);
      vi.stubGlobal('fetch', fetched);
      await vi.advanceTimersByTimeAsync(200_000);
      expect(fetched).not.toHaveBeenCalled(); // no run goes on
    } finally {
      vi.useRealTimers();
    }
  });

  it('shown at first are not those that a plugin leaves to the user', async () => {
    const late = { ...OTHER, at_first: false };
    vi.stubGlobal('fetch', async () => Response.json({ runs: RUNS, columns: [LENGTH, late], column_errors: [] }));
    const columns = new RunColumns(page);
    await vi.waitFor(() => expect(columns.shown.value.map(({ plugin }) => plugin)).toEqual(['mine']));
    await vi.waitFor(() => expect(columns.shown.value[0]?.values).toMatchObject({ a: 3 }));
  });

  it('shown at first are in the order that plugins give', async () => {
    const last = { ...LENGTH, name: 'last', order: 1 };
    vi.stubGlobal('fetch', async () => Response.json({ runs: RUNS, columns: [last, LENGTH], column_errors: [] }));
    const columns = new RunColumns(page);
    await vi.waitFor(() => expect(columns.shown.value.map(({ name }) => name)).toEqual(['length', 'last']));
  });

  it('shown at first follow the logs: what comes later is shown, too', async () => {
    vi.useFakeTimers();
    try {
      let listed = [LENGTH];
      vi.stubGlobal('fetch', async () => Response.json({ runs: RUNS, columns: listed, column_errors: [] }));
      const columns = new RunColumns(page);
      const keys = (): unknown => columns.shown.value.map(({ key }) => key);
      await vi.advanceTimersByTimeAsync(10);
      expect(keys()).toEqual(['mine/length']);
      listed = [LENGTH, { ...LENGTH, name: 'width' }];
      page.session.latest.value = { ...page.session.latest.value, generation: 2 };
      await vi.advanceTimersByTimeAsync(5000);
      expect(keys()).toEqual(['mine/length', 'mine/width']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('with notes of runs are asked for again when a note was written', async () => {
    await chosen('mine/length');
    const before = asked.length;
    page.session.annotations.byRun.value = new Map();
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before), { timeout: 4500 });
  });

  it('that a plugin fails to give are reported once, with the cause', async () => {
    const failed = [
      { plugin: 'mine', error: 'no luck' },
      { plugin: 'other', error: 'not asked for' },
    ];
    vi.stubGlobal('fetch', async () => Response.json({ runs: RUNS, columns: [], column_errors: failed }));
    const columns = new RunColumns(page);
    columns.choose('mine/length', true);
    const told = (): readonly string[] => page.toasts.list.value.map(({ text }) => text);
    await vi.waitFor(() => expect(told().join()).toContain('mine: no luck'));
    columns.choose('mine/width', true);
    await vi.waitFor(() => expect(columns.keys.value).toHaveLength(2));
    expect(told()).toHaveLength(1);
  });

  it('are titled and sorted as a plugin says', async () => {
    const given: Contributions = {
      apiVersion: API,
      columns: ({ name }) => (name === 'length' ? { title: 'Long', order: (value) => -Number(value) } : null),
    };
    const tab: Tab = {
      name: 'mine',
      enabled: true,
      tab_name: 'Mine',
      loading_mechanism: { type: 'ES_MODULE', contributions_path: 'mine/contributions.js' },
    };
    page.session.plugins.value = [tab];
    const columns = await chosen('mine/length');
    page.contributions.value = new AllContributions(page, async () => ({ default: given }));
    await vi.waitFor(() => expect(columns.shown.value[0]?.title).toBe('Long'));
    page.runs.sort.set(['+mine/length']);
    expect(rows()).toBe('cabd');
  });
});
