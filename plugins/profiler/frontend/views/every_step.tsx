/** Every step of every rank of a job: a heat map, which rank was slowest when, and what the time went to. */
import { Choice, Icon, Select } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { StepRange } from '../address';
import type { EveryStepAnswer, GoodputAnswer } from '../answers/every_step';
import type { ProfilerParts, ViewProps } from '../board';
import type { LookAtColumns } from '../figures/column_zoom';
import { Figure } from '../figures/figure';
import { HeatMap } from '../figures/heat_map';
import { cellsOf } from '../figures/heat_map_cells';
import { inkOf } from '../figures/ink';
import { STEP_STATISTICS } from '../settings';
import { LocalTable } from '../table/local_table';
import { MISSING, shareText, timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';
import { Goodput } from './goodput';

const WIDTH = 800; // columns
const AROUND = 8; // times fewer steps after a press
const LEAST = 20; // steps that are worth a look
const NEAREST = 4; // steps that zooming comes to

export default function EveryStep({ board }: ViewProps): JSX.Element {
  const range = board.stepRange.value;
  const asked = useProfileAnswer<EveryStepAnswer>(board, 'every_step', {
    span: board.stepSpan.value || null,
    statistic: board.stepStatistic.value,
    width: WIDTH,
    ...(range && { from: range.first, to: range.last }),
  });
  const whole = useProfileAnswer<GoodputAnswer>(board, 'goodput');
  return (
    <div class="scroll">
      <Answered board={board} asked={whole}>
        {(answer) => <Stragglers board={board} slow={answer.slow} />}
      </Answered>
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            <StepMap board={board} answer={answer} busy={asked.busy} />
            <Slowest board={board} answer={answer} />
          </>
        )}
      </Answered>
      {whole.value && <Goodput board={board} answer={whole.value} />}
    </div>
  );
}

interface SlowProps {
  readonly board: ProfilerParts;
  readonly slow: GoodputAnswer['slow'];
}

function Stragglers({ board, slow }: SlowProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  return (
    <section class="figure advice" aria-label={say('every_step.stragglers')}>
      <header>
        <h3>{say('every_step.stragglers')}</h3>
      </header>
      <ul>
        {slow.slice(0, 10).map(({ rank, span, since, steps, more, share }) => (
          <li key={rank} class="warning" data-straggler={rank}>
            <Icon name="warn" />
            <span>
              {say('every_step.slow', {
                rank,
                span,
                since,
                steps,
                more: timeText(more, locale),
                share: shareText(share, locale),
              })}
            </span>
          </li>
        ))}
        {slow.length === 0 && (
          <li class="info">
            <Icon name="check" />
            <span>{say('every_step.even')}</span>
          </li>
        )}
      </ul>
    </section>
  );
}

interface AnswerProps {
  readonly board: ProfilerParts;
  readonly answer: EveryStepAnswer;
}

/** Ranks by steps; a press shows the steps around a cell, down to single ones. */
function StepMap({ board, answer, busy }: AnswerProps & { readonly busy: boolean }): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { span, spans, ranks, first, last, count, whole } = answer;
  const cells = useMemo(() => cellsOf(answer.values, 'largest'), [answer]);
  const [low, high] = [first[0] ?? 0, last.at(-1) ?? 0];
  const each = (last[0] ?? 0) - low + 1;
  const together = ranks.length > 1 ? (ranks[1] as number) - (ranks[0] as number) : 1;
  const stepsText = (column: number): string =>
    first[column] === last[column] ? String(first[column]) : `${first[column]}–${last[column]}`;
  const open = (_row: number, column: number): void => {
    const half = Math.max(LEAST, (high - low) / AROUND) / 2;
    const middle = ((first[column] ?? 0) + (last[column] ?? 0)) / 2;
    board.stepRange.set({ first: Math.max(0, Math.round(middle - half)), last: Math.round(middle + half) }, 'push');
  };
  const look: LookAtColumns = (to, how) => {
    const next = to && rangeIn(whole, low + to[0] * each, low + to[1] * each - 1);
    const { value: before } = board.stepRange;
    if (next?.first === before?.first && next?.last === before?.last) return false;
    board.stepRange.set(next, how);
    return true;
  };
  const title = [
    say('every_step.title', { span }),
    ...(each > 1 ? [say('every_step.tiles', { count: each })] : []),
    ...(ranks.length < count ? [say('every_step.of_ranks', { count: together })] : []),
  ].join(' · ');
  return (
    <Figure
      board={board}
      name="every-step"
      title={title}
      hint={say('every_step.hint')}
      content="chart"
      busy={busy}
      tools={
        <>
          {board.stepRange.value && (
            <button type="button" data-action="all-steps" onClick={() => board.stepRange.set(null, 'push')}>
              {say('every_step.all')}
            </button>
          )}
          <Choice
            say={say}
            name="step-statistic"
            label={say('every_step.statistic')}
            values={STEP_STATISTICS}
            words="every_step.statistic"
            setting={board.stepStatistic}
            how="push"
          />
          <label class="choice-of">
            <span>{say('every_step.span')}</span>
            <Select
              name="step-span"
              label={say('every_step.span')}
              value={span}
              options={spans.map((value) => ({ value, text: value }))}
              onPick={(value) => board.stepSpan.set(value, 'push')}
            />
          </label>
        </>
      }
      data={() => ({
        head: ['rank', 'first_step', 'last_step', `${span}_ns`],
        rows: answer.values.flatMap((row, at) =>
          row.map((value, column) => [ranks[at] ?? null, first[column] ?? null, last[column] ?? null, value]),
        ),
      })}
    >
      <HeatMap
        board={board}
        label={say('every_step.label', { span, ranks: count, first: low, last: high })}
        cells={cells}
        rowLabels={ranks.map(String)}
        columnLabels={first.map(String)}
        rowTitle={say('cluster.rank')}
        columnTitle={say('step')}
        color={inkOf(board.page.theme.value).category('computing')}
        text={(value) => timeText(value, locale)}
        tip={(row, column) => ({
          title: `${say('rank', { rank: String(ranks[row] ?? '') })} · ${say('step')} ${stepsText(column)}`,
          lines: [[span, valueText(cells.values[row * cells.columns + column], (ns) => timeText(ns, locale))]],
        })}
        onPress={open}
        onLook={look}
      />
    </Figure>
  );
}

/** Steps from one to another within all of them, a few at least; null for all. */
export function rangeIn(whole: StepRange, from: number, to: number): StepRange | null {
  const most = whole.last - whole.first;
  const more = Math.min(most, Math.max(NEAREST - 1, Math.round(to - from)));
  const first = Math.max(whole.first, Math.min(whole.last - more, Math.round((from + to - more) / 2)));
  return more === most ? null : { first, last: first + more };
}

const valueText = (value: number | undefined, text: (value: number) => string): string =>
  value === undefined || Number.isNaN(value) ? MISSING : text(value);

function Slowest({ board, answer }: AnswerProps): JSX.Element | null {
  const { t: say } = board.page;
  if (answer.slowest.length === 0) return null;
  return (
    <LocalTable
      board={board}
      name="slowest-rank"
      title={say('every_step.slowest')}
      note={say('every_step.slowest.hint')}
      columns={{ first_step: 'count', last_step: 'count', rank: 'count', share_slow: 'share', more: 'ns' }}
      rows={answer.slowest.map(({ first, last, rank, share, more }) => ({
        first_step: first,
        last_step: last,
        rank,
        share_slow: share,
        more,
      }))}
      sort="first_step"
    />
  );
}
