import { Page } from '@insight-host/kit';
import { fakeContext, fakeRun } from '@insight-host/kit/testing';
import { afterEach, expect, it } from 'vitest';
import { scalarParts, type ScalarParts } from '../board';
import { absence, lacking } from './card_status';
import { sectionOf, type Category } from '../panels/layouts';

const MARGIN = { value: 'm/value', lower: 'm/low', upper: 'm/high' };
const chart = (more: Partial<Category['charts'][number]>): Category => ({
  title: 'Mine',
  closed: false,
  charts: [{ title: 'c', patterns: [], margins: [], runs: ['whole', 'part', 'none'], ...more }],
});

let board: ScalarParts;
afterEach(() => board.page.dispose());

/** A board with these runs selected, of four; the only panel of a layout. */
function shown(selected: readonly string[], category: Category) {
  const series = {
    whole: ['m/value', 'm/low', 'm/high', 'loss'],
    part: ['m/value', 'm/low'],
    none: ['loss'],
    other: ['loss'],
  };
  const ctx = fakeContext(Object.keys(series), { series });
  ctx.runs.selected.value = ctx.runs.shown.value = selected.map(fakeRun);
  board = scalarParts(new Page(ctx));
  board.panels.ofLogs.value = [sectionOf(category, 0)];
  return board.panels.ofSelected.value[0]?.panels[0];
}
const plain = (text: string): string => text.replaceAll('list.separator', ', ');
const known = () => board.tags.runsByTag.value;

it('a layout is that of the selected runs', () => {
  expect(shown(['other'], chart({}))).toBeUndefined();
  expect(shown(['other', 'part'], chart({}))?.title).toBe('c');
});

it('a chart that no selected run has a tag of says so', () => {
  const panel = shown(['none'], chart({ margins: [MARGIN], patterns: ['grad/.*'] }));
  expect(plain(absence(board.page, panel!, known()))).toBe('panel.tags.none {"tags":"m/value, m/low, m/high, …"}');
  const lines = shown(['none'], chart({ patterns: ['grad/.*'] }));
  expect(absence(board.page, lines!, known())).toBe('panel.tags.none {"tags":"grad/.*"}');
  expect(absence(board.page, { kind: 'lines', tags: ['gone'] }, known())).toBe('panel.tags.none {"tags":"gone"}');
  expect(absence(board.page, { kind: 'lines', tags: ['loss'] }, known())).toBe('');
});

it('a chart says which tags a run lacks whose layout has it', () => {
  const panel = shown(['whole', 'part', 'none', 'other'], chart({ margins: [MARGIN], patterns: ['lo'] }));
  expect(absence(board.page, panel!, known())).toBe('');
  expect(lacking(board, panel!).map(plain)).toEqual([
    'panel.lacks {"run":"part","tags":"m/high, lo"}',
    'panel.lacks {"run":"none","tags":"m/value, m/low, m/high"}',
  ]);
  expect(lacking(board, { id: 'p', kind: 'lines', tags: ['gone'] })).toEqual([]);
});
