import { describe, expect, it } from 'vitest';
import type { HistogramChartProps, HistogramRow } from './props';
import type { Theme } from '@insight-host/api';
import { palette } from '../draw/painter';
import { SvgPainter } from '../draw/files';
import { mix } from '../base/colors';
import { ramp, draw } from './drawing';
import { cursorAfter, cursorAt, placeOf } from './chart';
import { pieces, columnsOf, shadeOf } from './shapes';
import { baseOf, binOf, cellEdges, figure } from './figure';

const theme: Theme = { mode: 'light', token: () => '' };
const colors = palette(theme);
const size = { width: 500, height: 300, ratio: 1, labelled: false };

function row(at: number, counts: readonly number[], more: Partial<HistogramRow> = {}): HistogramRow {
  return {
    id: `row ${at}`,
    label: `row <${at}>`,
    at,
    counts,
    percentiles: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((v) => v / 4),
    ...more,
  };
}

const props: HistogramChartProps = {
  view: 'top',
  edges: [0, 1, 2],
  rows: [row(0, [4, 0]), row(10, [2, 2]), row(20, [0, 8])],
  rowKind: 'step',
  color: '#336699',
  valueLabel: 'value',
  countLabel: 'count',
  rowLabel: 'step',
  title: 'weights <a> & "b"',
  theme,
  locale: 'en',
  description: 'what it shows',
};
const views = ['front', 'top', 'distributions', 'heatmap'] as const;
const made = (more: Partial<HistogramChartProps> = {}): ReturnType<typeof figure> =>
  figure({ ...props, ...more }, size);

function svg(more: Partial<HistogramChartProps> = {}, labelled = false): string {
  const painter = new SvgPainter(500, 300, props.title, props.description);
  draw(figure({ ...props, ...more }, { ...size, labelled }), painter, colors);
  return painter.toString();
}

describe('a figure', () => {
  it('of top has the earliest row to the right of the last and above it, at 45 degrees', () => {
    const top = made();
    const [front, middle, back] = [20, 10, 0].map((at) => baseOf(top, at));
    expect(front).toEqual([0, top.plot.top + top.plot.height]);
    expect(back?.[0]).toBeCloseTo(top.depth);
    expect((front?.[1] as number) - (back?.[1] as number)).toBeCloseTo(top.depth);
    expect(middle?.[0]).toBeCloseTo(top.depth / 2);
  });

  it('of top keeps every row in the plot', () => {
    for (const rows of [props.rows, [...props.rows].reverse().map((r, i) => ({ ...r, at: i })), [row(0, [9, 9])]]) {
      const top = made({ rows });
      for (const one of rows) {
        const [, base] = baseOf(top, one.at);
        for (const count of Array.from(one.counts))
          expect(base - top.counts.toPixel(count)).toBeGreaterThanOrEqual(top.plot.top);
      }
    }
  });

  it('has room for rows that could not be read', () => {
    expect(made({ view: 'heatmap', errors: [100] }).rows.domain).toEqual([-5, 140]);
    expect(made({ errors: [100] }).rows.domain).toEqual([0, 100]);
  });

  it('shows the range that it is given', () => {
    expect(made({ extent: [-5, 5] }).values.domain).toEqual([-5, 5]);
    expect(made({ extent: [5, 5] }).values.domain[0]).toBeLessThan(made({ extent: [5, 5] }).values.domain[1]);
  });

  it('finds bins', () => {
    const found = made();
    expect([-0.1, 0, 0.5, 1, 2, 2.1, NaN].map((value) => binOf(found, value))).toEqual([-1, 0, 0, 1, 1, -1, -1]);
  });

  it('cuts rows into cells half-way between them', () => {
    expect(cellEdges([0, 10, 40])).toEqual(Float64Array.of(-5, 5, 25, 55));
    expect(cellEdges([3])).toEqual(Float64Array.of(2.5, 3.5));
    expect(cellEdges([])).toEqual(new Float64Array());
  });
});

describe('the pointer', () => {
  it.each(views)('reads in %s the bin that is drawn at its place', (view) => {
    const found = made({ view });
    const [x, y] = placeOf(found, 2, 1);
    expect(cursorAt(found, x, y + 1)).toMatchObject({ row: 2, bin: 1 });
    expect(cursorAt(found, 1, 1)).toBeNull();
    expect(cursorAt(made({ view, rows: [] }), x, y)).toBeNull();
  });

  it('reads the ridge that hides the others', () => {
    const found = made({ rows: [row(0, [8, 8]), row(1, [8, 8])] });
    const [x, y] = placeOf(found, 1, 0);
    expect(cursorAt(found, x, y + 2)).toMatchObject({ row: 1 });
    const [bx, by] = placeOf(found, 0, 1);
    expect(cursorAt(found, bx, by + 1)).toMatchObject({ row: 0, bin: 1 });
  });

  it('is moved by arrows, which stay inside', () => {
    const found = made();
    const start = cursorAfter(found, 'ArrowLeft', null);
    expect(start).toMatchObject({ row: 2, bin: 1 });
    expect(cursorAfter(found, 'ArrowRight', start)).toMatchObject({ row: 2, bin: 1 });
    expect(cursorAfter(found, 'ArrowLeft', start)).toMatchObject({ row: 2, bin: 0 });
    expect(cursorAfter(found, 'ArrowUp', start)).toMatchObject({ row: 1, bin: 1 });
    expect(cursorAfter(made({ view: 'heatmap' }), 'ArrowLeft', start)).toMatchObject({ row: 1, bin: 1 });
    expect(cursorAfter(found, 'Home', start)).toMatchObject({ row: 0 });
    expect(cursorAfter(found, 'x', start)).toBeNull();
    expect(cursorAfter(made({ rows: [] }), 'Home', null)).toBeNull();
  });
});

describe('a picture', () => {
  it.each(views)('of %s is drawn for any rows', (view) => {
    const nothing = row(5, [0, 0], { percentiles: Array<number>(9).fill(NaN) });
    for (const rows of [
      [],
      [row(3, [1, 2])],
      [nothing],
      [...props.rows, nothing],
      [row(5, [1, 1]), row(5, [2, 2]), row(1, [1, 0])],
    ]) {
      const text = svg({ view, rows, errors: [4] }, true);
      expect(text).not.toContain('NaN');
      expect(text).not.toContain('Infinity');
      expect(text).toContain('weights &lt;a&gt; &amp; &quot;b&quot;');
    }
  });

  it('for a file says what its axes are, and which run a colour is', () => {
    const rows = [row(0, [1, 2], { color: '#112233' }), row(1, [2, 1], { color: '#445566' })];
    const text = svg({ view: 'front', rows }, true);
    for (const part of ['value', 'count', 'row &lt;0&gt;', 'row &lt;1&gt;', '#112233', '#445566'])
      expect(text).toContain(part);
    expect(svg({ view: 'front', rows })).not.toContain('row &lt;0&gt;');
  });

  it('marks rows that could not be read', () => {
    for (const view of ['top', 'distributions', 'heatmap'] as const)
      expect(svg({ view, errors: [5] })).toContain(colors.danger);
  });
});

describe('distributions', () => {
  it('are interrupted at gaps, and where steps restart', () => {
    const nothing = row(1, [0, 0], { percentiles: Array<number>(9).fill(NaN) });
    const rows = [row(0, [1, 0]), nothing, row(2, [1, 0]), row(3, [1, 0]), row(1, [1, 0])];
    expect(pieces(rows).map((piece) => piece.map(({ at }) => at))).toEqual([[0], [2, 3], [1]]);
  });
});

describe('a heatmap', () => {
  it('tells few from none, and most from many', () => {
    expect(shadeOf(0, 1000)).toBe(0);
    expect(shadeOf(1e-9, 1000)).toBe(1);
    expect(shadeOf(1000, 1000)).toBeGreaterThan(shadeOf(900, 1000));
  });

  it('has one column for each pixel at most, and no gaps', () => {
    const found = made({ view: 'heatmap', rows: Array.from({ length: 5000 }, (_, i) => row(i, [1, 1])) });
    const columns = columnsOf(found);
    expect(columns.length).toBeLessThanOrEqual(2 * found.plot.width);
    expect(columns[columns.length - 1]?.row).toBe(4999);
    for (let i = 1; i < columns.length; i++) expect(columns[i]?.from).toBeCloseTo(columns[i - 1]?.to as number, 6);
  });
});

describe('a heatmap with a row that could not be read', () => {
  it('leaves its place empty', () => {
    const found = made({ view: 'heatmap', errors: [15] });
    expect(columnsOf(found).map(({ row: index }) => index)).toEqual([0, 1, -1, 2]);
    const x = found.rows.toPixel(15);
    expect(cursorAt(found, x, found.plot.top + 10)).toBeNull();
  });
});

describe('colours', () => {
  it('are mixed from one end to the other', () => {
    expect(mix('#000000', '#ffffff', 0)).toBe('#000000');
    expect(mix('#000000', '#ffffff', 1)).toBe('#ffffff');
    expect(mix('#ff0000', '#ff0000', 0.5)).toBe('#ff0000');
  });

  it('of rows go from faint to full', () => {
    expect(ramp('#336699', colors, 1)).toEqual(['#336699']);
    const shades = ramp('#336699', colors, 3);
    expect(shades[2]).toBe('#336699');
    expect(new Set(shades).size).toBe(3);
  });
});
