/** What differs between runs. */
import type { Column, Frame } from '@insight-host/kit/runs';
import { LABELS } from './axes';

export const COMPARED: readonly string[] = [
  'hyperparameter',
  'custom',
  'model',
  'dataset',
  'pipeline',
  'metric',
  'scalar',
  'annotation',
];

export interface Difference {
  readonly column: Column;
  readonly group: string;
  /** The text of each run, null where it is missing. */
  readonly texts: readonly (string | null)[];
  /** Of runs with a number: how far from the first run's, relative to that; null without. */
  readonly changes: readonly (number | null)[];
  readonly differs: boolean;
}

/** Everything that a run may differ in, in groups; the first run is what the others are compared with. */
export function differencesOf(frame: Frame, runs: readonly string[]): readonly Difference[] {
  const rows = runs.map((run) => frame.rowOf.get(run) ?? -1);
  return COMPARED.flatMap((group) =>
    [...frame.columns.values()]
      .filter((column) => column.group === group)
      .map((column) => {
        const shown = rows.map((row) => (row < 0 || column.isMissing(row) ? null : column.text(row)));
        const numbers = rows.map((row) => (row < 0 ? NaN : (column.numbers[row] as number)));
        const exact = rows.map((row) => JSON.stringify(column.values[row] ?? null));
        const isRounded = new Set(shown).size < new Set(exact).size; // different values have one text
        const texts = shown.map((text, at) =>
          text !== null && isRounded ? exactText(exact[at] as string, text) : text,
        );
        const [base] = numbers as [number];
        const isAmount = column.isNumeric && !LABELS.includes(column.name);
        const changes = numbers.map((value, at) =>
          at > 0 && isAmount && Number.isFinite(value) && Number.isFinite(base) && base !== 0 && value !== base
            ? (value - base) / Math.abs(base)
            : null,
        );
        return { column, group, texts, changes, differs: new Set(exact).size > 1 };
      })
      .filter(({ texts }) => texts.some((text) => text !== null)),
  );
}

/** A number with all its digits; any other value as it is shown. */
const exactText = (exact: string, shown: string): string => (/^-?[0-9]/.test(exact) ? exact.replace(/^-/, '−') : shown);
