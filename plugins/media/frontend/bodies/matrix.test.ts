import { describe, expect, it } from 'vitest';
import { lookOf } from '../figures/look';
import { layoutOf } from '../figures/plotly';
import { isVega, sized } from '../figures/vega';
import { cellAt, cellText, layOut, macroF1, matrixTable, shadesOf } from './matrix';

const matrix = {
  labels: ['cat', 'dog'],
  counts: [
    [3, 1],
    [0, 0],
  ],
  accuracy: 0.75,
  precision: [1, 0],
  recall: [0.75, 0],
  f1: [6 / 7, 0],
  support: [4, 0],
};

describe('a confusion matrix', () => {
  it('is shaded by counts, or by shares of the true or the predicted class', () => {
    expect([...shadesOf(matrix, 'counts')]).toEqual([1, 1 / 3, 0, 0]);
    expect([...shadesOf(matrix, 'rows')]).toEqual([0.75, 0.25, 0, 0]);
    expect([...shadesOf(matrix, 'columns')]).toEqual([1, 1, 0, 0]);
  });

  it('has counts or per cent in its cells', () => {
    expect(cellText(1234, 1, 'counts', 'en')).toBe('1,234');
    expect(cellText(0.123456, 1, 'counts', 'en')).toBe('0.123');
    expect(cellText(1234, 0.256, 'rows', 'en')).toBe('26');
  });

  it('is a table with a row for each true class', () => {
    const { head, rows } = matrixTable(matrix, (key) => key);
    expect(head.slice(0, 4)).toEqual(['confusion.class', 'cat', 'dog', 'confusion.support']);
    expect(rows[0]).toEqual(['cat', 3, 1, 4, 1, 0.75, 6 / 7]);
    expect(macroF1(matrix)).toBeCloseTo(3 / 7);
  });

  it('has cells next to its names, which the pointer finds', () => {
    const layout = layOut(matrix.labels, { width: 400, height: 300 });
    const { left, top, side } = layout;
    expect(top + 2 * side).toBeLessThanOrEqual(300);
    expect(left + 2 * side).toBeLessThanOrEqual(400);
    expect(cellAt(layout, 2, left + 1.5 * side, top + 0.5 * side)).toEqual([0, 1]);
    expect(cellAt(layout, 2, left - 1, top + 1)).toBeNull();
    expect(cellAt(layout, 2, left + 2.5 * side, top + 1)).toBeNull();
  });

  it('of many classes with long names has upright names', () => {
    const labels = Array.from({ length: 20 }, (_, i) => `class of the number ${i}`);
    expect(layOut(labels, { width: 400, height: 300 }).upright).toBe(true);
    expect(layOut(['a', 'b'], { width: 400, height: 300 }).upright).toBe(false);
  });
});

const look = lookOf({ mode: 'dark', token: (name) => name }, 400, 300);

describe('a figure', () => {
  it('of one plot takes the room that there is, one of several parts keeps its size', () => {
    expect(sized({ mark: 'bar', width: 50 }, look)).toMatchObject({ mark: 'bar', width: 392, height: 292 });
    expect(sized({ hconcat: [] }, look)).toEqual({ hconcat: [] });
    expect(sized({ mark: 'bar', encoding: { row: {} } }, look)).not.toHaveProperty('width');
  });

  it('is of Vega or Vega-Lite by its schema', () => {
    expect(isVega({ $schema: 'https://vega.github.io/schema/vega/v5.json' })).toBe(true);
    expect(isVega({ $schema: 'https://vega.github.io/schema/vega-lite/v5.json' })).toBe(false);
    expect(isVega({ $schema: 5 })).toBe(false);
  });

  it('of Plotly keeps what it says itself, on the colours of the page', () => {
    const made = layoutOf(
      { width: 9000, paper_bgcolor: 'pink', template: { data: 1, layout: { colorway: ['red'] } } },
      look,
    );
    expect(made).toMatchObject({ width: 400, height: 300, paper_bgcolor: 'pink' });
    expect(made['template']).toMatchObject({
      data: 1,
      layout: { colorway: ['red'], font: { color: '--text' }, plot_bgcolor: 'rgba(0,0,0,0)' },
    });
  });
});
