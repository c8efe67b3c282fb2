/** The findings of the runs that match: the answer of the route, what is known so far, and where a finding leads. */
import type { Messages, PluginContext, Reason } from '@insight-host/api';
import { codecs, message, valueText, type Page, type Setting } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { computed, signal } from '@preact/signals';

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

interface RuleInfo {
  readonly plugin: string;
  readonly id: string;
  readonly title: Reason;
  /** The number of runs that the rule could check. */
  readonly checked: number;
}

/** Runs of which a rule could not tell, and why. */
interface Unchecked {
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
  /** Texts of plugins for the codes of their reasons, by locale. */
  readonly messages: Messages;
}

const NOTHING: Answer = { findings: [], rules: [], unchecked: [], runs: 0, left: 0, messages: {} };

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

/** Opens the tab with the evidence of a finding: its runs alone, its tag, with the cursor at the first step. */
export function open(ctx: PluginContext, { runs, place }: Pick<Finding, 'runs' | 'place'>): void {
  if (runs.length > 0) ctx.runs.select(runs);
  if (place.steps !== null) ctx.cursor.pin({ step: place.steps[0] });
  const tags = place.tag === '' ? {} : { tags: `^${place.tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` };
  ctx.open(place.plugin, { ...tags, ...place.state });
}

const WAIT = 400; // ms until the host answers with what it knows
const APART = 2000; // ms between two looks at data that grow, or at runs that cannot be checked yet

/** The findings of the runs that match: asks the host while the tab is in front, and shows what is known so far. */
export class FindingsBoard {
  readonly failure = signal('');
  private readonly answer = signal<Answer>(NOTHING);
  private asking: AbortController | null = null;
  private readonly again = new Spaced(APART, () => void this.ask());

  /** The run whose findings alone are shown; "" for all that match. */
  readonly only: Setting<string>;
  readonly messages = computed<Messages>(() => this.answer.value.messages);
  /** Whether the host has answered. */
  readonly isKnown = computed(() => this.answer.value !== NOTHING);
  readonly runs = computed(() => this.answer.value.runs);
  readonly left = computed(() => this.answer.value.left);
  /** The worst first. */
  readonly findings = computed<readonly Finding[]>(() => {
    const only = this.only.value;
    return this.answer.value.findings.filter(({ runs }) => only === '' || runs.includes(only));
  });
  /** Rules that were checked for some of the runs. */
  readonly checked = computed<readonly RuleInfo[]>(() => this.answer.value.rules.filter((rule) => rule.checked > 0));
  /** Why rules could not be checked; failures first. */
  readonly unchecked = computed<readonly Unchecked[]>(() =>
    this.answer.value.unchecked.toSorted((one, other) => Number(other.failed) - Number(one.failed)),
  );
  /** How many rules wait for what is being read. */
  readonly pending = computed(
    () => new Set(this.answer.value.unchecked.filter(({ pending }) => pending).map(keyOf)).size,
  );

  constructor(readonly page: Page) {
    this.only = page.setting('run', codecs.text);
    const soon = (): void => void this.ask();
    page.onChange(page.ctx.runs.shown, soon);
    page.onChange(page.ctx.visible, soon);
    page.onChange(page.ctx.generation, () => this.again.ask());
    page.until(() => {
      this.again.cancel();
      this.asking?.abort();
    });
    this.again.ask();
  }

  /** The title of a rule. */
  titleOf(plugin: string, id: string): RuleInfo | undefined {
    return this.answer.value.rules.find((rule) => rule.plugin === plugin && rule.id === id);
  }

  /** Asks about the runs that match until the host has checked all of them. */
  async ask(): Promise<void> {
    this.asking?.abort();
    const { ctx } = this.page;
    if (!ctx.visible.value) return;
    const { signal: stopped } = (this.asking = new AbortController());
    const run = ctx.runs.shown.value.map(({ name }) => name);
    try {
      let left = run.length;
      if (left === 0) this.answer.value = NOTHING;
      while (left > 0) {
        const answer = await ctx.data.json<Answer>('findings', { run, wait: WAIT }, { signal: stopped });
        if (stopped.aborted) return;
        this.answer.value = answer;
        left = answer.left;
      }
      this.failure.value = '';
      if (this.pending.peek() > 0) this.again.ask();
    } catch (cause) {
      if (!stopped.aborted) this.failure.value = message(cause);
    }
  }
}
