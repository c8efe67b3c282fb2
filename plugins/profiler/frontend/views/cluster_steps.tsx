/** Steps of all ranks: a heat map of ranks and steps, and lines where there are few ranks. */
import { Choice, Select } from '@insight-host/kit';
import type { Line } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { RankMapAnswer, RankStepsAnswer } from '../answers/cluster';
import { Figure } from '../figures/figure';
import { HeatMap, HeatMapRoom } from '../figures/heat_map';
import { cellsOf } from '../figures/heat_map_cells';
import { inkOf } from '../figures/ink';
import { StepLines } from '../figures/step_lines';
import { rankRows } from '../rank_rows';
import { RANK_SCALES } from '../settings';
import { inUnit, MISSING, shareText, sizeText, timeText, unitSign } from '../units';
import { useAnswer } from '../use_answer';
import { categoryText } from '../words';
import { ofStage, type ArrivingRanksProps } from './cluster_ranks';

const WIDTH = 1600; // columns: steps beyond them share one
const MOST_LINES = 32; // ranks: the host sends no more
const LINES_HEIGHT = 289; // px of their figure
const COLORS: Readonly<Record<string, string>> = {
  compute: 'computing',
  wait: 'communication',
  bandwidth: 'memcpy',
};

const measureText = (board: ProfilerParts, measure: string): string =>
  measure in COLORS ? board.page.t(`rank_map.${measure}`) : categoryText(board, measure);

/** A measure of every step of every rank; a press opens the timeline of the rank at the step. */
export function RankMap({ board, ranks, unread }: ArrivingRanksProps): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const query = {
    ...board.profiles.query.value,
    measure: board.mapMeasure.value || null,
    scale: board.mapScale.value,
    width: WIDTH,
  };
  const asked = useAnswer<RankMapAnswer>(
    board,
    JSON.stringify([query, ranks.length, board.profiles.profile.value?.version]),
    (signal) => board.page.ctx.data.json<RankMapAnswer>('rank_map', query, { signal }),
  );
  const { value: answer, error, busy } = asked;
  const { stages, stage } = ofStage(board, ranks);
  const total = ranks.length + unread;
  const shown = useMemo(() => {
    if (!answer?.values) return null;
    const places = new Map(
      answer.ranks.flatMap(({ rank }, i) =>
        stage === '' || String(answer.stages[i] ?? '') === stage ? [[rank, i] as const] : [],
      ),
    );
    const rows = rankRows([...places.keys()], stage === '' ? total - answer.ranks.length : 0);
    const unknown = (answer.first ?? []).map(() => null);
    const values = rows.map((rank) => answer.values?.[places.get(rank ?? -1) ?? -1] ?? unknown);
    const cells = cellsOf(values, answer.measure === 'bandwidth' ? 'smallest' : 'largest');
    return { rows, places, cells };
  }, [answer, stage, total]);
  if (error !== null)
    return (
      <p class="problem" role="status">
        {error}
      </p>
    );
  if (!answer) return <HeatMapRoom rows={total} />;
  if (answer.measure === null || !shown || shown.cells.columns === 0) return null;
  const { rows, places, cells } = shown;
  const isChange = answer.scale === 'relative';
  const { unit, measure } = answer;
  const text = (value: number): string =>
    isChange
      ? `${value > 0 ? '+' : ''}${shareText(value, locale)}`
      : unit === 'ns'
        ? timeText(value, locale)
        : `${sizeText(value, locale)}/s`;
  const [first, last] = [answer.first ?? [], answer.last ?? []];
  const placeOf = (row: number): number => places.get(rows[row] ?? -1) ?? -1;
  const stepAt = (row: number, column: number): number | undefined =>
    answer.at?.[placeOf(row)]?.[column] ?? first[column];
  const valueAt = (row: number, column: number): number => cells.values[row * cells.columns + column] as number;
  const rank = (row: number): string => String(rows[row] ?? '');
  const open = (row: number, column: number): void => {
    const { value: profile } = board.profiles.profile;
    const to = answer.ranks[placeOf(row)];
    const step = stepAt(row, column);
    if (profile && to && step !== undefined) board.navigation.openStep({ run: profile.run, profile: to.profile }, step);
  };
  const name = measureText(board, measure);
  const title = [
    say('rank_map.title', { name }),
    ...(answer.at
      ? [
          say(measure === 'bandwidth' ? 'rank_map.binned.least' : 'rank_map.binned', {
            count: answer.steps ?? 0,
            shown: first.length,
          }),
        ]
      : []),
  ].join(' · ');
  return (
    <Figure
      board={board}
      name="rank-map"
      title={title}
      hint={say('rank_map.hint')}
      content="chart"
      busy={busy}
      tools={
        <>
          <Choice
            say={say}
            name="rank-map-scale"
            label={say('rank_map.scale')}
            values={RANK_SCALES}
            words="rank_map.scale"
            setting={{ value: board.mapScale.value, set: board.mapScale.set }}
            how="push"
          />
          <label class="choice-of">
            <span>{say('rank_map.measure')}</span>
            <Select
              name="rank-map-measure"
              label={say('rank_map.measure')}
              value={measure}
              options={answer.measures.map((value) => ({ value, text: measureText(board, value) }))}
              onPick={(value) => board.mapMeasure.set(value, 'push')}
            />
          </label>
        </>
      }
      data={() => ({
        head: ['rank', 'step', isChange ? `${measure}_change` : unit === 'ns' ? `${measure}_ns` : measure],
        rows: rows.flatMap((number, row) =>
          placeOf(row) < 0
            ? []
            : first.map((_step, column) => {
                const value = valueAt(row, column);
                return [number, stepAt(row, column) ?? null, Number.isNaN(value) ? null : value];
              }),
        ),
      })}
    >
      <p class="hint">{say(`rank_map.about.${measure in COLORS ? measure : 'time'}`)}</p>
      <HeatMap
        board={board}
        label={say('rank_map.label', { name, ranks: places.size, steps: answer.steps ?? 0 })}
        cells={cells}
        rowLabels={rows.map((_, row) => rank(row))}
        columnLabels={first.map((number, i) => (number === last[i] ? String(number) : `${number}–${last[i]}`))}
        rowTitle={stages.length > 1 && stage !== '' ? say('cluster.stage.of', { stage }) : say('cluster.rank')}
        columnTitle={say('step')}
        color={ink.category(COLORS[measure] ?? 'computing')}
        isChange={isChange}
        text={text}
        tip={(row, column) => {
          const value = valueAt(row, column);
          return {
            title: `${say('rank', { rank: rank(row) })} · ${say('step')} ${stepAt(row, column) ?? ''}`,
            lines: [[name, Number.isNaN(value) ? MISSING : text(value)]],
          };
        }}
        onPress={open}
      />
    </Figure>
  );
}

/** One time of every step, a line for each rank; a press chooses the step. */
export function RankLines({ board, ranks, unread }: ArrivingRanksProps): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const theme = board.page.theme.value;
  const query = { ...board.profiles.query.value, time: board.rankTime.value || null };
  const isShown = ranks.length + unread <= MOST_LINES;
  const asked = useAnswer<RankStepsAnswer>(
    board,
    isShown
      ? JSON.stringify([query, ranks.map(({ profile }) => profile), board.profiles.profile.value?.version])
      : null,
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
  if (!isShown) return null;
  if (!answer) return <div class="figure" aria-busy="true" style={{ height: `${LINES_HEIGHT}px` }} />;
  if (answer.time === null || lines.length === 0) return null;
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
