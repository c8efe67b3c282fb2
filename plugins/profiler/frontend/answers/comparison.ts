/**
 * The answer about two profiles side by side. Times are in ns, of a step; null: one of the profiles does not have it.
 */
import type { Messages, Reason } from '@insight-host/api';
import type { Advice, RanksProgress } from '../advice/texts';

/** The steps of a profile by which it is compared: the chosen ones, or all but `left_out` outliers. */
export interface ComparedSteps {
  readonly count: number;
  /** ns; null: none of them has a known duration. */
  readonly median: number | null;
  readonly left_out: number;
}

/** What both answers about two profiles have. */
export interface Compared {
  /** Null in a profile without steps. */
  readonly steps: ComparedSteps | null;
  readonly base_steps: ComparedSteps | null;
  /** How times are compared: in total where they cannot be by the step. */
  readonly per: 'total' | 'step' | 'call';
  /** Why a side is not compared as it was asked for. */
  readonly limits: Readonly<
    Partial<Record<'base' | 'own', 'no_steps' | 'none_chosen' | 'only_sums' | 'with_outliers'>>
  >;
}

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
  readonly start: number;
  readonly duration: number;
  readonly lanes: readonly {
    readonly label: string;
    readonly kind: string;
    /** From the start of the step. */
    readonly runs: readonly { readonly start: number; readonly end: number; readonly category: string }[];
  }[];
}

export type TitledAdvice = Advice & { readonly title: Reason };

export interface ComparisonAnswer extends Compared {
  readonly parts: readonly ComparedRow[];
  readonly memory: readonly ComparedRow[];
  readonly communication: readonly ComparedRow[];
  /** What only the baseline has, both have, only the other has; null while one of the profiles is being read. */
  readonly advice: Readonly<Record<'gone' | 'stays' | 'new', readonly TitledAdvice[]>> | null;
  /** Of the jobs of both. Advice is without the rules about ranks until all are read. */
  readonly ranks: RanksProgress;
  readonly messages: Messages;
  /** Of the baseline and of the other. */
  readonly timelines: readonly [StepTimeline | null, StepTimeline | null];
}
