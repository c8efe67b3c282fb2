/** The answer about a whole profile, its figures, and what to change first. */
import type { ComponentChildren, JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { sizeText, timeText } from '../units';
import { outliersText, word } from '../words';
import { Icon } from '@insight-host/kit';
import { type AdviceAnswer, openPlace, reasonText, savesText } from '../advice/texts';
import type { Peak } from '../answers/memory';
import type { Side } from '../answers/operators';
import type { Value } from '../answers/profile';
import type { StepRows, StepSummary } from '../answers/steps';
import type { TableAnswer } from '../answers/table';

type Figure = readonly [key: string, value: string, note?: string];

interface FactsProps {
  readonly board: ProfilerParts;
  readonly answer: OverviewAnswer;
  /** Figures that come after those of the steps. */
  readonly children?: ComponentChildren;
}

/** What was profiled, in figures. */
export function Facts({ board, answer, children }: FactsProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: profile } = board.profiles.profile;
  const { steps, memory } = answer;
  const start = profile?.start_ns ? new Date(Number(BigInt(profile.start_ns) / 1_000_000n)) : null;
  const ofSteps: Figure[] = [];
  const figures: Figure[] = [];
  if (steps) {
    ofSteps.push([
      'steps',
      steps.count.toLocaleString(locale),
      steps.origin === 'inferred' ? say('steps.inferred') : '',
    ]);
    ofSteps.push([
      'step_time',
      timeText(steps.p50, locale),
      say('overview.spread', {
        mean: timeText(steps.mean, locale),
        p95: timeText(steps.p95, locale),
        low: timeText(steps.minimum, locale),
        high: timeText(steps.maximum, locale),
      }),
    ]);
    if (steps.outlier_count > 0)
      ofSteps.push(['outliers', steps.outlier_count.toLocaleString(locale), outliersText(board, steps)]);
  }
  const timeline = profile?.duration_ns ?? 0;
  if (answer.covered > 0)
    figures.push([
      'duration',
      timeText(answer.covered, locale),
      timeline > 0 && timeline < answer.covered
        ? say('overview.timeline', { time: timeText(timeline, locale) })
        : start
          ? start.toLocaleString(locale)
          : '',
    ]);
  if (memory)
    figures.push([
      'peak_memory',
      memory.unit === 'bytes'
        ? sizeText(memory.value, locale)
        : `${memory.value.toLocaleString(locale)} ${memory.unit}`,
      [memory.device, memory.label].filter(Boolean).join(' · '),
    ]);
  const devices = (profile?.devices ?? []).map(({ name }) => name).filter(Boolean);
  if (devices.length > 0)
    figures.push([
      'device',
      devices.length > 2 ? say('overview.devices', { count: devices.length }) : devices.join(', '),
      devices.length > 2 ? devices.join(', ') : (profile?.platform ?? ''),
    ]);
  if (profile?.host)
    figures.push([
      'host',
      profile.host,
      profile.world_size
        ? say('overview.world', { rank: profile.rank ?? 0, size: profile.world_size })
        : (profile.worker ?? ''),
    ]);
  const shown = ([key, value, note]: Figure): JSX.Element => (
    <div key={key} class="fact" data-fact={key} title={note ? `${value}\n${note}` : value}>
      <span class="label">{say(`overview.${key}`)}</span>
      <span class="value">{value}</span>
      {note && <span class="note">{note}</span>}
    </div>
  );
  const more = answer.facts.filter(({ value }) => value !== null && value !== '' && typeof value !== 'object');
  return (
    <div class="facts" data-testid="facts">
      {ofSteps.map(shown)}
      {children}
      {figures.map(shown)}
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
  readonly answer: AdviceAnswer;
}

/** What to change first, and the way to the rest. */
export function FirstAdvice({ board, answer }: FirstAdviceProps): JSX.Element | null {
  const { t: say } = board.page;
  if (answer.rules.length === 0) return null;
  const checked = answer.rules.filter(({ state }) => state !== 'unchecked').length;
  const first = answer.advice.slice(0, MOST_ADVICE);
  return (
    <section class="figure advice" aria-label={say('advice.title')}>
      <header>
        <h3>{say('advice.title')}</h3>
        <button
          type="button"
          class="link"
          data-action="all-advice"
          onClick={() => board.navigation.wanted.set('advice', 'push')}
        >
          {say('advice.all', { count: answer.advice.length })}
        </button>
      </header>
      {first.length === 0 && <p class="hint">{say('advice.nothing', { rules: checked })}</p>}
      <ul>
        {first.map((advice, i) => (
          <li key={`${advice.rule}-${i}`} class={advice.severity} data-advice={advice.rule}>
            <Icon name={advice.severity === 'info' ? 'info' : 'warn'} />
            <span>
              {[reasonText(board, answer, advice.saw), savesText(board, advice)].filter(Boolean).join(' · ')}{' '}
              {advice.places.slice(0, 1).map((place) => (
                <button
                  key={place.view}
                  type="button"
                  class="link"
                  data-action="advice"
                  title={place.text}
                  onClick={() => openPlace(board, place)}
                >
                  {say(`view.${place.view}`)}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {answer.ranks.unread > 0 && (
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
  /** Numbers of the steps in `step_rows` that are outliers. */
  readonly outliers: readonly number[];
  /** The time that the profile spans, ns. */
  readonly covered: number;
  readonly shares: readonly { readonly category: string; readonly time: number; readonly share: number | null }[];
  readonly biggest: Readonly<Partial<Record<Side, TableAnswer>>>;
  /** Whether the biggest operators are of the calls that are in no outlier step. */
  readonly biggest_without_outliers: boolean;
  readonly memory: Peak | null;
  readonly facts: readonly { readonly code: string; readonly value: Value }[];
}
