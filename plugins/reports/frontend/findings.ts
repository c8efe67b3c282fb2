/** Findings of the page's runs, to be quoted in a report: a report says what was found when it was written. */
import type { CardSpec, Messages, PluginContext, Reason } from '@insight-host/api';
import { valueText } from '@insight-host/kit';

const DIAGNOSE = 'diagnose'; // the plugin that lists what rules found
const WAIT = 3000; // ms until the host answers with what it knows

/** Something that a dialog offers, and the card that it becomes. */
export interface Choice {
  readonly key: string;
  readonly text: string;
  readonly detail: string;
  readonly card: CardSpec;
  readonly isTicked?: boolean;
}

const MOST_ASKED = 20; // times, while some runs are not checked yet

interface Found {
  readonly plugin: string;
  readonly rule: string;
  readonly runs: readonly string[];
  readonly severity: string;
  readonly saw: Reason;
  readonly change: Reason | null;
  readonly place: {
    readonly plugin: string;
    readonly tag: string;
    readonly state: Readonly<Record<string, string>>;
  };
}

interface Answer {
  readonly findings: readonly Found[];
  readonly rules: readonly { readonly plugin: string; readonly id: string; readonly title: Reason }[];
  readonly left: number;
  readonly messages: Messages;
}

/** A finding as a report keeps it, in the language in which it was quoted. */
export interface Quoted {
  readonly severity: string;
  /** Of the rule. */
  readonly title: string;
  readonly saw: string;
  readonly change: string;
  readonly runs: readonly string[];
  readonly plugin: string;
  readonly state: Readonly<Record<string, string>>;
}

/** What rules found in the runs that match the filter; none without a plugin that finds. */
export async function findingChoices(ctx: PluginContext): Promise<readonly Choice[]> {
  if (!ctx.tabs.value.includes(DIAGNOSE)) return [];
  const run = ctx.runs.shown.value.map(({ name }) => name);
  let answer = await ctx.ask<Answer>(DIAGNOSE, 'findings', { run, wait: WAIT });
  for (let asked = 1; answer.left > 0 && asked < MOST_ASKED; asked++)
    answer = await ctx.ask<Answer>(DIAGNOSE, 'findings', { run, wait: WAIT });
  const { findings, rules, messages } = answer;
  return findings.map(({ plugin, rule, runs, severity, saw, change, place }, at) => {
    const known = rules.find((one) => one.plugin === plugin && one.id === rule);
    const tags = place.tag === '' ? {} : { tags: `^${place.tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` };
    const quoted: Quoted = {
      severity,
      title: known ? said(ctx, messages, known.title) : '',
      saw: said(ctx, messages, saw),
      change: change ? said(ctx, messages, change) : '',
      runs,
      plugin: place.plugin,
      state: { ...tags, ...place.state },
    };
    return {
      key: `${rule} ${at}`,
      text: quoted.title ? `${quoted.title}: ${quoted.saw}` : quoted.saw,
      detail: runs.length === 1 ? (runs[0] as string) : ctx.t('finding.runs', { count: runs.length }),
      card: { plugin: ctx.name, card: 'finding', state: { 'reports.finding': JSON.stringify(quoted) } },
    };
  });
}

/** A reason in the user's language, by the texts of the plugin that has the rule. */
function said(ctx: PluginContext, messages: Messages, reason: Reason): string {
  const text = messages[ctx.locale.value]?.[`reason.${reason.code ?? ''}`];
  if (text === undefined) return ctx.reason(reason);
  let isWhole = true;
  const filled = text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = reason.details?.[name];
    if (value === undefined) isWhole = false;
    if (typeof value === 'object' && value !== null && 'error' in value) return said(ctx, messages, value as Reason);
    return typeof value === 'number' && !Number.isInteger(value) ? valueText(value) : String(value);
  });
  return isWhole ? filled : reason.error;
}
