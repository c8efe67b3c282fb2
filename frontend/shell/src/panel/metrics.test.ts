import { beforeEach, expect, it, vi } from 'vitest';
import { columnView } from '../columns/run_table';
import { Page } from '../state/page';
import { Metrics, shortTitle } from './metrics';

const column = (name: string, group: string, values: readonly unknown[] = [], goal?: 'min' | 'max') => ({
  plugin: 'p',
  name,
  title: name,
  titles: {},
  kind: 'number',
  group,
  values,
  goal,
});
const COLUMNS = [
  column('lr', 'hyperparameter', [0.1, 0.2, 0.3]),
  column('metric/hparam/val_acc', 'metric', [0.5, 0.9, null], 'max'),
  column('last/val_acc', 'scalar', [0.5, 0.9, null], 'max'),
  column('last/val/loss', 'scalar', [2, 1, 3], 'min'),
  column('min/val/loss', 'scalar', [2, 1, 3], 'min'),
];

let answered: readonly ReturnType<typeof column>[];
let page: Page;
let metrics: Metrics;
beforeEach(async () => {
  localStorage.clear();
  history.replaceState(null, '', '#theme=light&locale=en');
  answered = COLUMNS;
  page = new Page();
  const runs = ['a', 'b', 'c'];
  page.session.table.value = {
    generation: 1,
    progress: { bytes_read: 0, bytes_total: 0, loaded_once: true },
    notices: [],
    runs: runs.map((name, at) => ({ name, dialects: [], start_time: at, loading: false, damage: 0 })),
  };
  vi.stubGlobal('fetch', async () => Response.json({ runs, columns: answered, column_errors: [] }));
  page.columns.value = columnView(page);
  page.columns.value.columns.need();
  metrics = new Metrics(page);
  await vi.waitFor(() => expect(metrics.areKnown).toBe(true));
});

const choice = (title: string) => metrics.choices.value.find((one) => one.title === title)!;

it('names metrics as people do, and each once', () => {
  expect(['metric/hparam/val_acc', 'last/val/loss', 'hparam/', 'lr'].map(shortTitle)).toEqual([
    'val_acc',
    'val/loss',
    'hparam/',
    'lr',
  ]);
  expect(metrics.choices.value.map(({ title, kind }) => [title, kind])).toEqual([
    ['lr', 'hyperparameter'],
    ['val_acc', 'metric'],
    ['val/loss', 'metric'],
    ['min/val/loss', 'other'],
  ]);
});

it('sorts the best first, then the other way round; runs without a value have no bar', async () => {
  metrics.sortBy(choice('val/loss'));
  expect(page.runs.sort.value).toEqual(['+p/last/val/loss']);
  metrics.sortBy(choice('val_acc'));
  expect(page.runs.sort.value).toEqual(['-p/metric/hparam/val_acc']);
  await vi.waitFor(() => expect(page.runs.rows.value.map(({ name }) => name)).toEqual(['b', 'a', 'c']));
  const shown = metrics.shown.value;
  expect(shown?.title).toBe('val_acc');
  expect(['a', 'b', 'c'].map((run) => shown?.textOf(run))).toEqual(['0.5', '0.9', '']);
  expect(['b', 'c'].map((run) => shown?.shareOf(shown.valueOf(run)))).toEqual([1, null]);
  metrics.sortBy(choice('val_acc'));
  expect(page.runs.sort.value).toEqual(['+p/metric/hparam/val_acc']);
});

it('offers charts the newest lines and the best ones, by the metric of the list', () => {
  const orders = () => metrics.orders(page.runs).map(({ text, isChosen }) => [text, isChosen]);
  expect(orders()).toEqual([
    ['newest', true],
    ['best val_acc', false],
  ]);
  metrics.sortBy(choice('val/loss'));
  expect(orders()).toEqual([
    ['newest', false],
    ['best val/loss', true],
  ]);
  metrics.orders(page.runs)[0]?.choose();
  expect(page.runs.sort.value).toEqual(['time']);
});

it('selects the best runs of a metric once its values are there, never those without a value', async () => {
  expect(metrics.bestOf(page.runs)?.title).toBe('val_acc');
  metrics.selectBest(choice('val_acc'), 1);
  expect(page.runs.selectedSet.value.size).toBe(3); // not yet
  await vi.waitFor(() => expect([...page.runs.selectedSet.value]).toEqual(['b']));
  metrics.selectBest(choice('val_acc'), 3);
  await vi.waitFor(() => expect([...page.runs.selectedSet.value]).toEqual(['a', 'b']));
  metrics.sortBy(choice('val_acc')); // the worst first
  metrics.selectBest(choice('val_acc'), 1);
  await vi.waitFor(() => expect([...page.runs.selectedSet.value]).toEqual(['b']));
});

it('leaves a selection alone when the list is sorted by something else meanwhile', async () => {
  metrics.selectBest(choice('val_acc'), 1);
  page.runs.sort.set(['name']);
  metrics.sortBy(choice('val/loss'));
  await vi.waitFor(() => expect(metrics.shown.value?.title).toBe('val/loss'));
  expect(page.runs.selectedSet.value.size).toBe(3);
});

it('groups repeats by all that tells runs apart, but for the seed', async () => {
  const seed = column('seed', 'hyperparameter', [1, 2, 1]);
  answered = [
    column('lr', 'hyperparameter', [0.1, 0.1, 0.3]),
    column('width', 'hyperparameter', [8, 8, 8]),
    column('loss', 'metric', [0.3, 0.2, 0.1], 'min'),
    column('parameters', 'custom', [700, 700, 900]), // follow from the rate
    seed,
  ];
  page.columns.value = columnView(page);
  page.columns.value.columns.need();
  await vi.waitFor(() => expect(metrics.choices.value.some(({ title }) => title === 'seed')).toBe(true));
  expect(metrics.repeats.value).toBeNull(); // the values are not there
  page.columnsOfOthers.value = ['p/lr', 'p/width', 'p/loss', 'p/parameters', 'p/seed'];
  await vi.waitFor(() => expect(metrics.repeats.value).toEqual({ seed: 'seed', keys: ['p/lr'], count: 2 }));
});

it('knows of no repeats where each run is alone', async () => {
  answered = [...COLUMNS, column('seed', 'hyperparameter', [1, 2, 1])];
  page.columns.value = columnView(page);
  page.columns.value.columns.need();
  page.columnsOfOthers.value = ['p/lr', 'p/seed'];
  await vi.waitFor(() => expect(metrics.countOf('p/seed')).toBe(2));
  expect(metrics.repeats.value).toBeNull();
});
