import { beforeEach, describe, expect, it, vi } from 'vitest';
import { columnView } from '../columns/run_table';
import { Page } from '../state/page';
import { Coloring } from './coloring';
import { looksOf, PALETTES, SCALES, shadeAt } from './grouping';

const RUNS = ['x/a', 'x/b', 'y/c', 'y/d'];
const column = (name: string, kind: string, values: readonly unknown[]) => ({
  plugin: 'p',
  name,
  title: name,
  titles: {},
  kind,
  group: '',
  values,
});
const COLUMNS = [
  column('lr', 'number', [0.0001, 0.01, 1, null]),
  column('size', 'number', [10, 20, 'NaN', 30]),
  column('net', 'text', ['vgg', 'resnet', 'vgg', null]),
];

describe('colours of runs', () => {
  let page: Page;
  let coloring: Coloring;
  const colors = (): readonly string[] => page.runs.all.value.map((run) => run.color);
  const colored = async (...keys: string[]): Promise<readonly string[]> => {
    page.columns.value ??= columnView(page);
    coloring.colorBy(keys);
    await vi.waitFor(() =>
      keys.every((key) => key === 'path' || expect(page.columns.value?.columns.columnOf(key)).toBeDefined()),
    );
    return colors();
  };
  beforeEach(() => {
    localStorage.clear();
    history.replaceState(null, '', '#theme=light');
    page = new Page();
    page.session.table.value = {
      generation: 1,
      progress: { bytes_read: 0, bytes_total: 0, loaded_once: true },
      notices: [],
      runs: RUNS.map((name) => ({ name, dialects: [], start_time: 0, loading: false, damage: 0 })),
    };
    vi.stubGlobal('fetch', async () => Response.json({ runs: RUNS, columns: COLUMNS, column_errors: [] }));
    coloring = new Coloring(page);
  });

  it('are those that the user picks, whatever the others are, and are kept in the URL', async () => {
    const before = colors();
    coloring.pick('x/b', '#123456');
    expect(colors()).toEqual([before[0], '#123456', ...before.slice(2)]);
    expect(page.url.get('colors')).toBe('x/b=123456');
    expect((await colored('p/net'))[1]).toBe('#123456');
    coloring.pick('x/b', null);
    await colored();
    expect(colors()).toEqual(before);
    expect(page.url.get('colors')).toBeNull();
  });

  it('are one for each value of a column, faint without one; a value can have another', async () => {
    const [a, b, c, d] = await colored('p/net');
    expect(a).toBe(c);
    expect(new Set([a, b, d]).size).toBe(3);
    expect(coloring.legend.value).toMatchObject({
      kind: 'values',
      values: [{ title: 'resnet', runs: ['x/b'] }, { title: 'vgg', color: a, runs: ['x/a', 'y/c'] }, { runs: ['y/d'] }],
    });
    coloring.pick('vgg', '#abcdef', 'values');
    expect(colors()).toEqual(['#abcdef', b, '#abcdef', d]);
  });

  it('follow a scale where the column has numbers, a logarithmic one over orders of magnitude', async () => {
    const [low, middle, high, missing] = await colored('p/lr');
    expect([low, middle, high]).toEqual([0, 0.5, 1].map((place) => shadeAt(place, 'viridis', 'light')));
    expect(coloring.legend.value).toMatchObject({ kind: 'scale', low: '0.0001', high: '1', isLog: true });
    expect(page.runs.looks.value?.scale).toBe(coloring.legend.value);
    const [ten, twenty, nan, thirty] = await colored('p/size');
    expect([ten, twenty, thirty]).toEqual([0, 0.5, 1].map((place) => shadeAt(place, 'viridis', 'light')));
    expect(nan).toBe(missing);
    coloring.scale.set('cividis');
    expect(colors()[0]).toBe(shadeAt(0, 'cividis', 'light'));
  });

  it('are those of the directory, or of several columns together', async () => {
    const [a, b, c, d] = await colored('path');
    expect([a, c]).toEqual([b, d]);
    expect(a).not.toBe(c);
    expect(new Set(await colored('p/net', 'path')).size).toBe(4);
  });

  it('have dashes next to them: of each run, or by a column', async () => {
    const dashes = (): readonly string[] => page.runs.all.value.map(({ dash }) => dash.join());
    expect(dashes()).toEqual(['', '', '', '']);
    coloring.dashBy.set(['run']);
    expect(new Set(dashes()).size).toBe(4);
    coloring.dashBy.set(['path']);
    const [a, b, c, d] = dashes();
    expect([a, c]).toEqual([b, d]);
    expect(a).not.toBe(c);
    expect(page.url.get('dash')).toBe('path');
  });

  it('are those of the groups, one pair of colour and dash for each of ten of two columns', async () => {
    const rates = [0.001, 0.003, 0.01, 0.03, 0.1];
    const runs = rates.flatMap((rate) => ['adam', 'sgd'].map((net) => ({ name: `${rate}_${net}`, rate, net })));
    const values = [
      column(
        'lr',
        'number',
        runs.map(({ rate }) => rate),
      ),
      column(
        'net',
        'text',
        runs.map(({ net }) => net),
      ),
    ];
    vi.stubGlobal('fetch', async () =>
      Response.json({ runs: runs.map(({ name }) => name), columns: values, column_errors: [] }),
    );
    page.session.table.value = {
      ...page.session.table.value!,
      runs: runs.map(({ name }) => ({ name, dialects: [], start_time: 0, loading: false, damage: 0 })),
    };
    page.columns.value = columnView(page);
    page.runs.groupBy.set(['p/lr', 'p/net']);
    await vi.waitFor(() => expect(page.runs.groups.value).toHaveLength(10));
    const groups = page.runs.groups.value;
    expect(groups.map(({ title }) => title).slice(0, 3)).toEqual(['0.001 · adam', '0.001 · sgd', '0.003 · adam']);
    expect(new Set(groups.map(({ color, dash }) => `${color} ${dash}`)).size).toBe(10);
    expect(new Set(groups.map(({ color }) => color)).size).toBe(5); // shades of the numbers
    const [first] = groups;
    expect(page.runs.all.value.find(({ name }) => name === first?.runs[0])).toMatchObject({
      color: first?.color,
      dash: first?.dash,
    });
    page.runs.groupBy.set(['name~_(.*)']);
    expect(page.runs.groups.value.map(({ key, runs: own }) => [key, own.length])).toEqual([
      ['adam', 5],
      ['sgd', 5],
    ]);
  });

  it('can be chosen by a plugin', async () => {
    await colored();
    page.colorBy.set(['path']);
    expect(coloring.legend.value?.kind).toBe('values');
  });
});

describe('a palette', () => {
  it.each(PALETTES)('%s gives each name one colour, and different ones as long as it lasts', (palette) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const found = looksOf(names, palette, 'dark');
    expect(new Set([...found.values()].map(({ color }) => color)).size).toBe(8);
    const twenty = looksOf(
      Array.from({ length: 20 }, (_, at) => `run ${at}`),
      palette,
      'light',
    );
    expect(new Set([...twenty.values()].map(({ color, dash }) => `${color} ${dash}`)).size).toBe(20);
    expect(looksOf([...names].reverse(), palette, 'dark')).toEqual(found);
    expect(
      looksOf(
        Array.from({ length: 100 }, (_, at) => `run ${at}`),
        palette,
        'light',
      ).size,
    ).toBe(100);
  });

  it.each(SCALES)('%s grows from dark to light, so that it is read without colours', (scale) => {
    const lightness = (color: string): number =>
      [0.2126, 0.7152, 0.0722].reduce(
        (sum, share, at) => sum + share * parseInt(color.slice(1 + 2 * at, 3 + 2 * at), 16),
        0,
      );
    const found = [0, 0.25, 0.5, 0.75, 1].map((place) => lightness(shadeAt(place, scale, 'dark')));
    expect(found).toEqual([...found].sort((a, b) => a - b));
  });
});
