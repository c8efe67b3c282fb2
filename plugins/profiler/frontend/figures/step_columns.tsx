/** Steps as columns of what their time was spent on; a press on one filters every view. */
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { StepRows } from '../answers/steps';
import { holds } from '../steps';
import { shareText, timeText } from '../units';
import { categoryText } from '../words';
import { Columns, type StackedColumn } from './columns';
import { inkOf } from './ink';
import type { TipText } from './tip';

/** Of the columns of step rows: those that divide the step, else the duration as a whole. */
export function layersOf(rows: StepRows): readonly string[] {
  const parts = Object.keys(rows).filter((name) => name !== 'number' && name !== 'duration');
  return parts.length > 0 ? parts : ['duration'];
}

interface StepColumnsProps {
  readonly board: ProfilerParts;
  readonly rows: StepRows;
  /** Numbers of steps. */
  readonly outliers: readonly number[];
  readonly label: string;
}

export function StepColumns({ board, rows, outliers, label }: StepColumnsProps): JSX.Element {
  const ink = inkOf(board.page.theme.value);
  const locale = board.page.locale.value;
  const numbers = rows['number'] ?? [];
  const names = layersOf(rows);
  const range = board.steps.value;
  const columns = numbers.map((number, i): StackedColumn => ({
    label: String(number ?? ''),
    parts: names.map((name) => Math.max(0, rows[name]?.[i] ?? 0)),
    isChosen: number !== null && holds(range, number),
    isOutlier: number !== null && outliers.includes(number),
  }));
  const tip = (at: number): TipText => {
    const duration = rows['duration']?.[at] ?? null;
    const whole = columns[at]?.parts.reduce((sum, part) => sum + part, 0) ?? 0;
    return {
      title:
        `${board.page.t('step')} ` +
        `${columns[at]?.label ?? ''}${duration === null ? '' : ` · ${timeText(duration, locale)}`}` +
        `${columns[at]?.isOutlier ? ` · ${board.page.t('step.outlier')}` : ''}`,
      lines: names.flatMap((name, i): (readonly [string, string, string])[] => {
        const part = columns[at]?.parts[i] ?? 0;
        return part > 0
          ? [
              [
                categoryText(board, name),
                `${timeText(part, locale)}  ${shareText(whole > 0 ? part / whole : 0, locale)}`,
                ink.category(name),
              ],
            ]
          : [];
      }),
    };
  };
  const press = (at: number, extend: boolean): void => {
    const number = numbers[at];
    if (typeof number === 'number') board.navigation.chooseStep(number, extend);
  };
  return (
    <Columns
      board={board}
      columns={columns}
      layers={names.map((key) => ({ key, color: ink.category(key), label: categoryText(board, key) }))}
      label={label}
      xLabel={board.page.t('step')}
      tip={tip}
      onPress={press}
    />
  );
}
