/**
 * The answer about two profiles side by side. Times are in ns, of a step; null: one of the profiles does not have it.
 */
import type { Messages, Reason } from '@insight-host/api';
import type { Advice } from './advice';
import type { StepSummary } from './steps';

export interface ComparedRow {
  readonly name: string;
  readonly base: number | null;
  readonly value: number | null;
}

/** A step: what most of the time in each part of it was spent on, by track. */
export interface StepTimeline {
  readonly number: number;
  /** Of all steps that can be shown. */
  readonly numbers: readonly number[];
  readonly duration: number;
  readonly lanes: readonly {
    readonly label: string;
    readonly kind: string;
    /** From the start of the step. */
    readonly runs: readonly { readonly start: number; readonly end: number; readonly category: string }[];
  }[];
}

export type TitledAdvice = Advice & { readonly title: Reason };

export interface ComparisonAnswer {
  readonly steps: StepSummary | null;
  readonly base_steps: StepSummary | null;
  readonly parts: readonly ComparedRow[];
  readonly memory: readonly ComparedRow[];
  readonly communication: readonly ComparedRow[];
  /** What only the baseline has, both have, only the other has. */
  readonly advice: Readonly<Record<'gone' | 'stays' | 'new', readonly TitledAdvice[]>>;
  readonly messages: Messages;
  /** Of the baseline and of the other. */
  readonly timelines: readonly [StepTimeline | null, StepTimeline | null];
}
