/** The answer of the overview. Times are in ns from the beginning of the profile; null: not known. */
import type { Peak } from './memory';
import type { Side } from './operators';
import type { Value } from './profile';
import type { StepRows, StepSummary } from './steps';
import type { TableAnswer } from './table';

export interface OverviewAnswer {
  readonly steps: StepSummary | null;
  readonly step_rows: StepRows | null;
  /** Numbers of the steps in `step_rows` that are outliers. */
  readonly outliers: readonly number[];
  /** The time that the profile spans, ns. */
  readonly covered: number;
  readonly shares: readonly { readonly category: string; readonly time: number; readonly share: number | null }[];
  readonly biggest: Readonly<Partial<Record<Side, TableAnswer>>>;
  /** Whether the biggest operators are of the calls that are in no outlier step. */
  readonly biggest_without_outliers: boolean;
  readonly memory: Peak | null;
  readonly facts: readonly { readonly code: string; readonly value: Value }[];
}
