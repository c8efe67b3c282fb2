/** What the time of a job went to, in all and for each of its starts. */
import type { JSX } from 'preact';
import { type GoodputAnswer, TIME_KINDS, type TimeKind } from '../answers/every_step';
import type { ProfilerParts } from '../board';
import { Legend } from '../figures/drawing';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { LocalTable } from '../table/local_table';
import { shareText, timeText } from '../units';

const COLORS: Readonly<Record<TimeKind, string>> = {
  useful: 'computing',
  restarting: 'communication',
  stalled: 'idle',
  checkpointing: 'memcpy',
};

interface GoodputProps {
  readonly board: ProfilerParts;
  readonly answer: GoodputAnswer;
}

export function Goodput({ board, answer: { attempts } }: GoodputProps): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const sums = TIME_KINDS.map((kind) => attempts.reduce((sum, { times }) => sum + times[kind], 0));
  const whole = sums.reduce((sum, time) => sum + time, 0);
  if (whole === 0) return null;
  const parts = TIME_KINDS.map((kind, i) => ({ kind, time: sums[i] ?? 0, color: ink.category(COLORS[kind]) }));
  return (
    <Figure
      board={board}
      name="goodput"
      title={say('every_step.goodput')}
      hint={say('every_step.goodput.hint')}
      content="table"
    >
      <p class="hint" data-testid="goodput">
        {say('every_step.goodput.share', {
          share: shareText((sums[0] ?? 0) / whole, locale),
          time: timeText(whole, locale),
          count: attempts.length,
        })}
      </p>
      <div class="goodput-bar" aria-hidden="true">
        {parts.map(({ kind, time, color }) => (
          <span key={kind} style={{ width: `${(100 * time) / whole}%`, background: color }} />
        ))}
      </div>
      <div class="below-curve">
        <Legend
          entries={parts.map(({ kind, time, color }) => ({
            key: kind,
            color,
            label: say(`goodput.${kind}`),
            value: timeText(time, locale),
            share: shareText(time / whole, locale),
            hint: say(`goodput.${kind}.hint`),
          }))}
        />
      </div>
      {attempts.length > 1 && (
        <LocalTable
          board={board}
          name="goodput-attempts"
          title={say('every_step.attempts')}
          columns={{
            attempt: 'count',
            steps_range: 'text',
            useful: 'ns',
            restarting: 'ns',
            stalled: 'ns',
            checkpointing: 'ns',
          }}
          widths={{ steps_range: 160 }}
          rows={attempts.map(({ attempt, first, last, times }) => ({
            attempt: attempt + 1,
            steps_range: `${first}–${last}`,
            ...times,
          }))}
          sort="attempt"
        />
      )}
    </Figure>
  );
}
