/** The answer of the route `findings`, and its texts in the user's language. */
import type { Messages, PluginContext, Reason } from '@insight-host/api';
import { valueText } from '@insight-host/kit';

export type Severity = 'error' | 'warning' | 'hint' | 'good';

interface Place {
  /** Name of the tab. */
  readonly plugin: string;
  /** "" where the finding is about no series. */
  readonly tag: string;
  readonly steps: readonly [number, number] | null;
  readonly state: Readonly<Record<string, string>>;
}

/** The share of time that a change saves. */
export interface Saving {
  readonly low: number;
  readonly high: number;
  readonly of: 'step' | 'run';
  readonly assumes: Reason | null;
}

/** Hyperparameters that the runs have in common: `lr = 0.3`. */
export interface Condition {
  readonly columns: readonly string[];
  readonly text: string;
  readonly having: number;
  readonly of: number;
  readonly others_having: number;
  readonly others: number;
}

export interface Finding {
  readonly plugin: string;
  readonly rule: string;
  readonly runs: readonly string[];
  readonly severity: Severity;
  /** A line of at most 60 characters in English. */
  readonly title: Reason;
  readonly saw: Reason;
  readonly change: Reason | null;
  readonly shared: readonly Condition[];
  readonly place: Place;
  readonly saves: Saving | null;
  readonly confidence: 'measured' | 'estimated' | 'suspected';
  /** The findings of single runs, if a rule found something in several; else empty. */
  readonly each: readonly Finding[];
}

export interface RuleInfo {
  readonly plugin: string;
  readonly id: string;
  readonly title: Reason;
  /** What one check sees: a run, several runs together, or a profile. */
  readonly scope: 'run' | 'runs' | 'profile';
  /** The number of runs that the rule could check. */
  readonly checked: number;
}

/** Runs of which a rule could not tell, and why. */
export interface Unchecked {
  readonly plugin: string;
  readonly rule: string;
  readonly runs: readonly string[];
  readonly reason: Reason;
  readonly failed: boolean;
  /** Whether it may be checked later although the data stay the same. */
  readonly pending: boolean;
}

export interface Answer {
  /** The worst first. */
  readonly findings: readonly Finding[];
  readonly rules: readonly RuleInfo[];
  readonly unchecked: readonly Unchecked[];
  /** How many runs the answer is about, and how many of them are not checked yet. */
  readonly runs: number;
  readonly left: number;
  /** The generation of the data that it is about, at least. */
  readonly generation: number;
  /** Texts of plugins for the codes of their reasons, by locale. */
  readonly messages: Messages;
}

export const NOTHING: Answer = {
  findings: [],
  rules: [],
  unchecked: [],
  runs: 0,
  left: 0,
  generation: 0,
  messages: {},
};

export const keyOf = ({ plugin, rule }: { readonly plugin: string; readonly rule: string }): string =>
  `${plugin}/${rule}`;

const isReason = (value: unknown): value is Reason =>
  typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string';

/** A reason in the user's language: by the texts of the plugin that has the rule, else as the page says it. */
export function textOf(ctx: PluginContext, messages: Messages, reason: Reason): string {
  const locale = ctx.locale.value;
  const text = messages[locale]?.[`reason.${reason.code ?? ''}`];
  if (text === undefined) return ctx.reason(reason);
  const whole = new Intl.NumberFormat(locale);
  let isWhole = true;
  const filled = text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = reason.details?.[name];
    if (value === undefined) isWhole = false;
    if (isReason(value)) return textOf(ctx, messages, value);
    if (typeof value !== 'number') return String(value);
    return Number.isInteger(value) && Math.abs(value) < 1e9 ? whole.format(value) : valueText(value);
  });
  if (!isWhole) return reason.error;
  // as the host does it in English: a name of the user stays as it is
  return /^[a-z]/.test(text) ? filled.charAt(0).toUpperCase() + filled.slice(1) : filled;
}
