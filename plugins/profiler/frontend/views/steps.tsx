import { Segments } from '@insight-host/kit';
import type { Line } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import { CATEGORIES, type StepAnswer, type StepsAnswer } from '../answers/steps';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { Lanes, type Bar } from '../figures/lanes';
import { StepLines } from '../figures/step_lines';
import { holds } from '../steps';
import { ServerTable, valueOf } from '../table/server_table';
import { inUnit, shareText, timeText, unitSign } from '../units';
import { useProfileAnswer } from '../use_answer';
import type { ViewProps } from '../views';
import { categoryText, outliersText } from '../words';
import { lanesOf } from './step_lanes';
import { Answered } from './state';

const MOST = 20_000; // steps of the curve

/** How long each step took and on what, its course drawn, and the same as a table. */
export default function Steps({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const asked = useProfileAnswer<StepsAnswer>(board, 'steps', {
    limit: MOST,
    sort: 'number',
    order: 'asc',
    columns: ['number', 'duration', ...CATEGORIES].join(','),
  });
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            <Trace board={board} answer={answer} />
            <StepCurves board={board} answer={answer} busy={asked.busy} />
          </>
        )}
      </Answered>
      <div class="low-table">
        <ServerTable<StepsAnswer>
          board={board}
          name="steps"
          label={say('steps.table')}
          route="steps"
          query={{}}
          settings={board.stepTable}
          sort="number"
          order={['number', 'duration']}
          hidden={['start']}
          widths={{ number: 90 }}
          titles={Object.fromEntries(CATEGORIES.map((name) => [name, categoryText(board, name)]))}
          onOpen={(row, answer) => {
            const number = valueOf(answer, row, 'number');
            if (typeof number === 'number') board.navigation.chooseStep(number, false);
          }}
          isOpen={(row, answer) =>
            board.steps.value !== null && holds(board.steps.value, Number(valueOf(answer, row, 'number')))
          }
        />
      </div>
    </div>
  );
}

interface StepsProps {
  readonly board: ProfilerParts;
  readonly answer: StepsAnswer;
}

/** The breakdown of one step, or of the average: its parts, and parallel work. */
function Trace({ board, answer }: StepsProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const range = board.steps.value;
  const one = range && range.first === range.last ? range.first : null;
  const asked = useProfileAnswer<StepAnswer>(board, 'step', { number: one });
  const at = answer.columns.findIndex(({ name }) => name === 'number');
  const numbers = useMemo(() => answer.rows.map((row) => Number(row[at])), [answer]);
  const step = (by: number): void => {
    const place = one === null ? (by > 0 ? 0 : numbers.length - 1) : numbers.indexOf(one) + by;
    const next = numbers[place];
    if (next !== undefined) board.navigation.chooseStep(next, false, true);
  };
  const { summary } = answer;
  const counted = asked.value?.steps ?? answer.total;
  const title =
    one !== null
      ? say('steps.course', { step: String(one) })
      : counted < answer.total
        ? say('steps.average.usual', { counted, count: answer.total })
        : say('steps.average', { count: answer.total });
  return (
    <Figure
      board={board}
      name="step-trace"
      title={title}
      hint={say('steps.course.hint')}
      busy={asked.busy}
      data={() => ({
        head: ['lane', 'name', 'start_ns', 'duration_ns'],
        rows: [
          ...(asked.value?.parts ?? []).map(({ name, start, duration }) => ['step', name, start, duration]),
          ...(asked.value?.lanes ?? []).map(({ name, start, duration }) => ['beside', name, start, duration]),
        ],
      })}
      tools={
        <>
          {answer.origin === 'inferred' && (
            <span class="count" title={say('steps.inferred.hint')}>
              {say('steps.inferred')}
            </span>
          )}
          <Segments
            name="step-average"
            label={say('steps.which')}
            value={one === null ? 'average' : 'one'}
            options={[
              { value: 'average', text: say('steps.average.short') },
              { value: 'one', text: one === null ? say('steps.one.short') : say('steps.one', { steps: String(one) }) },
            ]}
            onPick={(value) => (value === 'average' ? board.steps.set(null, 'push') : one === null && step(1))}
          />
          <button
            type="button"
            class="tool"
            data-action="step-before"
            title={say('steps.before')}
            aria-label={say('steps.before')}
            onClick={() => step(-1)}
          >
            ‹
          </button>
          <button
            type="button"
            class="tool"
            data-action="step-after"
            title={say('steps.after')}
            aria-label={say('steps.after')}
            onClick={() => step(1)}
          >
            ›
          </button>
        </>
      }
    >
      <Answered board={board} asked={asked}>
        {(drawn) => {
          const parts = drawn.parts.filter(({ duration }) => duration > 0);
          const { lanes, more, placed } = lanesOf(drawn.lanes);
          const bars: Bar[] = [
            {
              lane: 0,
              name: one === null ? say('steps.average.short') : `${say('step')} ${one}`,
              start: 0,
              duration: drawn.duration,
              color: ink.other,
            },
            ...parts.map(({ name, start, duration }) => ({
              lane: 1,
              name: categoryText(board, name),
              start,
              duration,
              color: ink.category(name),
            })),
            ...placed.map(({ lane, name, start, duration }) => ({
              lane: lane + 2,
              name,
              start,
              duration,
              color: ink.category('lane'),
            })),
          ];
          return (
            <>
              {summary && (
                <p class="hint" data-testid="step-summary">
                  {[
                    say('steps.median', { p50: timeText(summary.p50, locale) }),
                    say('overview.spread', {
                      mean: timeText(summary.mean, locale),
                      p95: timeText(summary.p95, locale),
                      low: timeText(summary.minimum, locale),
                      high: timeText(summary.maximum, locale),
                    }),
                    ...(summary.outlier_count > 0 ? [outliersText(board, summary)] : []),
                  ].join(' · ')}
                </p>
              )}
              <Lanes
                board={board}
                bars={bars}
                lanes={[say('steps.whole'), ...(parts.length > 0 ? [say('steps.parts')] : []), ...lanes]}
                label={title}
              />
              {more > 0 && <p class="hint">{say('steps.lanes.more', { count: more })}</p>}
              <ul class="legend-list inline" data-testid="step-parts">
                {drawn.parts.map(({ name, duration }) => (
                  <li key={name} data-part={name}>
                    <span class="swatch" style={{ background: ink.category(name) }} />
                    <span class="name">{categoryText(board, name)}</span>
                    <span class="number">{timeText(duration, locale)}</span>
                    <span class="number share">
                      {drawn.duration > 0 ? shareText(duration / drawn.duration, locale) : ''}
                    </span>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Answered>
    </Figure>
  );
}

function StepCurves({ board, answer, busy }: StepsProps & { readonly busy: boolean }): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const theme = board.page.theme.value;
  const unit = board.units.of('step-curve', answer.summary?.p50 ?? null);
  const lines = useMemo((): readonly Line[] => {
    const ink = inkOf(theme);
    const column = (name: string): readonly number[] => {
      const at = answer.columns.findIndex((one) => one.name === name);
      return answer.rows.map((row) => (typeof row[at] === 'number' ? row[at] : NaN));
    };
    const x = column('number');
    const named = ['duration', ...answer.divisions].filter((name) => answer.columns.some((one) => one.name === name));
    return named.map((name): Line => ({
      id: name,
      label: categoryText(board, name),
      color: name === 'duration' ? ink.text : ink.category(name),
      x,
      y: column(name).map((value) => inUnit(value, unit)),
    }));
  }, [answer, unit, theme, locale]);
  const marks = useMemo(
    () =>
      (answer.summary?.outliers ?? []).map((x) => ({
        x,
        color: inkOf(theme).muted,
        text: board.page.t('step.outlier'),
      })),
    [answer, theme, locale],
  );
  return (
    <StepLines
      board={board}
      name="step-times"
      title={say('steps.curve', { unit: unitSign(unit) })}
      lines={lines}
      marks={marks}
      unit={unit}
      busy={busy}
    />
  );
}
