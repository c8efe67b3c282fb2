/** Texts about rows, cells and faults, in the user's language; what one cell says, and all of them as a table. */
import { valueText, type Page } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { flagWords, layerAt, runAt, type Fault, type HeatMap, type Measure } from './answer';
import type { HealthBoard } from './board';

/** The names of the rows; with several kinds of values in one map, the kind too. */
export function namesOf(map: HeatMap, page: Page): readonly string[] {
  if (map.view === 'ranks') return map.runs.map((run) => page.nameOf(run));
  const isMixed = new Set(map.layers.map(({ kind }) => kind)).size > 1;
  return map.layers.map(({ name, kind }) => (isMixed ? `${name} · ${page.t(`kind.${kind}.one_letter`)}` : name));
}

/** The place among the steps of the map whose column has a step; null if the map has no columns. */
export function placeOfStep(map: HeatMap, step: number): number | null {
  let [low, high] = [0, map.columns - 1];
  if (high < 0 || !Number.isFinite(step)) return null;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((map.firsts[middle] as number) <= step) low = middle;
    else high = middle - 1;
  }
  const one = (map.end - map.begin) / map.columns;
  return map.begin + (low + 0.5) * one;
}

/** A number of a measure. */
export function numberText(measure: Measure, value: number, locale: string): string {
  if (measure === 'zeros' || measure === 'dead')
    return value.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 });
  return valueText(Number(value.toPrecision(4)));
}

function faultKey({ fault, follows, severity, word }: Fault): string {
  if (fault === 'nonfinite' && severity === 'hint') return 'fault.overflow';
  if (fault !== 'dead') return `fault.${fault}`;
  return `fault.dead.${follows ? 'follows' : word}`;
}

/** What is wrong with a layer. */
export function faultText(page: Page, fault: Fault): string {
  const locale = page.locale.value;
  const step = new Intl.NumberFormat(locale).format(fault.step);
  const share = fault.value.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 0 });
  return page.t(faultKey(fault), {
    step,
    word: fault.word.replace('-', '−'),
    count: fault.value,
    share,
    value: valueText(Number(fault.value.toPrecision(2))),
    usual: valueText(Number((fault.usual ?? 0).toPrecision(2))),
  });
}

interface ReadingProps {
  readonly board: HealthBoard;
  readonly map: HeatMap;
  readonly row: number;
  readonly column: number;
}

/** What one cell says. */
export function Reading({ board, map, row, column }: ReadingProps): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const locale = page.locale.value;
  const cell = row * map.columns + column;
  const [value, flags] = [map.numbers[cell] ?? NaN, map.flags[cell] ?? 0];
  const layer = layerAt(map, row);
  const run = runAt(map, row, column);
  const format = new Intl.NumberFormat(locale);
  const [first, last] = [map.firsts[column] ?? 0, map.lasts[column] ?? 0];
  return (
    <>
      <strong>{layer ? layer.name : say('layer.all')}</strong>
      {layer && <span class="kind"> {say(`kind.${layer.kind}`)}</span>}
      {flags !== 0 && <div class="bad">{flagWords(flags)}</div>}
      <div>
        {say(`measure.${map.measure}`)}: {Number.isNaN(value) ? say('unknown') : numberText(map.measure, value, locale)}
      </div>
      {map.view !== 'matrix' && (
        <div>
          {first === last
            ? say('step', { step: format.format(first) })
            : say('steps', { first: format.format(first), last: format.format(last) })}
        </div>
      )}
      {run !== undefined && <div>{page.nameOf(run)}</div>}
    </>
  );
}

/** The map as a table: a line for each row, with its first bad step and the number of each column. */
export function tableOf(map: HeatMap, page: Page): ChartData {
  const { t: say } = page;
  const names = namesOf(map, page);
  const columns =
    map.view === 'matrix'
      ? map.runs.map((run) => page.nameOf(run))
      : Array.from(map.firsts, (first, i) => (first === map.lasts[i] ? `${first}` : `${first}–${map.lasts[i]}`));
  const isMerged = map.view === 'layers' && map.runs.length > 1;
  const head = [say(map.view === 'ranks' ? 'table.run' : 'table.layer'), say('table.bad'), ...columns];
  const rows = names.map((name, row) => {
    const cells = Array.from({ length: map.columns }, (_, column) => map.numbers[row * map.columns + column] ?? NaN);
    const bad = map.flags.subarray(row * map.columns, (row + 1) * map.columns).findIndex((flags) => flags !== 0);
    const run = bad >= 0 && isMerged ? runAt(map, row, bad) : undefined;
    const where = bad < 0 ? null : `${columns[bad]}${run === undefined ? '' : ` (${page.nameOf(run)})`}`;
    return [name, where, ...cells.map((value) => (Number.isNaN(value) ? null : value))];
  });
  return { head, rows };
}
