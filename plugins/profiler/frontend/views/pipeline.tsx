import { Icon } from '@insight-host/kit';
import type { Line } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { PipelineAnswer, PipelineOperator, QueueInfo, Series } from '../answers/pipeline';
import { Curves } from '../figures/curves';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { LocalTable } from '../table/local_table';
import { countText, inUnit, shareText, unitOf, unitSign } from '../units';
import { useProfileAnswer } from '../use_answer';
import type { ViewProps } from '../views';
import { word } from '../words';
import { bottlenecks, inDataOrder } from './pipeline_order';
import { Answered } from './state';

/** How data were prepared: operators from source to training with their queues, waits of the training, processors. */
export default function Pipeline({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const asked = useProfileAnswer<PipelineAnswer>(board, 'pipeline');
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            {(answer.suggestions?.length ?? 0) > 0 && (
              <section class="figure advice" aria-label={say('pipeline.suggestions')}>
                <header>
                  <h3 title={say('pipeline.suggestions.hint')}>{say('pipeline.suggestions')}</h3>
                </header>
                <ul>
                  {answer.suggestions?.map((text, i) => (
                    <li key={i} class="info">
                      <Icon name="info" />
                      <span>{text}</span>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <div class="beside">
              {answer.operators.length > 0 && <Flow board={board} operators={answer.operators} />}
              <div class="wide">
                {answer.queues.map((queue) => (
                  <Queue key={queue.name} board={board} queue={queue} busy={asked.busy} />
                ))}
                {answer.cpu && <Processors board={board} cpu={answer.cpu} busy={asked.busy} />}
              </div>
            </div>
            {(answer.operations?.length ?? 0) > 0 && (
              <LocalTable
                board={board}
                name="operations"
                title={say('pipeline.operations')}
                columns={{ operation: 'text', stage: 'text', calls: 'count', average: 'ns', information: 'text' }}
                rows={answer.operations ?? []}
                sort="-average"
              />
            )}
          </>
        )}
      </Answered>
    </div>
  );
}

/** Operators below one another as data go through them, each with the queue behind it. */
function Flow({
  board,
  operators,
}: {
  readonly board: ProfilerParts;
  readonly operators: readonly PipelineOperator[];
}): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const slow = bottlenecks(operators);
  const ordered = inDataOrder(operators);
  const chosen = board.pipelineOperator.value;
  return (
    <Figure
      board={board}
      name="pipeline"
      title={say('pipeline.flow')}
      hint={say('pipeline.flow.hint')}
      content="chart"
      data={() => ({
        head: [
          'id',
          'type',
          'workers',
          'queue_capacity',
          'queue_average',
          'queue_usage',
          'user_percent',
          'system_percent',
        ],
        rows: ordered.map(({ operator: { id, type, workers, queue, cpu } }) => [
          id,
          type,
          workers ?? null,
          queue?.capacity ?? null,
          queue?.average ?? null,
          queue?.usage ?? null,
          cpu?.user ?? null,
          cpu?.system ?? null,
        ]),
      })}
    >
      <ol class="flow" data-testid="pipeline-flow">
        {ordered.map(({ operator, level }, i) => {
          const { id, type, workers, queue, cpu } = operator;
          const usage = queue?.usage ?? null;
          return (
            <li
              key={id}
              style={{ marginLeft: `${Math.min(6, level) * 22}px` }}
              data-operator={id}
              class={slow.has(id) ? 'slow' : ''}
            >
              <div class="operator">
                <strong>{type}</strong>
                {typeof workers === 'number' && <span class="note">{say('pipeline.workers', { count: workers })}</span>}
                {cpu && (cpu.user !== null || cpu.system !== null) && (
                  <span class="note">
                    {say('pipeline.cpu.of', {
                      user: countText(cpu.user ?? 0, locale),
                      system: countText(cpu.system ?? 0, locale),
                    })}
                  </span>
                )}
                {slow.has(id) && (
                  <span class="warning" title={say('pipeline.slow.hint')}>
                    <Icon name="warn" /> {say('pipeline.slow')}
                  </span>
                )}
              </div>
              {queue ? (
                <button
                  type="button"
                  class="queue"
                  aria-pressed={chosen === String(id)}
                  title={say('pipeline.queue.hint')}
                  onClick={() => board.pipelineOperator.set(chosen === String(id) ? null : String(id))}
                >
                  <span class="meter" aria-hidden="true">
                    <span style={{ width: `${100 * Math.min(1, usage ?? 0)}%` }} />
                  </span>
                  <span class="note">
                    {usage !== null
                      ? say('pipeline.queue', {
                          usage: shareText(usage, locale),
                          average: countText(queue.average ?? 0, locale),
                          capacity: queue.capacity ?? 0,
                        })
                      : say('pipeline.queue.unknown', { capacity: queue.capacity ?? 0 })}
                  </span>
                </button>
              ) : (
                i < ordered.length - 1 && (
                  <span class="arrow" aria-hidden="true">
                    ↓
                  </span>
                )
              )}
              {chosen === String(id) && queue && (queue.samples?.length ?? 0) > 0 && (
                <Samples board={board} samples={queue.samples ?? []} capacity={queue.capacity ?? 0} />
              )}
            </li>
          );
        })}
        <li class="end">{say('pipeline.training')}</li>
      </ol>
    </Figure>
  );
}

/** How full a queue was, sample by sample. */
function Samples({
  board,
  samples,
  capacity,
}: {
  readonly board: ProfilerParts;
  readonly samples: readonly number[];
  readonly capacity: number;
}): JSX.Element {
  const ink = inkOf(board.page.theme.value);
  const [width, height] = [280, 48];
  const highest = samples.reduce((most, sample) => Math.max(most, sample), Math.max(1, capacity));
  const points = samples.map(
    (sample, i) =>
      `${((i / Math.max(1, samples.length - 1)) * width).toFixed(1)} ` +
      `${(height - 2 - (sample / highest) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg
      class="samples"
      width={width}
      height={height}
      role="img"
      aria-label={board.page.t('pipeline.samples', { count: samples.length })}
    >
      <path d={`M0 ${height - 1.5}H${width}`} stroke={ink.grid} />
      <path
        d={samples.length > 1 ? `M${points.join('L')}` : `M0 ${points[0]?.split(' ')[1]}H${width}`}
        fill="none"
        stroke={ink.category('data')}
        stroke-width={1.5}
      />
    </svg>
  );
}

interface QueueProps {
  readonly board: ProfilerParts;
  readonly queue: QueueInfo;
  readonly busy: boolean;
}

/** How long the training waited for each batch, and how full the queue was then. */
function Queue({ board, queue, busy }: QueueProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const theme = board.page.theme.value;
  const name = word(board, 'queue', queue.name);
  const times = [queue.get, queue.push, queue.total].flatMap((column) => column ?? []);
  const unit = unitOf(times.reduce<number>((most, time) => Math.max(most, time ?? 0), 0));
  const waits = useMemo((): readonly Line[] => {
    const ink = inkOf(theme);
    const x = (queue.number ?? []).map((number) => number ?? NaN);
    return (['get', 'push', 'total'] as const).flatMap((column, i): Line[] => {
      const values = queue[column];
      return values
        ? [
            {
              id: column,
              label: word(board, 'batch', column),
              color: ink.rank(i),
              x,
              y: values.map((value) => (value === null ? NaN : inUnit(value, unit))),
            },
          ]
        : [];
    });
  }, [queue, theme, unit, locale]);
  const sizes = useMemo((): readonly Line[] => {
    const ink = inkOf(theme);
    const x = (queue.number ?? []).map((number) => number ?? NaN);
    return (['queue_size', 'queue_capacity'] as const).flatMap((column): Line[] => {
      const values = queue[column];
      return values
        ? [
            {
              id: column,
              label: word(board, 'batch', column),
              color: column === 'queue_size' ? ink.category('data') : ink.muted,
              x,
              y: values.map((value) => value ?? NaN),
              ...(column === 'queue_capacity' ? { dash: [4, 4] } : {}),
            },
          ]
        : [];
    });
  }, [queue, theme, locale]);
  const empty = queue.empty !== null && queue.batches > 0 ? queue.empty / queue.batches : null;
  return (
    <>
      {sizes.length > 0 && (
        <Curves
          board={board}
          name={`queue-size-${queue.name}`}
          title={say('pipeline.sizes', { queue: name })}
          lines={sizes}
          xLabel={say('pipeline.batch')}
          yLabel={say('pipeline.size')}
          height={180}
          busy={busy}
          xText={(x) => `${say('pipeline.batch')} ${x}`}
          yText={(y) => countText(y, locale)}
          tools={
            <span class={empty !== null && empty > 0.3 ? 'count warning' : 'count'} data-testid="queue-empty">
              {queue.empty === null
                ? say('pipeline.batches', { count: queue.batches })
                : say('pipeline.empty', {
                    empty: queue.empty,
                    count: queue.batches,
                    share: shareText(empty ?? 0, locale),
                  })}
            </span>
          }
        />
      )}
      {waits.length > 0 && (
        <Curves
          board={board}
          name={`queue-wait-${queue.name}`}
          title={say('pipeline.waits', { queue: name, unit: unitSign(unit) })}
          lines={waits}
          xLabel={say('pipeline.batch')}
          yLabel={unitSign(unit)}
          height={180}
          busy={busy}
          xText={(x) => `${say('pipeline.batch')} ${x}`}
          yText={(y) => `${countText(y, locale)} ${unitSign(unit)}`}
        />
      )}
    </>
  );
}

interface ProcessorsProps {
  readonly board: ProfilerParts;
  readonly cpu: NonNullable<PipelineAnswer['cpu']>;
  readonly busy: boolean;
}

function Processors({ board, cpu, busy }: ProcessorsProps): JSX.Element {
  const { t: say } = board.page;
  const kinds = [...new Set(cpu.series.map(({ group, unit }) => `${group}\n${unit}`))];
  return (
    <>
      {kinds.map((kind) => {
        const series = cpu.series.filter(({ group, unit }) => `${group}\n${unit}` === kind && cpu.times_ms.length > 0);
        return series.length > 0 ? (
          <ProcessorCurves key={kind} board={board} cpu={cpu} series={series} busy={busy} />
        ) : null;
      })}
      {cpu.processors !== null && <p class="hint">{say('pipeline.processors', { count: cpu.processors })}</p>}
    </>
  );
}

function ProcessorCurves({
  board,
  cpu,
  series,
  busy,
}: ProcessorsProps & { readonly series: readonly Series[] }): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const theme = board.page.theme.value;
  const { group, unit } = series[0] as Series;
  const sign = unit === 'percent' ? '%' : unit === 'megabytes' ? 'MB' : '';
  const lines = useMemo((): readonly Line[] => {
    const ink = inkOf(theme);
    const first = cpu.times_ms[0] ?? 0;
    return series.map(({ label, values, average }, i): Line => ({
      id: label,
      label:
        average === null
          ? label.replaceAll('_', ' ')
          : `${label.replaceAll('_', ' ')} (⌀ ${countText(average, locale)}${sign})`,
      color: ink.rank(i),
      x: values.map((_, at) => ((cpu.times_ms[at] ?? NaN) - first) / 1000),
      y: values.map((value) => value ?? NaN),
    }));
  }, [series.length, cpu, theme, locale]);
  return (
    <Curves
      board={board}
      name={`cpu-${group}-${unit}`}
      title={say(`pipeline.cpu.${group}`, { unit: sign || say('pipeline.count') })}
      lines={lines}
      xLabel={say('memory.time', { unit: 's' })}
      yLabel={sign}
      height={180}
      busy={busy}
      xText={(x) => `${countText(x, locale)} s`}
      yText={(y) => `${countText(y, locale)} ${sign}`}
    />
  );
}
