import { Icon, type IconName } from '@insight-host/kit';
import type { JSX } from 'preact';
import { AdviceCards } from './cards';
import { type AdviceAnswer, type CheckedRule, reasonText } from './texts';
import type { ProfilerParts, ViewProps } from '../board';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { Legend } from '../figures/drawing';
import { shareText, timeText } from '../units';
import { Answered, useRanksAnswer } from '../use_answer';
import { ReadingRanks } from '../reading_state';

const STATE_ICONS = {
  found: 'warn',
  later: 'more',
  nothing: 'check',
  unchecked: 'close',
} as const satisfies Readonly<Record<CheckedRule['state'] | 'later', IconName>>;

interface PartProps {
  readonly board: ProfilerParts;
  readonly answer: AdviceAnswer;
}

/** What to change in the profiled program, with evidence and what it saves; and which rules found nothing. */
export default function AdviceView({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const asked = useRanksAnswer<AdviceAnswer>(board, 'advice', { measured: board.measured.value || null }, ({ rules }) =>
    rules.some(({ may_change }) => may_change),
  );
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(answer) => {
          const checked = answer.rules.filter(({ state }) => state !== 'unchecked').length;
          return (
            <div class="beside advice-view">
              <div class="wide">
                <ReadingRanks board={board} progress={answer.ranks} />
                <p class="summary" role="status">
                  {answer.rules.length === 0
                    ? say('advice.reading')
                    : say(answer.advice.length === 0 ? 'advice.nothing' : 'advice.found', {
                        rules: checked,
                        count: answer.advice.length,
                      })}
                </p>
                <AdviceCards board={board} answer={answer} isOpen />
                {answer.advice.filter(({ saves, later }) => (later ?? saves ?? 0) > 0).length > 1 && (
                  <p class="hint">{say('advice.alone')}</p>
                )}
              </div>
              <aside>
                {answer.path && <Path board={board} path={answer.path} />}
                {Object.keys(answer.figures).length > 0 && <DeviceUse board={board} figures={answer.figures} />}
                {answer.rules.length > 0 && <Rules board={board} answer={answer} />}
              </aside>
            </div>
          );
        }}
      </Answered>
    </div>
  );
}

/** What the time of a step depends on. */
function Path({ board, path }: { readonly board: ProfilerParts; readonly path: Readonly<Record<string, number>> }) {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const parts = Object.entries(path)
    .filter(([, time]) => time > 0)
    .sort((a, b) => b[1] - a[1]);
  const whole = parts.reduce((sum, [, time]) => sum + time, 0);
  return (
    <Figure
      board={board}
      name="critical-path"
      title={say('advice.path')}
      hint={say('advice.path.hint')}
      content="chart"
      data={() => ({
        head: ['part', 'time_ns', 'share'],
        rows: parts.map(([name, time]) => [name, time, time / whole]),
      })}
    >
      <div class="share-bar" aria-hidden="true">
        {parts.map(([name, time]) => (
          <span key={name} style={{ width: `${(100 * time) / whole}%`, background: ink.category(name) }} />
        ))}
      </div>
      <Legend
        entries={parts.map(([name, time]) => ({
          key: name,
          color: ink.category(name),
          label: say(`path.${name}`),
          value: timeText(time, locale),
          share: shareText(time / whole, locale),
        }))}
      />
      <p class="hint">{say('advice.path.hint')}</p>
    </Figure>
  );
}

/** How well the device is used, in figures with the limits of rules or without. */
function DeviceUse({
  board,
  figures,
}: {
  readonly board: ProfilerParts;
  readonly figures: Readonly<Record<string, number>>;
}): JSX.Element {
  const { t: say } = board.page;
  return (
    <section class="figure device-use" aria-label={say('advice.device')}>
      <header>
        <h3>{say('advice.device')}</h3>
      </header>
      <dl>
        {Object.entries(figures).map(([name, share]) => (
          <div key={name} data-device-figure={name} title={say(`use.${name}.hint`)}>
            <dt>{say(`use.${name}`)}</dt>
            <dd>{shareText(share, board.page.locale.value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const stateOf = ({ state, may_change }: CheckedRule): keyof typeof STATE_ICONS =>
  state === 'unchecked' && may_change ? 'later' : state;

function Rules({ board, answer }: PartProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <section class="figure checked-rules" aria-label={say('advice.rules')}>
      <header>
        <h3>{say('advice.rules')}</h3>
      </header>
      {(Object.keys(STATE_ICONS) as (keyof typeof STATE_ICONS)[]).map((state) => {
        const rules = answer.rules.filter((rule) => stateOf(rule) === state);
        if (rules.length === 0) return null;
        return (
          <details key={state} open={state !== 'unchecked'} data-state={state}>
            <summary>{say(`advice.rules.${state}`, { count: rules.length })}</summary>
            <ul>
              {rules.map(({ id, title, reason }) => (
                <li key={id} data-rule={id}>
                  <Icon name={STATE_ICONS[state]} />
                  <span>
                    {reasonText(board, answer, title)}
                    {reason && state !== 'later' && <span class="note">{reasonText(board, answer, reason)}</span>}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </section>
  );
}
