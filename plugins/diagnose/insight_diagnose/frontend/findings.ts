/** Answers of the route `findings`, and where a finding leads. */
import type { Messages, PluginContext, Reason } from '@insight-host/api';
import { valueText } from '@insight-host/kit';

export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Place {
  /** Name of the tab. */
  readonly plugin: string;
  /** "" where the finding is about no series. */
  readonly tag: string;
  readonly steps: readonly [number, number] | null;
  readonly state: Readonly<Record<string, string>>;
}

export interface Finding {
  readonly plugin: string;
  readonly rule: string;
  readonly run: string;
  readonly severity: Severity;
  readonly saw: Reason;
  readonly why: Reason;
  readonly change: Reason;
  readonly place: Place;
  /** The share of the time of the run that the change saves, estimated. */
  readonly saves: number | null;
}

/** One sentence about runs taken together. */
export interface Highlight {
  readonly plugin: string;
  readonly source: string;
  readonly tone: Severity | 'good';
  readonly text: Reason;
  readonly runs: readonly string[];
  readonly place: Place | null;
}

export interface HighlightsAnswer {
  readonly highlights: readonly Highlight[];
  /** Sources that failed. */
  readonly failed: readonly { readonly plugin: string; readonly source: string; readonly reason: Reason }[];
  readonly messages: Messages;
}

export interface RuleInfo {
  readonly plugin: string;
  readonly id: string;
  readonly title: Reason;
}

/** One rule that was checked for a run, or could not be. */
export interface RuleState {
  readonly plugin: string;
  readonly rule: string;
  /** "" where the rules of a plugin failed as a whole. */
  readonly run: string;
}
export interface Unchecked extends RuleState {
  readonly failed: boolean;
  /** It may be checked later although the data stay. */
  readonly pending: boolean;
  readonly reason: Reason;
}

export interface Answer {
  readonly rules: readonly RuleInfo[];
  readonly findings: readonly Finding[];
  /** Findings that the answer leaves out. */
  readonly more: number;
  readonly checked: readonly RuleState[];
  readonly unchecked: readonly Unchecked[];
  /** Texts of plugins for the codes of their reasons, by locale. */
  readonly messages: Messages;
}

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
  return isWhole ? filled : reason.error;
}

/** Opens the tab with the evidence of a finding: the run alone, its tag, with the cursor at the first step. */
export function open(ctx: PluginContext, { run, place }: Finding): void {
  openPlace(ctx, [run], place);
}

/** Opens a tab with these runs alone, the tag, and the cursor at the first step. */
export function openPlace(ctx: PluginContext, runs: readonly string[], place: Place): void {
  if (runs.length > 0) ctx.runs.select(runs);
  if (place.steps !== null) ctx.cursor.pin({ step: place.steps[0] });
  const tags = place.tag === '' ? {} : { tags: `^${place.tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` };
  ctx.open(place.plugin, { ...tags, ...place.state });
}
