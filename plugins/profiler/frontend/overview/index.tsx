import type { JSX } from 'preact';
import type { ProfilerParts, ViewProps } from '../board';
import type { Side } from '../answers/operators';
import type { AdviceAnswer } from '../advice/texts';
import { Facts, FirstAdvice, type OverviewAnswer } from './facts';
import { KeyFigures } from './figures';
import { OneStep } from './step';
import type { Cell, TableAnswer } from '../answers/table';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { Legend } from '../figures/drawing';
import { layersOf, StepColumns } from '../figures/step_columns';
import { categoryText, namesApart } from '../words';
import { Notes } from '../reading_state';
import { stepsText } from '../address';
import { shareText, timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';
import type { ViewName } from '../navigation';

const FEW_STEPS = 3; // fewer side by side say nothing

export default function Overview({ board }: ViewProps): JSX.Element {
  const measured = board.measured.value || null;
  const asked = useProfileAnswer<OverviewAnswer>(board, 'overview', {
    steps: board.stepsQuery.value,
    ceilings: board.ceilingsQuery.value,
    measured,
  });
  const { value: advice } = useProfileAnswer<AdviceAnswer>(board, 'advice', { ranks: 'known', measured });
  return (
    <div class="scroll overview">
      <Answered board={board} asked={asked}>
        {(answer) => {
          const isDivided = answer.shares.some(({ time }) => time > 0);
          const rows = answer.step_rows;
          return (
            <>
              <KeyFigures board={board} answer={answer} advice={advice} />
              <Facts board={board} answer={answer} />
              {!answer.steps && Object.keys(answer.biggest).length === 0 && <Elsewhere board={board} />}
              {answer.step && <OneStep board={board} step={answer.step} count={answer.steps?.count ?? 0} />}
              <FirstAdvice board={board} answer={advice} />
              <div class="pair">
                {rows && (rows['number']?.length ?? 0) >= FEW_STEPS && (
                  <Steps board={board} answer={answer} rows={rows} busy={asked.busy} />
                )}
                {isDivided && <Shares board={board} answer={answer} />}
                {(['device', 'host'] as const).map((side) => {
                  const table = answer.biggest[side];
                  return table && table.rows.length > 0 ? (
                    <Biggest key={side} board={board} answer={answer} side={side} table={table} />
                  ) : null;
                })}
              </div>
            </>
          );
        }}
      </Answered>
    </div>
  );
}

interface OverviewProps {
  readonly board: ProfilerParts;
  readonly answer: OverviewAnswer;
}

/** Why a profile has neither steps nor operators, if its reader noted that, and where it has something to show. */
function Elsewhere({ board }: { readonly board: ProfilerParts }): JSX.Element {
  return (
    <section class="figure elsewhere">
      <Notes board={board} />
      <p>{board.page.t('overview.elsewhere')}</p>
      <Ways
        board={board}
        to={board.navigation.views.value.filter((view) => view !== 'overview' && view !== 'compare')}
      />
    </section>
  );
}

interface WaysProps {
  readonly board: ProfilerParts;
  readonly to: readonly ViewName[];
}

/** Links to other views. */
function Ways({ board, to }: WaysProps): JSX.Element {
  return (
    <>
      {to.map((view) => (
        <button
          key={view}
          type="button"
          class="link"
          data-action={`go-${view}`}
          onClick={() => board.navigation.wanted.set(view, 'push')}
        >
          {board.page.t(`view.${view}`)}
        </button>
      ))}
    </>
  );
}

interface StepsProps extends OverviewProps {
  readonly rows: NonNullable<OverviewAnswer['step_rows']>;
  readonly busy: boolean;
}

function Steps({ board, answer, rows, busy }: StepsProps): JSX.Element {
  const { t: say } = board.page;
  const numbers = rows['number'] ?? [];
  const names = ['number', 'duration', ...layersOf(rows).filter((name) => name !== 'duration')];
  const all = board.profiles.profile.value?.counts?.['steps'] ?? numbers.length;
  const { value: chosen } = board.steps;
  return (
    <Figure
      board={board}
      name="steps"
      title={say('overview.steps.title')}
      hint={say('overview.steps.hint')}
      busy={busy}
      data={() => ({
        head: names.map((name) => (name === 'number' ? 'step' : `${name}_ns`)),
        rows: numbers.map((_, i) => names.map((name) => rows[name]?.[i] ?? null)),
      })}
      tools={
        <span class="count">
          {[
            answer.steps?.origin === 'inferred' && say('steps.inferred'),
            numbers.length < all && say('overview.steps.some', { shown: numbers.length, count: all }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      }
    >
      <StepColumns board={board} rows={rows} outliers={answer.outliers} label={say('overview.steps.title')} />
      {chosen ? (
        <p class="hint" data-testid="chosen-steps">
          {say(answer.steps ? 'overview.steps.chosen' : 'overview.steps.none', { steps: stepsText(chosen) })}{' '}
          {answer.steps && (
            <Ways
              board={board}
              to={(['operators', 'kernels', 'steps'] as const).filter((view) =>
                board.navigation.views.value.includes(view),
              )}
            />
          )}
        </p>
      ) : (
        <p class="hint">{say('overview.steps.hint')}</p>
      )}
    </Figure>
  );
}

function Shares({ board, answer }: OverviewProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const whole = answer.shares.reduce((sum, { time }) => sum + time, 0);
  return (
    <Figure
      board={board}
      name="shares"
      title={say(
        !board.steps.value && (answer.steps?.outlier_count ?? 0) > 0
          ? 'overview.shares.usual'
          : 'overview.shares.title',
      )}
      content="chart"
      data={() => ({
        head: ['category', 'time_ns', 'share'],
        rows: answer.shares.map(({ category, time, share }) => [category, time, share]),
      })}
    >
      <div class="share-bar" aria-hidden="true">
        {answer.shares.map(
          ({ category, time }) =>
            time > 0 && (
              <span
                key={category}
                style={{ width: `${(100 * time) / whole}%`, background: ink.category(category) }}
                title={categoryText(board, category)}
              />
            ),
        )}
      </div>
      <Legend
        entries={answer.shares
          .filter(({ time }) => time > 0)
          .map(({ category, time, share }) => ({
            key: category,
            color: ink.category(category),
            label: categoryText(board, category),
            value: timeText(time, locale),
            share: share === null ? '' : shareText(share, locale),
          }))}
      />
    </Figure>
  );
}

interface BiggestProps extends OverviewProps {
  readonly side: Side;
  readonly table: TableAnswer;
}

/** Operators that took most of the time; a press shows them in their table. */
function Biggest({ board, answer, side, table }: BiggestProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const at = (name: string): number => table.columns.findIndex((column) => column.name === name);
  const text = (cell: Cell | undefined): string => (cell === null || cell === undefined ? '' : String(cell));
  const rows = table.rows.map((row) => {
    const number = (name: string): number | null =>
      typeof row[at(name)] === 'number' ? (row[at(name)] as number) : null;
    return {
      name: text(row[at('name')]),
      type: text(row[at('type')]),
      scope: text(row[at('scope')]),
      time: number('self') ?? number('total') ?? 0,
      share: number('share') ?? 0,
    };
  });
  const labels = namesApart(rows.map(({ name, type, scope }) => ({ name: name || type, scope })));
  const highest = rows.reduce((most, { time }) => Math.max(most, time), 0);
  return (
    <Figure
      board={board}
      name={`biggest-${side}`}
      title={say(answer.biggest_without_outliers ? `overview.biggest.${side}.usual` : `overview.biggest.${side}`)}
      hint={say('overview.biggest.hint')}
      content="chart"
      data={() => ({
        head: ['name', 'type', 'scope', 'time_ns', 'share'],
        rows: rows.map(({ name, type, scope, time, share }) => [name, type, scope, time, share]),
      })}
    >
      <ol class="bars">
        {rows.map(({ name, type, scope, time, share }, i) => (
          <li key={i}>
            <button
              type="button"
              title={[scope, name, type].filter(Boolean).join('\n')}
              onClick={() =>
                board.navigation.openOperator(side, name === type && !scope ? 'type' : 'name', { name, type, scope })
              }
            >
              <span class="name">{labels[i]}</span>
              <span class="number">{timeText(time, locale)}</span>
              <span class="number share">{shareText(share, locale)}</span>
              <span
                class="bar"
                style={{
                  width: `${highest > 0 ? (100 * time) / highest : 0}%`,
                  background: ink.category(side === 'device' ? 'kernel' : 'operator'),
                }}
              />
            </button>
          </li>
        ))}
      </ol>
    </Figure>
  );
}
