/** How scores and lengths are distributed at each step: median, and bands of percentiles. */
import { Select, useChart } from '@insight-host/kit';
import { mountLineChart, type Cursor, type Line, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Spread, Summary } from './answers';
import { nearest, type SamplesBoard } from './board';

interface ChartsProps {
  readonly board: SamplesBoard;
}

const MEAN = 1;
const [LOWEST, LOW, MIDDLE, HIGH, HIGHEST] = [3, 4, 5, 6, 7]; // places in a spread

export function Charts({ board }: ChartsProps): JSX.Element | null {
  const { t: say } = board.page;
  const overview = board.known.value;
  if (!overview || overview.shown.length === 0) return null;
  const scores = overview.scores;
  return (
    <div class="charts">
      {scores.length > 0 && (
        <figure class="chart" data-testid="chart-score">
          <figcaption>
            {scores.length === 1 ? (
              <strong>{board.score.value}</strong>
            ) : (
              <Select
                name="score"
                label={say('score')}
                value={board.score.value}
                options={scores.map((value) => ({ value, text: value }))}
                onPick={board.setScore}
              />
            )}
            <Figures board={board} column={`score/${board.score.value}`} />
          </figcaption>
          <Distribution board={board} column={`score/${board.score.value}`} title={board.score.value} />
        </figure>
      )}
      <figure class="chart" data-testid="chart-length">
        <figcaption>
          <strong>{say(hasTokens(overview.shown) ? 'tokens' : 'characters')}</strong>
          <Signs board={board} />
        </figcaption>
        <Distribution
          board={board}
          column={hasTokens(overview.shown) ? 'length' : 'characters'}
          title={say(hasTokens(overview.shown) ? 'tokens' : 'characters')}
        />
      </figure>
    </div>
  );
}

const hasTokens = (shown: readonly (readonly [number, Summary])[]): boolean =>
  shown.some(([, { columns }]) => columns['length'] !== undefined);

/** The mean of the step that is shown, and that of the first one. */
function Figures({ board, column }: ChartsProps & { readonly column: string }): JSX.Element | null {
  const { t: say } = board.page;
  const at = summaryOf(board)?.columns[column];
  if (!at) return null;
  return <span class="muted">{say('mean', { value: short(at[MEAN] ?? NaN) })}</span>;
}

/** Shares of odd samples at the step that is shown. */
function Signs({ board }: ChartsProps): JSX.Element | null {
  const { t: say } = board.page;
  const summary = summaryOf(board);
  if (!summary) return null;
  const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
  const shown = (['repeated', 'empty', 'truncated'] as const).filter((sign) => (summary[sign] ?? 0) > 0);
  return (
    <span class="muted">
      {say('samples', { count: summary.rows })}
      {shown.map((sign) => (
        <button
          key={sign}
          type="button"
          class={`sign ${sign}`}
          title={say('sign.only')}
          onClick={() => {
            board.view.set('samples');
            board.where.set(sign);
          }}
        >
          {say(`sign.${sign}`)} {percent(summary[sign] ?? 0)}
        </button>
      ))}
    </span>
  );
}

const summaryOf = (board: SamplesBoard): Summary | undefined => {
  const shown = board.known.value?.shown ?? [];
  const at = nearest(
    shown.map(([step]) => step),
    board.step.value,
  );
  return shown.find(([step]) => step === at)?.[1];
};

/** A number with so many digits; a dash for one that is not known. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  return String(Number(value.toPrecision(digits)));
}

interface DistributionProps extends ChartsProps {
  readonly column: string;
  readonly title: string;
}

function Distribution({ board, column, title }: DistributionProps): JSX.Element {
  const { page } = board;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const shown = board.known.value?.shown;
  const run = board.run.value ?? '';
  const color = page.colorOf(run);
  const lines = useMemo(
    () => linesOf(page.t, shown ?? [], column, color, run),
    [shown, column, color, page.locale.value],
  );
  const step = board.step.value;
  const props: LineChartProps = {
    lines,
    xKind: 'step',
    xLabel: page.t('step'),
    yLabel: '',
    title,
    description: page.t('chart.described', { title, steps: shown?.length ?? 0 }),
    marks:
      step === null ? [] : [{ x: step, color: page.theme.value.token('--accent'), text: page.t('step.at', { step }) }],
    onClick: (cursor) => board.goTo(stepAt(cursor, board.steps.peek())),
    theme: page.theme.value,
    locale: page.locale.value,
  };
  useChart(mountLineChart, props, host, chart);
  return <div class="plot" ref={host} />;
}

function stepAt({ x, nearest: near }: Cursor, steps: readonly number[]): number {
  const at = near[0]?.x ?? x;
  let best = steps[0] ?? 0;
  for (const step of steps) if (Math.abs(step - at) < Math.abs(best - at)) best = step;
  return best;
}

function linesOf(
  say: SamplesBoard['page']['t'],
  shown: readonly (readonly [number, Summary])[],
  column: string,
  color: string,
  run: string,
): readonly Line[] {
  const known = shown.flatMap(([step, { columns }]): readonly (readonly [number, Spread])[] => {
    const spread = columns[column];
    return spread ? [[step, spread]] : [];
  });
  const x = Float64Array.from(known, ([step]) => step);
  const at = (place: number): Float64Array => Float64Array.from(known, ([, spread]) => spread[place] ?? NaN);
  const runs = [run];
  return [
    {
      id: 'mean',
      label: say('band.mean'),
      color,
      x,
      y: at(MEAN),
      band: { low: at(LOWEST), high: at(HIGHEST) },
      runs,
    },
    {
      id: 'median',
      label: say('band.median'),
      color,
      x,
      y: at(MIDDLE),
      band: { low: at(LOW), high: at(HIGH) },
      dash: [3, 4],
      runs,
    },
  ];
}
