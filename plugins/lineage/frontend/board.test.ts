import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '@insight-host/kit';
import { fakeContext, fakeRun, type FakeContext } from '@insight-host/kit/testing';
import type { RunGroup } from '@insight-host/api';
import { linesOf, type ColumnInfo, type Value } from '@insight-host/kit/runs';
import { lineageParts, type LineageParts } from './board';
import { jsonOf, rowsOf } from './exports';
import { layoutOf, moved, piecesOf, rowAt } from './parallel/geometry';
import { differencesOf } from './diff';

const RUNS = ['a', 'b', 'c'];
const TABLE: Readonly<Record<string, readonly [ColumnInfo['group'], ColumnInfo['type'], readonly Value[]]>> = {
  run: ['run', 'str', RUNS],
  lr: ['hyperparameter', 'float', [0.1, 0.2, 0.3]],
  optimizer: ['hyperparameter', 'str', ['sgd', 'say "adam", please', null]],
  'metric/acc': ['metric', 'float', [0.5, 0.7, 0.9]],
  'last/loss': ['scalar', 'float', [3, 2, 1]],
};
const OF_HOST: typeof TABLE = {
  'run/status': ['run', 'str', ['finished', 'running', null]],
  start_time: ['run', 'float', [1_700_000_000, 1e300, null]],
  'run/duration': ['run', 'float', [0.033, 124, null]],
};
const info = (name: string): ColumnInfo => {
  const [group, type, values] = (TABLE[name] ?? OF_HOST[name]) as (typeof TABLE)[string];
  return {
    name,
    title: name.replace(/^\w+\//, ''),
    group,
    type,
    count: values.filter((value) => value !== null).length,
  };
};

describe('the board', () => {
  let ctx: FakeContext;
  let board: LineageParts;
  let asked: string[];
  let others: readonly string[]; // columns beyond those of TABLE
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  beforeEach(async () => {
    asked = [];
    others = [];
    ctx = fakeContext(RUNS, {
      json: async (route, query) => {
        asked.push(`${route} ${JSON.stringify(query)}`);
        if (route === 'columns')
          return { runs: 3, columns: [...Object.keys(TABLE), ...others].map(info), problems: [] };
        const names =
          (query['columns'] as readonly string[] | undefined) ??
          Object.keys(TABLE).filter((name) => info(name).group !== 'scalar');
        const rows = [0, 1, 2];
        return {
          total: 3,
          matched: rows.length,
          runs: rows.map((row) => RUNS[row]),
          columns: names.map(info),
          values: names.map((name) => rows.map((row) => (TABLE[name] ?? OF_HOST[name])?.[2][row] ?? null)),
        };
      },
    });
    board = lineageParts(new Page(ctx));
    await settled();
  });
  afterEach(() => {
    board.page.dispose();
    vi.useRealTimers();
  });
  const shown = (): string[] => [...board.rows.shown.value].map((row) => RUNS[row] as string);

  it('has the runs that are hovered in any tab as rows, and hovers the run of a row', () => {
    ctx.runs.hovered.value = ['c', 'a', 'of another tab'];
    expect([...board.hovered.value]).toEqual([0, 2]);
    board.hover(1);
    expect(ctx.runs.hovered.value).toEqual(['b']);
    board.hover(null);
    expect([...board.hovered.value]).toEqual([]);
  });

  it('shows parameters and metrics, and asks for scalars only where they are wanted', async () => {
    expect(board.columns.shown.value).toEqual(['metric/acc', 'lr', 'optimizer', 'last/loss', 'mark', 'remark']);
    expect(board.columns.axisNames.value).toEqual(['lr', 'optimizer', 'metric/acc', 'last/loss']);
    board.columns.setShown(['last/loss']);
    await settled();
    expect(asked.at(-1)).toBe('runs {"columns":["lr","optimizer","metric/acc","last/loss"]}');
    expect(board.columns.table.value.map(({ name }) => name)).toEqual(['last/loss']);
  });

  it('shows what the host knows of a run last, in words, and asks again for runs that go on', async () => {
    vi.useFakeTimers();
    others = Object.keys(OF_HOST);
    await board.loading.load();
    await settled();
    expect(board.columns.shown.value.slice(-5)).toEqual([...others, 'mark', 'remark']);
    expect(board.columns.axisNames.value).toEqual(['lr', 'optimizer', 'metric/acc', 'last/loss']);
    const [status, start, duration] = others.map((name) => board.frame.value?.columns.get(name));
    expect([status?.text(0), status?.text(2)]).toEqual(['rt.status.finished', '']);
    expect(Array.from(status?.codes ?? [])).toEqual([1, 0, 2]); // runs that go on come first
    expect(start?.text(0)).toMatch(/2023/);
    expect(start?.text(1)).toBe('1e+300');
    expect([duration?.text(0), duration?.text(1), duration?.isNumeric]).toEqual(['33 ms', '2 m 04 s', true]);
    const before = board.loading.version.value;
    await vi.advanceTimersByTimeAsync(62_000);
    expect(board.loading.version.value).toBe(before + 1);
  });

  it('keeps an axis whose column is still on its way when another is chosen', async () => {
    const { columns } = board;
    columns.setShown(['lr']);
    columns.setAxes(['lr']);
    await settled();
    for (const name of ['last/loss', 'optimizer']) columns.setAxes([...columns.wantedAxes.value, name]);
    expect(columns.axisNames.value).toEqual(['lr', 'optimizer']);
    await settled();
    expect(columns.axisNames.value).toEqual(['lr', 'last/loss', 'optimizer']);
  });

  it('saves a layout with the axes that these runs do not have, as it does the columns', async () => {
    const layout = { view: 'model', columns: ['lr', 'gone'], axes: ['lr', 'gone'] } as const;
    board.columns.lay(layout);
    await settled();
    expect(board.columns.axisNames.value).toEqual(['lr']);
    expect(board.columns.layout).toEqual(layout);
  });

  it('asks about the rows that are shown, as long as an address can say which', () => {
    expect(board.rows.conditions.value).toEqual({ text: null, where: null, whole: true });
    board.brushing.set('lr', { kind: 'range', low: 0.1, high: 0.2 });
    board.rows.hidden.set(['a', 'gone']);
    board.rows.onlySelected.set(true);
    expect(JSON.parse(board.rows.conditions.value.text ?? '')).toEqual({
      lr: { ge: 0.1, le: 0.2 },
      run: { not_in: ['a'], in: RUNS },
    });
    ctx.runs.all.value = ctx.runs.selected.value = Array.from({ length: 999 }, (_, at) =>
      fakeRun(`a run of many, number ${at}`),
    );
    expect(board.rows.conditions.value).toEqual({ text: '{"lr":{"ge":0.1,"le":0.2}}', where: null, whole: false });
    board.rows.onlySelected.set(false);
    Object.assign(ctx.runs.shown, { value: Array.from({ length: 2 }, () => fakeRun('long '.repeat(900))) });
    ctx.runs.filter.set('lr < 0.3');
    expect(board.rows.conditions.value).toEqual({
      text: '{"lr":{"ge":0.1,"le":0.2},"run":{"not_in":["a","b","c"]}}',
      where: 'lr < 0.3',
      whole: true,
    });
  });

  it('shows an answer before it asks again, however fast data change', async () => {
    vi.useFakeTimers();
    let answer = (): void => undefined;
    const { json } = ctx.data;
    let questions = 0;
    const slow = async (...parameters: Parameters<typeof json>): Promise<unknown> => {
      questions++;
      await new Promise<void>((resolve) => (answer = resolve));
      return json(...parameters);
    };
    Object.assign(ctx.data, { json: slow });
    const { value: version } = board.loading.version;
    for (let change = 1; change < 4; change++) {
      Object.assign(ctx.generation, { value: change });
      await vi.advanceTimersByTimeAsync(2000);
    }
    expect(questions).toBe(1);
    for (let step = 0; step < 2; step++) {
      answer();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(board.loading.version.value).toBe(version + 1);
    Object.assign(ctx.data, { json });
    await vi.advanceTimersByTimeAsync(2000);
    expect(board.loading.version.value).toBe(version + 2);
  });

  it('keeps what could not be written down until it was', async () => {
    const fields = { note: 'a long story' };
    const { annotate } = ctx.runs;
    Object.assign(ctx.runs, { annotate: async () => Promise.reject(new Error('no host')) });
    board.annotations.write('a', fields);
    await settled();
    expect(board.annotations.unwritten.value.get('a')).toEqual(fields);
    expect(ctx.notices[0]).toContain('no host');
    Object.assign(ctx.runs, { annotate });
    board.annotations.write('a', { mark: 3 });
    await settled();
    expect(board.annotations.unwritten.value.get('a')).toEqual(fields);
    board.annotations.write('a', fields);
    await settled();
    expect(board.annotations.unwritten.value.size).toBe(0);
  });

  it('leaves what filter, brushes and hidden rows leave', async () => {
    board.brushing.set('metric/acc', { kind: 'range', low: 0.6, high: 1 });
    expect(shown()).toEqual(['b', 'c']);
    board.rows.hidden.set(['b', 'gone']);
    expect(shown()).toEqual(['c']);
    board.rows.showAll();
    Object.assign(ctx.runs.shown, { value: ctx.runs.all.value.slice(2) }); // by the filter of the run list
    expect(shown()).toEqual(['c']);
    Object.assign(ctx.runs.shown, { value: ctx.runs.all.value });
    expect(shown()).toEqual(['b', 'c']);
  });

  it('groups as the run panel does, in its order', () => {
    const group = (key: string, runs: readonly string[]): RunGroup => ({
      key,
      title: key || '–',
      runs,
      color: '',
      dash: [],
    });
    ctx.runs.groupBy.set(['sample/optimizer']);
    Object.assign(ctx.runs.groups, { value: [group('sgd', ['a']), group('adam', ['b']), group('', ['c'])] });
    const titles = (): (string | undefined)[] =>
      linesOf(board.rows.shown.value, board.rows.groups.value, new Set()).groups.map(({ title }) => title);
    expect(titles()).toEqual(['sgd', 'adam', '–']);
    board.rows.sorts.set(['-optimizer']);
    expect(titles()).toEqual(['adam', 'sgd', '–']);
    ctx.runs.groupBy.set([]);
    expect(board.rows.groups.value).toBeNull();
  });

  it('colours as the run panel does, with a bar where it goes by numbers', () => {
    const looks = [fakeRun('a'), fakeRun('b'), fakeRun('c')].map((run, at) => ({
      ...run,
      color: ['red', 'green', 'red'][at] as string,
      dash: at === 2 ? [4, 2] : [],
    }));
    ctx.runs.all.value = looks;
    ctx.runs.colorBy.set(['sample/lr']);
    const { palette, dashes, codes, bar } = board.coloring.value;
    expect([...codes].map((code) => [palette[code], dashes[code]])).toEqual([
      ['red', []],
      ['green', []],
      ['red', [4, 2]],
    ]);
    expect(bar).toMatchObject({
      low: 0.1,
      high: 0.3,
      isDefault: false,
      stops: ['red 0.0%', 'green 50.0%', 'red 100.0%'],
    });
    ctx.runs.colorBy.set(['sample/optimizer']);
    expect(board.coloring.value.bar).toBeNull();
  });

  it('hands what addresses of the last release say of groups and colours to the run panel', () => {
    const other = fakeContext(RUNS);
    Object.assign(other.address, {
      value: new Map([
        ['group', 'optimizer'],
        ['color', 'metric/acc'],
      ]),
    });
    const page = new Page(other);
    lineageParts(page);
    expect(other.runs.groupBy.value).toEqual(['sample/optimizer']);
    expect(other.runs.colorBy.value).toEqual(['sample/metric/acc']);
    expect([...other.address.value.keys()]).toEqual([]);
    page.dispose();
  });

  it.each([
    ['', 'lr < 0.1'],
    ['lr < 0.1', 'lr < 0.1'],
    ['acc > 0.6', '(acc > 0.6) and (lr < 0.1)'],
    ['seed', 'lr < 0.1'],
  ])('hands the filter of an address of the last release to the run list: %s', (before, after) => {
    const other = fakeContext(RUNS);
    other.runs.filter.set(before);
    Object.assign(other.address, { value: new Map([['where', 'lr < 0.1']]) });
    const page = new Page(other);
    lineageParts(page);
    expect(other.runs.filter.value).toBe(after);
    expect(other.address.value.size).toBe(0);
    expect(other.notices).toHaveLength(before === 'seed' ? 1 : 0); // one over names is not lost silently
    page.dispose();
  });

  it('stands in the order of the run panel until it has one of its own', () => {
    const places = new Map([
      ['c', 0],
      ['a', 1],
    ]);
    Object.assign(ctx.runs.drawing, { value: { places, orders: [] } });
    expect(shown()).toEqual(['c', 'a', 'b']); // the panel does not list b
    board.rows.sorts.set(['lr']);
    expect(shown()).toEqual(['a', 'b', 'c']);
  });

  it('sorts by one column, or by several', () => {
    board.rows.turnSort('lr', false);
    board.rows.turnSort('lr', false);
    expect(shown()).toEqual(['c', 'b', 'a']);
    board.rows.turnSort('optimizer', true);
    expect(board.rows.sorts.value).toEqual(['-lr', 'optimizer']);
    board.rows.turnSort('metric/acc', false);
    expect(board.rows.sorts.value).toEqual(['-metric/acc']); // results from the largest
  });

  it('selects for the whole page, and hides by that', () => {
    board.brushing.set('lr', { kind: 'range', low: 0, high: 0.2 });
    board.selection.selectShown();
    expect(ctx.runs.selected.value.map(({ name }) => name)).toEqual(['a', 'b']);
    board.brushing.clear();
    expect(board.selection.ticked.value).toEqual(['a', 'b']);
    board.selection.hide('selected');
    expect(shown()).toEqual(['c']);
  });

  it('shows what was written down at once', async () => {
    await ctx.runs.annotate('b', { remark: 'good', displayName: 'Best', mark: 2 });
    expect(board.frame.value?.columns.get('remark')?.values).toEqual([null, 'good', null]);
    expect(board.page.nameOf('b')).toBe('Best');
  });

  it('is saved as it is shown', () => {
    board.columns.setShown(['lr', 'optimizer']);
    board.rows.turnSort('lr', false);
    expect(rowsOf(board)).toEqual([
      ['run', 'lr', 'optimizer'],
      ['a', 0.1, 'sgd'],
      ['b', 0.2, 'say "adam", please'],
      ['c', 0.3, null],
    ]);
    expect(JSON.parse(jsonOf(board))).toEqual([
      { run: 'a', lr: 0.1, optimizer: 'sgd' },
      { run: 'b', lr: 0.2, optimizer: 'say "adam", please' },
      { run: 'c', lr: 0.3 },
    ]);
  });

  it('takes a brush away with its axis, or with another scale', () => {
    board.brushing.set('lr', { kind: 'range', low: 0, high: 0.2 });
    board.columns.setScale('lr', 'log');
    expect(board.brushing.all.value.size).toBe(0);
    expect(board.columns.axis('lr')?.scale).toBe('log');
    board.brushing.set('lr', { kind: 'range', low: 0, high: 0.2 });
    board.columns.setAxes(['metric/acc']);
    expect(shown()).toEqual(RUNS);
  });

  it('draws the runs that have no value on some axis, and counts the broken lines', () => {
    board.columns.setAxes(['lr', 'optimizer', 'metric/acc']);
    expect([[...board.drawn.value], board.broken.value]).toEqual([[1, 1, 1], 1]);
    board.columns.setAxes(['optimizer']);
    expect([[...board.drawn.value], board.broken.value]).toEqual([[1, 1, 0], 0]);
  });

  it('finds what differs between runs', () => {
    const found = differencesOf(board.frame.value as NonNullable<typeof board.frame.value>, ['a', 'b']);
    const of = (name: string) => found.find(({ column }) => column.name === name);
    expect(of('lr')).toMatchObject({ differs: true, texts: ['0.1', '0.2'], changes: [null, 1] });
    expect(found.some(({ column }) => column.name === 'run')).toBe(false);
  });
});

describe('geometry', () => {
  const layout = { ...layoutOf(400, 200, []), xs: [50, 350], top: 30, bottom: 170 };
  it('finds the line under the pointer among those that are shown', () => {
    const heights = [Float32Array.of(40, 160, 100), Float32Array.of(40, 160, 100)];
    expect(rowAt({ xs: layout.xs, heights }, Uint8Array.of(1, 1, 1), 200, 103, 6)).toBe(2);
    expect(rowAt({ xs: layout.xs, heights }, Uint8Array.of(1, 1, 0), 200, 103, 6)).toBeNull();
    expect(rowAt({ xs: layout.xs, heights }, Uint8Array.of(1, 1, 1), 380, 100, 6)).toBeNull();
  });

  it('breaks a line where its row has no place', () => {
    const heights = [[40], [NaN], [60], [80]].map((of) => Float32Array.from(of));
    expect(piecesOf({ xs: [0, 100, 200, 300], heights }, 0)).toEqual([
      [0, 40, 24, 40],
      [200, 60, 300, 80],
    ]);
    const broken = rowAt({ xs: [0, 100, 200, 300], heights }, Uint8Array.of(1), 50, 40, 6);
    expect(broken).toBeNull();
  });

  it('moves an axis to a place', () => {
    expect(moved(['a', 'b', 'c'], 'a', 2)).toEqual(['b', 'c', 'a']);
    expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 'b', 9)).toEqual(['a', 'c', 'b']);
  });
});
