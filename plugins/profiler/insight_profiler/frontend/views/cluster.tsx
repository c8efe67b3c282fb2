import { Icon, Segments, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { Line } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { ClusterAnswer, RankRow, RankStepsAnswer } from '../answers/cluster';
import type { Cell, Unit } from '../answers/table';
import { Columns, type StackedColumn } from '../figures/columns';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { Legend } from '../figures/legend';
import { StepLines } from '../figures/step_lines';
import { stepsText } from '../steps';
import { LocalTable } from '../table/local_table';
import { inUnit, shareText, timeText, unitSign } from '../units';
import { useAnswer } from '../use_answer';
import type { ViewProps } from '../views';
import { categoryText, sentence } from '../words';
import { Answered } from './state';

const POLL = 1000; // ms, while ranks are being read
/** Ways in which a step divides, the most telling first. */
const DIVISIONS = [
  ['computing', 'communication_not_overlapped', 'free'], // receiving is part of the communication
  ['iteration_interval', 'forward_backward', 'tail'],
  ['kernel', 'communication', 'idle'],
] as const;

/** The ranks of a run side by side: which of them holds the others up. */
export default function Cluster({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const run = board.profiles.profile.value?.run ?? null;
  const round = useSignal(0);
  const query = { ...board.profiles.query.value, steps: board.stepsQuery.value };
  const asked = useAnswer<ClusterAnswer>(
    board,
    run === null ? null : JSON.stringify([query, round.value, board.profiles.profile.value?.version]),
    (signal) => board.page.ctx.data.json<ClusterAnswer>('cluster', query, { signal }),
  );
  const isReading = asked.value?.others.some(({ state }) => state === 'reading') === true;
  useEffect(() => {
    if (!isReading || asked.busy || !board.page.visible.value) return;
    const timer = setTimeout(() => round.value++, POLL);
    return () => clearTimeout(timer);
  }, [isReading, asked.busy, round.value, board.page.visible.value]);
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            <Others board={board} answer={answer} />
            <Stragglers board={board} answer={answer} />
            {answer.ranks.length > 0 && <Ranks board={board} ranks={answer.ranks} />}
            {answer.ranks.length > 0 && <RankLines board={board} ranks={answer.ranks} />}
            {answer.ranks.length > 0 && <RankTable board={board} ranks={answer.ranks} title={say('cluster.table')} />}
          </>
        )}
      </Answered>
    </div>
  );
}

interface AnswerProps {
  readonly board: ProfilerParts;
  readonly answer: ClusterAnswer;
}

/** Ranks that are not here yet, or never will be. */
function Others({ board, answer: { others, ranks } }: AnswerProps): JSX.Element | null {
  const { t: say } = board.page;
  const reading = others.filter(({ state }) => state !== 'failed').length;
  const failed = others.filter(({ state }) => state === 'failed');
  return (
    <>
      {reading > 0 && (
        <p class="hint" role="status">
          {say('cluster.reading', { count: reading, shown: ranks.length })}
        </p>
      )}
      {failed.map(({ profile, failure }) => (
        <p key={profile} class="problem">{`${profile}: ${failure ? sentence(board, 'failure', failure) : ''}`}</p>
      ))}
    </>
  );
}

const LEAST_STEPS = 3; // for a verdict

function Stragglers({ board, answer: { stragglers, ranks, warm_up: left } }: AnswerProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  return (
    <section class="figure advice" aria-label={say('cluster.stragglers')}>
      <header>
        <h3 title={say('cluster.stragglers.hint')}>{say('cluster.stragglers')}</h3>
      </header>
      <ul>
        {stragglers.map(({ rank, stage, time, work, usual, wait, usual_wait: others, steps }) => (
          <li key={rank} class="warning" data-straggler={rank}>
            <Icon name="warn" />
            <span>
              {[
                say(stage === null ? 'cluster.straggler' : 'cluster.straggler.stage', {
                  rank,
                  stage: String(stage),
                  name: categoryText(board, time),
                  work: timeText(work, locale),
                  usual: timeText(usual, locale),
                  more: shareText(usual > 0 ? work / usual - 1 : 0, locale),
                  count: steps,
                }),
                wait !== null && others !== null && others > wait
                  ? say('cluster.straggler.waits', { wait: timeText(wait, locale), usual: timeText(others, locale) })
                  : '',
              ]
                .join(' ')
                .trim()}
            </span>
          </li>
        ))}
        {stragglers.length === 0 && (
          <li class="info">
            <Icon name="check" />
            <span>
              {say(
                ranks.length < 2
                  ? 'cluster.alone'
                  : ranks.some(({ steps }) => (steps?.count ?? 0) >= LEAST_STEPS)
                    ? 'cluster.even'
                    : 'cluster.few',
              )}
            </span>
          </li>
        )}
        {left.length > 0 && (
          <li class="info" data-testid="warm-up">
            <Icon name="info" />
            <span>
              {say('cluster.warm_up', {
                count: left.length,
                steps: left.length > 1 ? `${left[0]}–${left.at(-1)}` : String(left[0]),
              })}
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

interface RanksProps {
  readonly board: ProfilerParts;
  readonly ranks: readonly RankRow[];
}

/** The ranks of the stage that was chosen, of all without. */
function ofStage(
  board: ProfilerParts,
  ranks: readonly RankRow[],
): { readonly stages: readonly string[]; readonly stage: string; readonly shown: readonly RankRow[] } {
  const stages = [...new Set(ranks.map(({ stage }) => String(stage ?? '')))].filter(Boolean).sort();
  const stage = stages.includes(board.stage.value ?? '') ? (board.stage.value ?? '') : '';
  return { stages, stage, shown: stage === '' ? ranks : ranks.filter((row) => String(row.stage ?? '') === stage) };
}

/** One time of every step, a line for each rank; a press chooses the step. */
function RankLines({ board, ranks }: RanksProps): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const theme = board.page.theme.value;
  const query = { ...board.profiles.query.value, time: board.rankTime.value || null };
  const asked = useAnswer<RankStepsAnswer>(
    board,
    JSON.stringify([query, ranks.map(({ profile }) => profile), board.profiles.profile.value?.version]),
    (signal) => board.page.ctx.data.json<RankStepsAnswer>('rank_steps', query, { signal }),
  );
  const { value: answer, error, busy } = asked;
  const { shown } = ofStage(board, ranks);
  const highest = (answer?.ranks ?? []).reduce((most, { value }) => value.reduce((a, b) => Math.max(a, b), most), 0);
  const unit = board.units.of(`rank-steps ${answer?.time ?? ''}`, highest > 0 ? highest : null);
  const lines = useMemo((): readonly Line[] => {
    const ink = inkOf(theme);
    const wanted = new Set(shown.map(({ rank }) => rank));
    return (answer?.ranks ?? [])
      .filter(({ rank }) => wanted.has(rank))
      .map(({ rank, number, value }, i): Line => ({
        id: String(rank),
        label: say('rank', { rank }),
        color: ink.rank(i),
        x: number,
        y: value.map((ns) => inUnit(ns, unit)),
      }));
  }, [answer, unit, theme, locale, shown.length, board.stage.value]);
  if (error !== null)
    return (
      <p class="problem" role="status">
        {error}
      </p>
    );
  if (!answer || answer.time === null || lines.length === 0) return null;
  const most = Math.max(...answer.ranks.map(({ count }) => count));
  const drawn = Math.max(...answer.ranks.map(({ number }) => number.length));
  return (
    <StepLines
      board={board}
      name="rank-steps"
      title={say('cluster.steps', { name: categoryText(board, answer.time), unit: unitSign(unit) })}
      lines={lines}
      unit={unit}
      busy={busy}
      tools={
        <>
          {drawn < most && <span class="count">{say('overview.steps.some', { shown: drawn, count: most })}</span>}
          <label class="choice-of">
            <span>{say('cluster.time')}</span>
            <Select
              name="rank-time"
              label={say('cluster.time')}
              value={answer.time}
              options={answer.times.map((value) => ({ value, text: categoryText(board, value) }))}
              onPick={(value) => board.rankTime.set(value, 'push')}
            />
          </label>
        </>
      }
    />
  );
}

/** The median step of each rank, by what it divides into. */
function Ranks({ board, ranks }: RanksProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const { stages, stage, shown } = ofStage(board, ranks);
  const found = DIVISIONS.find((names) => names.some((name) => shown.some(({ times }) => (times[name] ?? 0) > 0))) ?? [
    'duration',
  ];
  const names = found.filter((name) => shown.some(({ times }) => times[name] !== undefined));
  return (
    <Figure
      board={board}
      name="ranks"
      title={
        board.steps.value ? say('cluster.ranks.of', { steps: stepsText(board.steps.value) }) : say('cluster.ranks')
      }
      hint={say('cluster.ranks.hint')}
      tools={
        stages.length > 1 && (
          <Segments
            name="stage"
            label={say('cluster.stage')}
            value={stage}
            options={['', ...stages].map((value) => ({
              value,
              text: value === '' ? say('cluster.stages') : say('cluster.stage.of', { stage: value }),
            }))}
            onPick={(value) => board.stage.set(value || null, 'push')}
          />
        )
      }
      data={() => ({
        head: ['rank', ...names.map((name) => `${name}_ns`)],
        rows: shown.map((row) => [row.rank, ...names.map((name) => row.times[name] ?? null)]),
      })}
    >
      <Columns
        board={board}
        columns={shown.map((row): StackedColumn => ({
          label: String(row.rank),
          parts: names.map((name) => Math.max(0, row.times[name] ?? 0)),
          isChosen: true,
        }))}
        layers={names.map((key) => ({ key, color: ink.category(key), label: categoryText(board, key) }))}
        label={say('cluster.ranks')}
        xLabel={say('cluster.rank')}
        tip={(at) => {
          const row = shown[at];
          return {
            title: `${say('cluster.rank')} ${row?.rank ?? ''}${row?.host ? ` · ${row.host}` : ''}`,
            lines: Object.entries(row?.times ?? {}).map(([name, time]): readonly [string, string] => [
              categoryText(board, name),
              timeText(time, locale),
            ]),
          };
        }}
        onPress={(at) => {
          const row = shown[at];
          const { value: profile } = board.profiles.profile;
          if (row && profile) board.navigation.open({ run: profile.run, profile: row.profile });
        }}
      />
      <Legend entries={names.map((key) => ({ key, color: ink.category(key), label: categoryText(board, key) }))} />
    </Figure>
  );
}

function RankTable({ board, ranks, title }: RanksProps & { readonly title: string }): JSX.Element {
  const times = [...new Set(ranks.flatMap((row) => Object.keys(row.times)))];
  const units: Readonly<Record<string, Unit>> = {
    rank: 'number',
    profile: 'text',
    host: 'text',
    stage: 'number',
    steps: 'count',
    ...Object.fromEntries(times.map((name) => [name, 'ns'] as const)),
    peak_memory: 'bytes',
    flops: 'flops',
    utilization: 'share',
  };
  const rows = ranks.map(({ steps, times: own, flops, ...row }): Readonly<Record<string, Cell>> => ({
    ...Object.fromEntries(times.map((name) => [name, own[name] ?? null])),
    rank: row.rank,
    profile: row.profile,
    host: row.host,
    stage: row.stage,
    steps: steps?.count ?? null,
    peak_memory: row.peak_memory,
    flops: flops?.flops ?? null,
    utilization: flops?.utilization ?? null,
  }));
  const isKnown = (name: string): boolean => rows.some((row) => row[name] !== null && row[name] !== '');
  return (
    <LocalTable
      board={board}
      name="cluster"
      title={title}
      columns={Object.fromEntries(Object.entries(units).filter(([name]) => name === 'profile' || isKnown(name)))}
      rows={rows}
      sort="rank"
      widths={{ rank: 70, profile: 200, host: 140, stage: 76 }}
      onOpen={({ profile }) => {
        const run = board.profiles.profile.value?.run;
        if (run !== undefined && typeof profile === 'string') board.navigation.open({ run, profile });
      }}
    />
  );
}
