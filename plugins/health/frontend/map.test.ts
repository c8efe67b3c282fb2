import { expect, it } from 'vitest';
import { flagWords, runAt, type HeatMap } from './answer';
import { finer } from './board';
import { moveByKey } from './map_keys';
import { boxOf, cellsAt, columnOf, layOut, placeAt, type Cells } from './paint';
import { placeOfStep } from './words';

/** 4 rows of 1,000 steps, every tenth number, from the place `begin` to `end`. */
function made(begin: number, end: number, columns: number): Cells {
  const map: HeatMap = {
    view: 'layers',
    measure: 'size',
    layers: [0, 1, 2, 3].map((i) => ({ id: `weight:${i}`, name: `fc${i}`, kind: 'weight' })),
    choices: [],
    more: 0,
    runs: ['a', 'b'],
    all_runs: ['a', 'b'],
    measures: ['size'],
    kinds: [],
    steps: 1000,
    begin,
    end,
    columns,
    records: 0,
    read: 0,
    unreadable: 0,
    faults: [],
    more_faults: 0,
    rows: 4,
    numbers: new Float32Array(4 * columns),
    flags: new Uint8Array(4 * columns),
    whose: new Uint16Array(4 * columns).fill(2),
    firsts: Float64Array.from({ length: columns }, (_, i) => 10 * (begin + (i * (end - begin)) / columns)),
    lasts: Float64Array.from({ length: columns }, (_, i) => 10 * (begin + ((i + 1) * (end - begin)) / columns) - 10),
  };
  return { map, picture: {} as HTMLCanvasElement, from: begin, to: end, badRows: [], badColumns: [] };
}

const base = made(0, 1000, 100);
const size = { width: 700, height: 128 };

it('finds the cell under the pointer, and the pixels of a cell', () => {
  const layout = layOut(base.map, ['fc0', 'fc1', 'fc2', 'fc3'], size, { from: 200, to: 400 }, null);
  expect([layout.left, layout.width]).toEqual([60, 628]);
  const place = placeAt(layout, layout.left + layout.width / 2, layout.top + layout.height * 0.6);
  expect(place).toEqual({ row: 2, at: 300 });
  const box = boxOf({ layout, base, detail: null }, place ?? { row: 0, at: 0 });
  expect(box.x).toBeCloseTo(layout.left + layout.width / 2);
  expect(box.width).toBeCloseTo(layout.width / 20);
  expect(placeAt(layout, 10, 20)).toBeNull();
});

it('shows finer cells where they are there', () => {
  const detail = made(200, 300, 100);
  expect(cellsAt({ base, detail }, 250)).toBe(detail);
  expect(cellsAt({ base, detail }, 300)).toBe(base);
  expect([columnOf(detail, 250), columnOf(base, 250)]).toEqual([50, 25]);
});

it('asks for finer cells of what is in sight and of as much to both sides', () => {
  expect(finer(base.map, null)).toBeNull();
  expect(finer(base.map, { from: 500, to: 600 })).toEqual({ begin: 400, end: 700 });
  expect(finer(base.map, { from: 950, to: 1000 })).toEqual({ begin: 900, end: 1000 });
  expect(finer({ ...base.map, columns: 1000 }, { from: 500, to: 600 })).toBeNull(); // each step has a column
});

it('finds the place of a step', () => {
  expect(placeOfStep(base.map, 0)).toBe(5);
  expect(placeOfStep(base.map, 2550)).toBe(255);
  expect(placeOfStep(base.map, 1e9)).toBe(995);
  expect(placeOfStep(base.map, NaN)).toBeNull();
});

it('goes from cell to cell by keys, and brings them into sight', () => {
  const layout = layOut(base.map, [], size, { from: 200, to: 300 }, null);
  const press = (key: string, place: { row: number; at: number } | null) =>
    moveByKey({ key, ctrlKey: false, metaKey: false, altKey: false }, { place, layout, base, detail: null });
  expect(press('ArrowRight', null)?.place).toEqual({ row: 2, at: 250 });
  expect(press('ArrowRight', { row: 2, at: 250 })?.place).toEqual({ row: 2, at: 265 });
  const beyond = press('ArrowRight', { row: 0, at: 295 });
  expect(beyond?.x?.from).toBeCloseTo(201);
  expect(press('ArrowDown', { row: 3, at: 250 })?.place?.row).toBe(3);
  expect(press('End', { row: 0, at: 250 })?.place?.at).toBe(995);
  expect(press('+', { row: 0, at: 250 })?.x).toEqual({ from: 225, to: 275 });
  expect(press('0', null)?.reset).toBe(true);
  expect(press('x', null)).toBeNull();
  const withControl = { key: '+', ctrlKey: true, metaKey: false, altKey: false };
  expect(moveByKey(withControl, { place: null, layout, base, detail: null })).toBeNull(); // the browser zooms
});

it('says whose number is shown, and what is not finite', () => {
  expect(runAt(base.map, 1, 3)).toBe('b');
  expect(runAt({ ...base.map, runs: ['a'] }, 1, 3)).toBe('a');
  expect(runAt({ ...base.map, whose: new Uint16Array(400) }, 1, 3)).toBeUndefined();
  expect(flagWords(1 | 4)).toBe('NaN, −Inf');
});
