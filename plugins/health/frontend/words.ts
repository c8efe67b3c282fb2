/** Texts about rows, cells and faults, in the user's language. */
import { valueText, type Page } from '@insight-host/kit';
import type { Fault, HeatMap, Measure } from './answer';

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
