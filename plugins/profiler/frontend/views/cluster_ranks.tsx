/** The ranks of a job side by side, as columns and as a table. */
import { Segments } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { RankRow } from '../answers/cluster';
import type { Cell, Unit } from '../answers/table';
import { Columns, type StackedColumn } from '../figures/columns';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { Legend } from '../figures/legend';
import { stepsText } from '../steps';
import { LocalTable } from '../table/local_table';
import { timeText } from '../units';
import { categoryText } from '../words';

/** Ways in which a step divides, the most telling first. */
const DIVISIONS = [
  ['computing', 'communication_not_overlapped', 'free'], // receiving is part of the communication
  ['iteration_interval', 'forward_backward', 'tail'],
  ['kernel', 'memcpy', 'memset', 'runtime', 'operator', 'data', 'communication', 'other', 'idle'],
] as const;

const MOST_COLUMNS = 128; // ranks

export interface RanksProps {
  readonly board: ProfilerParts;
  readonly ranks: readonly RankRow[];
}

export interface ArrivingRanksProps extends RanksProps {
  /** How many more are not read yet. */
  readonly unread: number;
}

/** The ranks of the stage that was chosen, of all without. */
export function ofStage(
  board: ProfilerParts,
  ranks: readonly RankRow[],
): { readonly stages: readonly string[]; readonly stage: string; readonly shown: readonly RankRow[] } {
  const stages = [...new Set(ranks.map(({ stage }) => String(stage ?? '')))].filter(Boolean).sort();
  const stage = stages.includes(board.stage.value ?? '') ? (board.stage.value ?? '') : '';
  return { stages, stage, shown: stage === '' ? ranks : ranks.filter((row) => String(row.stage ?? '') === stage) };
}

/** Those that work longest, in their order, where there are too many for columns. */
function busiest(ranks: readonly RankRow[], time: string): readonly RankRow[] {
  if (ranks.length <= MOST_COLUMNS) return ranks;
  const longest = ranks.toSorted((a, b) => (b.times[time] ?? 0) - (a.times[time] ?? 0)).slice(0, MOST_COLUMNS);
  return longest.toSorted((a, b) => a.rank - b.rank);
}

/** The median step of each rank, by what it divides into. */
export function Ranks({ board, ranks }: RanksProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const { stages, stage, shown: all } = ofStage(board, ranks);
  const found = DIVISIONS.find((names) => names.some((name) => all.some(({ times }) => (times[name] ?? 0) > 0))) ?? [
    'duration',
  ];
  const names = found.filter((name) => all.some(({ times }) => (times[name] ?? 0) > 0));
  const shown = busiest(all, found === DIVISIONS[1] ? 'forward_backward' : (names[0] ?? 'duration'));
  return (
    <Figure
      board={board}
      name="ranks"
      title={[
        board.steps.value ? say('cluster.ranks.of', { steps: stepsText(board.steps.value) }) : say('cluster.ranks'),
        ...(shown.length < all.length ? [say('cluster.ranks.some', { shown: shown.length, count: all.length })] : []),
      ].join(' · ')}
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

export function RankTable({ board, ranks, title }: RanksProps & { readonly title: string }): JSX.Element {
  const times = [...new Set(ranks.flatMap((row) => Object.keys(row.times)))].filter((name) =>
    ranks.some((row) => (row.times[name] ?? 0) > 0),
  );
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
