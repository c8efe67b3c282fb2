/** The answer about a whole profile, what was profiled, and what to change first. */
import { timeText as momentText } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { sizeText, timeText } from '../units';
import { outliersText, word } from '../words';
import { AdviceCards } from '../advice/cards';
import type { AdviceAnswer } from '../advice/texts';
import type { StepTimeline } from '../answers/comparison';
import type { Peak } from '../answers/memory';
import type { Side } from '../answers/operators';
import type { Utilization } from '../answers/roofline';
import type { Value } from '../answers/profile';
import type { StepRows, StepSummary } from '../answers/steps';
import type { TableAnswer } from '../answers/table';

type Fact = readonly [key: string, value: string, note: string];

interface FactsProps {
  readonly board: ProfilerParts;
  readonly answer: OverviewAnswer;
}

/** What was profiled: a line of facts below the figures. */
export function Facts({ board, answer }: FactsProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: profile } = board.profiles.profile;
  const { steps, memory } = answer;
  const start = profile?.start_ns ? momentText(Number(BigInt(profile.start_ns) / 1_000_000_000n), locale) : '';
  const facts: Fact[] = [];
  const devices = (profile?.devices ?? []).map(({ name }) => name).filter(Boolean);
  if (devices.length > 0)
    facts.push([
      'device',
      devices.length > 2 ? say('overview.devices', { count: devices.length }) : devices.join(', '),
      [profile?.platform, ...(devices.length > 2 ? devices : [])].filter(Boolean).join(', '),
    ]);
  if (steps)
    facts.push(['steps', steps.count.toLocaleString(locale), steps.origin === 'inferred' ? say('steps.inferred') : '']);
  if (steps && steps.outlier_count > 0)
    facts.push(['outliers', steps.outlier_count.toLocaleString(locale), outliersText(board, steps)]);
  const timeline = profile?.duration_ns ?? 0;
  if (answer.covered > 0 && steps)
    facts.push([
      'duration',
      timeText(answer.covered, locale),
      timeline > 0 && timeline < answer.covered
        ? say('overview.timeline', { time: timeText(timeline, locale) })
        : start,
    ]);
  if (memory)
    facts.push([
      'peak_memory',
      memory.unit === 'bytes'
        ? sizeText(memory.value, locale)
        : `${memory.value.toLocaleString(locale)} ${memory.unit}`,
      [memory.device, memory.label].filter(Boolean).join(' · '),
    ]);
  if (profile?.host)
    facts.push([
      'host',
      profile.host,
      profile.world_size ? say('overview.world', { rank: profile.rank ?? 0, size: profile.world_size }) : '',
    ]);
  const more = answer.facts.filter(({ value }) => value !== null && value !== '' && typeof value !== 'object');
  return (
    <div class="facts" data-testid="facts">
      {facts.map(([key, value, note]) => (
        <span key={key} class="fact" data-fact={key} title={note}>
          <span class="label">{say(`overview.${key}`)}</span> <span class="value">{value}</span>
          {note && key !== 'device' && <span class="note"> {note}</span>}
        </span>
      ))}
      {more.length > 0 && (
        <details class="fact more">
          <summary>{say('overview.more', { count: more.length })}</summary>
          <dl>
            {more.map(({ code, value }) => (
              <div key={code}>
                <dt>{word(board, 'fact', code)}</dt>
                <dd>{String(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

const MOST_ADVICE = 4;

interface FirstAdviceProps {
  readonly board: ProfilerParts;
  /** Null until it is there. */
  readonly answer: AdviceAnswer | null;
}

/** What to change first, and the way to the rest. */
export function FirstAdvice({ board, answer }: FirstAdviceProps): JSX.Element | null {
  const { t: say } = board.page;
  const { value: profile } = board.profiles.profile;
  if (answer?.rules.length === 0 && profile?.complete) return null;
  const isThere = answer !== null && answer.rules.length > 0;
  const checked = (answer?.rules ?? []).filter(({ state }) => state !== 'unchecked').length;
  return (
    <section class="part advice" aria-label={say('advice.what')} aria-busy={!isThere}>
      <header>
        <h3>{say('advice.what')}</h3>
        <span class="hint">{say('advice.how')}</span>
        {isThere && (
          <button
            type="button"
            class="link"
            data-action="all-advice"
            onClick={() => board.navigation.wanted.set('advice', 'push')}
          >
            {say(answer.advice.length > 0 ? 'advice.all' : 'advice.all_rules', {
              count: answer.advice.length,
              rules: checked,
            })}
          </button>
        )}
      </header>
      {!isThere && <div class="figure waiting-part">{say(answer ? 'advice.reading' : 'advice.checking')}</div>}
      {isThere && answer.advice.length === 0 && <p class="figure">{say('advice.nothing', { rules: checked })}</p>}
      {isThere && <AdviceCards board={board} answer={answer} most={MOST_ADVICE} isOpen={false} />}
      {answer !== null && answer.ranks.unread > 0 && (
        <p class="hint" data-testid="unread-ranks">
          {say('advice.ranks', { count: answer.ranks.unread })}
        </p>
      )}
    </section>
  );
}

export interface OverviewAnswer {
  readonly steps: StepSummary | null;
  readonly step_rows: StepRows | null;
  /** The step nearest to the median, as lanes. */
  readonly step: StepTimeline | null;
  /** Numbers of the steps in `step_rows` that are outliers. */
  readonly outliers: readonly number[];
  /** The time that the profile spans, ns. */
  readonly covered: number;
  readonly shares: readonly { readonly category: string; readonly time: number; readonly share: number | null }[];
  readonly biggest: Readonly<Partial<Record<Side, TableAnswer>>>;
  /** Whether the biggest operators are of the calls that are in no outlier step. */
  readonly biggest_without_outliers: boolean;
  readonly memory: Peak | null;
  readonly utilization: Utilization | null;
  readonly facts: readonly { readonly code: string; readonly value: Value }[];
}
