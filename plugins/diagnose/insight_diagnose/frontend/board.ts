/** The findings of the selected runs: asks the host for a few runs at a time while the tab is in front. */
import type { Messages } from '@insight-host/api';
import { message, type Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { computed, signal } from '@preact/signals';
import { keyOf, SEVERITIES, type Answer, type Finding, type RuleInfo, type Unchecked } from './findings';
import { HighlightsBoard } from './highlights_board';

const AT_ONCE = 8; // runs of a request: the first findings show early
const APART = 2000; // ms between two looks at data that grow, or at a run that cannot be checked yet

/** What the rules say of one run, and of which generation of the data. */
interface OfRun {
  readonly generation: number;
  readonly findings: readonly Finding[];
  readonly checked: readonly string[];
  readonly unchecked: readonly Unchecked[];
}

export class FindingsBoard {
  readonly messages = signal<Messages>({});
  readonly failure = signal('');
  readonly rules = signal<ReadonlyMap<string, RuleInfo>>(new Map());
  private readonly byRun = signal<ReadonlyMap<string, OfRun>>(new Map());
  private asking: AbortController | null = null;
  private readonly again = new Spaced(APART, () => void this.ask());

  /** Names of the selected runs that were checked. */
  readonly checked = computed(() =>
    this.page.runs.value.flatMap(({ name }) => (this.byRun.value.has(name) ? [name] : [])),
  );
  /** The worst first. */
  readonly findings = computed<readonly Finding[]>(() =>
    this.known.value
      .flatMap(({ findings }) => findings)
      .toSorted((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity)),
  );
  /** Rules that were checked for some of the runs. */
  readonly checkedRules = computed(() => new Set(this.known.value.flatMap(({ checked }) => checked)));
  /** Why rules could not be checked: each reason once, with the number of runs; failures first. */
  readonly unchecked = computed(() => {
    const found = new Map<string, { readonly one: Unchecked; count: number }>();
    for (const { unchecked } of this.known.value)
      for (const one of unchecked) {
        const key = `${keyOf(one)} ${one.reason.error}`;
        const before = found.get(key);
        if (before) before.count++;
        else found.set(key, { one, count: 1 });
      }
    return [...found.values()].toSorted((one, other) => Number(other.one.failed) - Number(one.one.failed));
  });
  /** How many rules wait for what is being read. */
  readonly pending = computed(
    () => new Set(this.known.value.flatMap(({ unchecked }) => unchecked.filter((one) => one.pending).map(keyOf))).size,
  );
  /** The finding whose change saves most; null where none says how much. */
  readonly advice = computed<Finding | null>(() =>
    this.findings.value.reduce<Finding | null>(
      (best, one) => ((one.saves ?? 0) > (best?.saves ?? 0) ? one : best),
      null,
    ),
  );
  /** What matters about the selected runs taken together. */
  readonly matters: HighlightsBoard;
  private readonly known = computed(() => this.checked.value.flatMap((run) => this.byRun.value.get(run) ?? []));

  constructor(readonly page: Page) {
    this.matters = new HighlightsBoard(page);
    const soon = (): void => void this.ask();
    page.onChange(page.ctx.runs.selected, soon);
    page.onChange(page.ctx.visible, soon);
    page.onChange(page.ctx.generation, () => this.again.ask());
    page.until(() => {
      this.again.cancel();
      this.asking?.abort();
    });
    this.again.ask();
  }

  /** Asks for the selected runs that were not checked since the data changed. */
  async ask(): Promise<void> {
    this.asking?.abort();
    const { ctx } = this.page;
    if (!ctx.visible.value) return;
    const { signal: stopped } = (this.asking = new AbortController());
    const generation = ctx.generation.value;
    const isOld = (run: string): boolean => {
      const known = this.byRun.peek().get(run);
      return known?.generation !== generation || known.unchecked.some(({ pending }) => pending);
    };
    const runs = ctx.runs.selected.value.map(({ name }) => name).filter(isOld);
    try {
      for (let begin = 0; begin < runs.length; begin += AT_ONCE) {
        const some = runs.slice(begin, begin + AT_ONCE);
        const answer = await ctx.data.json<Answer>('findings', { run: some }, { signal: stopped });
        if (stopped.aborted) return;
        this.take(some, generation, answer);
      }
      this.failure.value = '';
      if (this.pending.peek() > 0) this.again.ask();
    } catch (cause) {
      if (!stopped.aborted) this.failure.value = message(cause);
    }
  }

  private take(runs: readonly string[], generation: number, answer: Answer): void {
    const found = new Map(this.byRun.peek());
    for (const run of runs)
      found.set(run, {
        generation,
        findings: answer.findings.filter((one) => one.run === run),
        checked: answer.checked.filter((one) => one.run === run).map(keyOf),
        unchecked: answer.unchecked.filter((one) => one.run === run || one.run === ''),
      });
    this.messages.value = answer.messages;
    this.rules.value = new Map([
      ...this.rules.peek(),
      ...answer.rules.map((rule) => [keyOf({ plugin: rule.plugin, rule: rule.id }), rule] as const),
    ]);
    this.byRun.value = found;
  }
}
