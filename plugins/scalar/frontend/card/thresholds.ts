/** Thresholds of cards: what the fields of their dialog hold, and which of them this browser remembers. */
import type { PluginContext } from '@insight-host/api';
import { changed } from '@insight-host/kit/lab';
import type { Threshold, ThresholdCondition } from '@insight-host/kit/lines';
import { signal } from '@preact/signals';

/** What the threshold dialog's fields hold. */
export interface ThresholdForm {
  readonly operator: '<' | '>';
  readonly value: string;
  /** Empty: one condition only. */
  readonly join: '' | 'and' | 'or';
  readonly secondOperator: '<' | '>';
  readonly secondValue: string;
}

/** Keys of the catalogue. */
export type ThresholdProblem =
  | 'threshold.not_a_number'
  | 'threshold.second_not_a_number'
  | 'threshold.contradiction'
  | 'threshold.always';

export const EMPTY_FORM: ThresholdForm = { operator: '>', value: '', join: '', secondOperator: '<', secondValue: '' };

export function readForm(form: ThresholdForm): Threshold | ThresholdProblem {
  const first = condition(form.operator, form.value);
  if (!first) return 'threshold.not_a_number';
  if (!form.join) return { first };
  const second = condition(form.secondOperator, form.secondValue);
  if (!second) return 'threshold.second_not_a_number';
  const problem = contradiction(first, form.join, second);
  return problem ?? { first, join: form.join, second };
}

function condition(operator: '<' | '>', text: string): ThresholdCondition | null {
  const trimmed = text.trim().replace('−', '-');
  const value = Number(trimmed);
  return trimmed !== '' && Number.isFinite(value) ? { operator, value } : null;
}

function contradiction(
  first: ThresholdCondition,
  join: 'and' | 'or',
  second: ThresholdCondition,
): ThresholdProblem | null {
  if (first.operator[0] === second.operator[0]) return null;
  const [below, above] = first.operator.startsWith('<') ? [first.value, second.value] : [second.value, first.value];
  if (join === 'and' && below <= above) return 'threshold.contradiction'; // nothing is below 1 and above 2
  if (join === 'or' && below > above) return 'threshold.always'; // everything is below 2 or above 1
  return null;
}

export function writeForm(threshold: Threshold | null): ThresholdForm {
  if (!threshold) return EMPTY_FORM;
  const { first, join, second } = threshold;
  return {
    operator: first.operator.startsWith('<') ? '<' : '>',
    value: String(first.value),
    join: second ? (join ?? 'and') : '',
    secondOperator: second?.operator.startsWith('>') ? '>' : '<',
    secondValue: second ? String(second.value) : '',
  };
}

/** A threshold in symbols: `> 2`, `< 1 ∨ > 2`. */
export function thresholdText({ first, join, second }: Threshold): string {
  const one = (c: ThresholdCondition): string => `${c.operator} ${c.value}`;
  return second ? `${one(first)} ${join === 'or' ? '∨' : '∧'} ${one(second)}` : one(first);
}

/** Thresholds as remembered in the browser; anything that is not one is left out. */
export function readThresholds(stored: unknown): ReadonlyMap<string, Threshold> {
  const map = new Map<string, Threshold>();
  for (const [tag, value] of Object.entries(typeof stored === 'object' && stored !== null ? stored : {})) {
    const threshold = value as Partial<Threshold> | null;
    if (!isCondition(threshold?.first)) continue;
    if (threshold.second === undefined) map.set(tag, { first: threshold.first });
    else if (isCondition(threshold.second)) {
      map.set(tag, { first: threshold.first, join: threshold.join === 'or' ? 'or' : 'and', second: threshold.second });
    }
  }
  return map;
}

function isCondition(value: unknown): value is ThresholdCondition {
  const condition = value as Partial<ThresholdCondition> | null | undefined;
  return ['<', '>', '<=', '>='].includes(condition?.operator ?? '') && Number.isFinite(condition?.value);
}

/** Thresholds by tag, which this browser remembers. */
export class Thresholds {
  readonly byTag = signal<ReadonlyMap<string, Threshold>>(new Map());

  constructor(private readonly memory: PluginContext['memory']) {
    this.byTag.value = readThresholds(memory.get<unknown>('thresholds', {}));
  }

  set(tags: readonly string[], threshold: Threshold | null): void {
    let next = this.byTag.value;
    for (const tag of tags) next = changed(next, tag, threshold);
    this.byTag.value = next;
    this.memory.set('thresholds', Object.fromEntries(next));
  }
}
