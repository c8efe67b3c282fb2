/** The findings of the runs that match: asks the host, and knows what is found so far. */
import type { Messages } from '@insight-host/api';
import { codecs, message, type Page, type Setting } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { computed, signal } from '@preact/signals';
import { keyOf, NOTHING, type Answer, type Finding, type RuleInfo, type Unchecked } from './answer';
import { Dismissed } from './dismissed';
import { entriesOf, isProblem, type Entry } from './entries';

const WAIT = 400; // ms until the host answers with what it knows; twice as long each time, as answers grow
const LONGEST = 3200;
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
  private readonly findings = computed<readonly Finding[]>(() => {
    const only = this.only.value;
    return this.answer.value.findings.filter(({ runs }) => only === '' || runs.includes(only));
  });
  /** One for each rule, the worst first; without what is dismissed. */
  readonly entries = computed(() => this.every.value.filter((entry) => !this.dismissed.hides(entry)));
  readonly problems = computed(() => this.entries.value.filter(isProblem));
  readonly put = computed(() => this.every.value.filter((entry) => this.dismissed.hides(entry)));
  private readonly every = computed(() => entriesOf(this.findings.value));
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

  readonly dismissed: Dismissed;

  constructor(readonly page: Page) {
    this.dismissed = new Dismissed(page);
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

  /** How many runs the rule of an entry could check. */
  readonly checkedBy = ({ head }: Entry): number => this.titleOf(head.plugin, head.rule)?.checked ?? 0;

  /** Asks about the runs that match until the host has checked all of them. */
  async ask(): Promise<void> {
    this.asking?.abort();
    const { ctx } = this.page;
    if (!ctx.visible.value) return;
    const { signal: stopped } = (this.asking = new AbortController());
    const run = ctx.runs.shown.value.map(({ name }) => name);
    try {
      let left = run.length;
      let wait = WAIT;
      if (left === 0) this.answer.value = NOTHING;
      while (left > 0) {
        const answer = await ctx.data.json<Answer>('findings', { run, wait }, { signal: stopped });
        if (stopped.aborted) return;
        this.answer.value = answer;
        left = answer.left;
        wait = Math.min(LONGEST, 2 * wait);
      }
      this.failure.value = '';
      if (this.pending.peek() > 0) this.again.ask();
    } catch (cause) {
      if (!stopped.aborted) this.failure.value = message(cause);
    }
  }
}
