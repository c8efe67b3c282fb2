import { beforeEach, describe, expect, it, vi } from 'vitest';
import { linesOf, type RowGroup } from '@insight-host/kit/runs';
import { Page } from '../state/page';
import { RunColumns } from './run_columns';
import { stepsOfRuns } from './run_table';

const STATUS = { plugin: 'run', name: 'status', title: 'Status', titles: { 'zh-CN': '状态' }, kind: 'text', group: '' };

describe('groups of the run table', () => {
  let page: Page;
  let columns: RunColumns;
  const groups = (folded: readonly string[] = []): readonly RowGroup[] => {
    const rows = Int32Array.from(page.runs.rows.value.keys());
    return linesOf(rows, stepsOfRuns(page, columns, ['a', 'b']), new Set(folded)).groups;
  };

  beforeEach(async () => {
    localStorage.clear();
    history.replaceState(null, '', '#');
    page = new Page();
    page.preferences.setLocale('en');
    page.tableOpen.set(true);
    page.session.table.value = {
      generation: 1,
      progress: { bytes_read: 0, bytes_total: 0, loaded_once: true },
      notices: [],
      runs: ['a', 'b'].map((name) => ({ name, dialects: [], start_time: 0, loading: false, damage: 0 })),
    };
    const answer = { runs: ['a', 'b'], columns: [{ ...STATUS, values: ['running', null] }], column_errors: [] };
    vi.stubGlobal('fetch', async () => Response.json(answer));
    columns = new RunColumns(page);
    columns.group.set(['run/status']);
    await vi.waitFor(() => expect(groups()).toHaveLength(2));
  });

  it('say a value as its cell does, in the language of the page', () => {
    expect(groups().map(({ title }) => title)).toEqual(['Status: Running', 'Status: –']);
    page.preferences.setLocale('zh-CN');
    expect(groups().map(({ title }) => title)).toEqual(['状态: 进行中', '状态: –']);
  });

  it('stay folded in another language, for a link may go to somebody who reads another', () => {
    const [first] = groups();
    page.preferences.setLocale('zh-CN');
    expect(groups([first?.id ?? '']).map(({ open }) => open)).toEqual([false, true]);
  });
});
