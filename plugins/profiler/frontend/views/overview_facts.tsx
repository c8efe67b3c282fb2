import type { JSX } from 'preact';
import type { OverviewAnswer } from '../answers/overview';
import type { ProfilerParts } from '../board';
import { sizeText, timeText } from '../units';
import { outliersText, word } from '../words';

interface FactsProps {
  readonly board: ProfilerParts;
  readonly answer: OverviewAnswer;
}

/** What was profiled, in figures. */
export function Facts({ board, answer }: FactsProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: profile } = board.profiles.profile;
  const { steps, memory } = answer;
  const start = profile?.start_ns ? new Date(Number(BigInt(profile.start_ns) / 1_000_000n)) : null;
  const figures: (readonly [key: string, value: string, note?: string])[] = [];
  if (steps) {
    figures.push([
      'steps',
      steps.count.toLocaleString(locale),
      steps.origin === 'inferred' ? say('steps.inferred') : '',
    ]);
    figures.push([
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
      figures.push(['outliers', steps.outlier_count.toLocaleString(locale), outliersText(board, steps)]);
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
  const more = answer.facts.filter(({ value }) => value !== null && value !== '' && typeof value !== 'object');
  return (
    <div class="facts" data-testid="facts">
      {figures.map(([key, value, note]) => (
        <div key={key} class="fact" data-fact={key} title={note ? `${value}\n${note}` : value}>
          <span class="label">{say(`overview.${key}`)}</span>
          <span class="value">{value}</span>
          {note && <span class="note">{note}</span>}
        </div>
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
