/** The strip above the charts: the best run, what explains it, and what is wrong, with one action each. */
import type { PluginContext } from '@insight-host/api';
import { addStyles, Icon, Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { signal } from '@preact/signals';
import { render } from 'preact';
import type { JSX } from 'preact';
import styles from './answers.css?inline';
import { findingsOfAll, isBehind, isPending } from './all_runs';
import { keyOf, textOf, type Answer, type Finding } from './answer';
import { Dismissed } from './dismissed';
import { entriesOf, open } from './entries';

const APART = 15_000; // ms between two looks at data that grow
const SOON = 2000; // ms until what is being checked is asked for again
const MOST_GOOD = 3;
const REST = 1500; // ms without a move or a key
const CLOSED = 'answers.closed'; // in this browser: what the strip had when it was closed

/** What the strip shows of all findings: the first good ones, and the worst; nothing that is dismissed. */
export function answersOf(findings: readonly Finding[], dismissed: Pick<Dismissed, 'hides'>): readonly Finding[] {
  const hidden = entriesOf(findings).filter((entry) => dismissed.hides(entry));
  const put = new Set(hidden.flatMap(({ head, also }) => [head, ...also]));
  const shown = findings.filter((finding) => !put.has(finding));
  const good = shown.filter(({ severity }) => severity === 'good');
  const worst = shown.find(({ severity }) => severity === 'error' || severity === 'warning');
  return [...good.slice(0, MOST_GOOD), ...(worst ? [worst] : [])];
}

/** Names what a strip has, so that one that was closed comes back when it has something else. */
export function nameOf(shown: readonly Finding[]): string {
  return shown.map((finding) => `${keyOf(finding)} ${finding.runs.length} ${finding.runs[0] ?? ''}`).join('\n');
}

/** Fills `host` once all runs are checked; until then, and when there is nothing to say, it takes no room. */
export function mountAnswers(host: HTMLElement, ctx: PluginContext): () => void {
  const page = new Page(ctx);
  page.until(addStyles(ctx, styles));
  const answer = signal<Answer | null>(null);
  const closed = signal(ctx.memory.get(CLOSED, ''));
  const dismissed = signal<Dismissed | null>(null); // it asks, too
  const end = new AbortController();
  const calm = new Calm(host, end.signal);
  let isMore = false;
  const ask = async (): Promise<void> => {
    if (!ctx.visible.value || document.visibilityState === 'hidden') return;
    dismissed.value ??= new Dismissed(page);
    let found: Answer;
    do found = await findingsOfAll(ctx);
    while (found.left > 0 && !end.signal.aborted);
    isMore = isPending(found);
    if ((isMore || isBehind(ctx, found)) && !end.signal.aborted) again.ask();
    if (answer.peek()) answer.value = found;
    else calm.wait(() => (answer.value = found));
  };
  // a host that is away is the page's affair: the next question may be answered
  const again = new Spaced(
    () => (isMore ? SOON : APART),
    () => void ask().catch(() => undefined),
  );
  page.onChange(ctx.generation, () => again.ask());
  page.onChange(ctx.visible, () => again.ask());
  document.addEventListener('visibilitychange', () => again.ask(), { signal: end.signal });
  again.ask();
  const close = (name: string): void => {
    closed.value = name;
    ctx.memory.set(CLOSED, name);
  };
  render(<Strip {...{ page, answer, closed, dismissed }} onClose={close} />, host);
  return () => {
    end.abort();
    again.cancel();
    page.dispose();
    render(null, host);
  };
}

const INPUTS = ['pointermove', 'pointerdown', 'wheel', 'keydown'] as const;

/**
 * Runs `show` once the user has let the page rest for a moment, with neither pointer nor focus in a chart: the strip
 * moves the charts down.
 */
class Calm {
  private last = -REST; // ms of the clock of the page
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly until: AbortSignal,
  ) {
    const note = (): void => void (this.last = performance.now());
    for (const event of INPUTS) addEventListener(event, note, { passive: true, capture: true, signal: until });
  }

  wait(show: () => void): void {
    clearTimeout(this.timer);
    if (this.until.aborted) return;
    const isUsed = this.host
      .closest('.ih-plugin')
      ?.querySelector('.card:is(:hover, :focus-within), [popover]:popover-open');
    if (!isUsed && performance.now() - this.last >= REST) show();
    else this.timer = setTimeout(() => this.wait(show), REST / 3);
  }
}

interface StripProps {
  readonly page: Page;
  readonly answer: { readonly value: Answer | null };
  readonly closed: { readonly value: string };
  readonly dismissed: { readonly value: Dismissed | null };
  readonly onClose: (name: string) => void;
}

function Strip({ page, answer, closed, dismissed, onClose }: StripProps): JSX.Element | null {
  const { t: say } = page;
  const { value: found } = answer;
  const shown = found && dismissed.value ? answersOf(found.findings, dismissed.value) : [];
  const name = nameOf(shown);
  if (!found || shown.length === 0 || name === closed.value) return null;
  return (
    <section class="answers" aria-label={say('answers')} data-testid="answers">
      <ul>
        {shown.map((finding) => (
          <One
            key={`${keyOf(finding)} ${textOf(page.ctx, found.messages, finding.saw)}`}
            {...{ page, found, finding }}
          />
        ))}
      </ul>
      <button
        type="button"
        data-action="answers-close"
        aria-label={say('answers.close')}
        title={say('answers.close')}
        onClick={() => onClose(name)}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}

interface OneProps {
  readonly page: Page;
  readonly found: Answer;
  readonly finding: Finding;
}

function One({ page, found, finding }: OneProps): JSX.Element {
  const { t: say, ctx } = page;
  const { severity, title, saw, each, shared, runs, place } = finding;
  const isGood = severity === 'good';
  const headline = textOf(ctx, found.messages, title);
  const [condition] = shared;
  const more = condition
    ? say('answers.shared', { text: condition.text })
    : textOf(ctx, found.messages, each[0]?.saw ?? saw);
  const show = (): void => {
    if (!page.tabs.value.includes(place.plugin)) ctx.open(ctx.name);
    else if (isGood) ctx.open(place.plugin, place.state); // about all runs: the selection stays
    else open(ctx, finding);
  };
  return (
    <li data-severity={severity} data-hover-run={runs.length === 1 || isGood ? runs[0] : undefined}>
      <span class="sign">
        <Icon name={isGood ? 'check' : severity === 'error' ? 'error' : 'warn'} />
      </span>
      <span class="said" title={textOf(ctx, found.messages, saw)}>
        <strong>{headline}</strong>
        <span>{more}</span>
      </span>
      <button
        type="button"
        data-action="answer"
        aria-label={`${say(isGood ? 'answers.open' : 'answers.show')}: ${headline}`}
        onClick={show}
      >
        {say(isGood ? 'answers.open' : 'answers.show')}
      </button>
    </li>
  );
}
