import { mountLineChart, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import { useChart, valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { LandscapeParts } from './board';
import { FlatnessList } from './flatness';
import type { Described, TrainingPath } from './landscape';
import type { Item, Look } from './plan';

interface FactsPanelProps {
  readonly board: LandscapeParts;
  readonly item: Item;
  readonly look: Look;
}

/** What is known of a training, and the loss along its path. */
export function FactsPanel({ board, item, look }: FactsPanelProps): JSX.Element {
  const { t: say } = board.page;
  const rows = factRows(board, item.landscape.about).filter(([, value]) => value !== '');
  return (
    <aside class="side" data-testid="facts" aria-label={say('facts')}>
      <h4>{say('facts')}</h4>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={value}>{value}</dd>
          </div>
        ))}
      </dl>
      <FlatnessList board={board} run={item.run} id={item.landscape.about.id} />
      {item.landscape.path && (
        <>
          <h4>{say('chart')}</h4>
          <PathChart board={board} item={item} path={item.landscape.path} look={look} />
        </>
      )}
    </aside>
  );
}

function number(value: unknown): string {
  return typeof value === 'number' ? valueText(value) : typeof value === 'string' ? value : '';
}

function factRows(
  board: LandscapeParts,
  { facts, decomposition, unit, step_per_epoch, size, convergence, notes }: Described,
): readonly (readonly [string, string])[] {
  const { t: say } = board.page;
  const share = notes['share_of_path'];
  return [
    [say('facts.network'), facts.network ?? ''],
    [say('facts.optimizer'), facts.optimizer ?? ''],
    [say('facts.learning_rate'), number(facts.learning_rate)],
    [say('facts.train_loss'), number(facts.loss)],
    ...Object.entries(facts.metric).map(([name, value]) => [name, number(value)] as const),
    [say('facts.decomposition'), decomposition],
    [say('facts.resolution'), size ? `${size[0]} × ${size[1]}` : ''],
    [say('facts.unit'), unit === 'epoch' || unit === 'step' ? say(`unit.${unit}`) : (unit ?? '')],
    [say('facts.step_per_epoch'), step_per_epoch > 0 ? String(step_per_epoch) : ''],
    [say('facts.convergence'), convergence ? number(convergence[2]) : ''],
    [say('facts.share'), typeof share === 'number' ? `${(100 * share).toFixed(1)} %` : ''],
  ];
}

function PathChart({ board, item, path, look }: FactsPanelProps & { readonly path: TrainingPath }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const { about } = item.landscape;
  const index = Math.min(Math.floor(board.chosen.player.progress.value), path.at.length - 1);
  const label = board.page.t('loss');
  const { color } = look.path;
  const lines = useMemo(() => [{ id: 'loss', label, color, x: path.at, y: path.z }], [label, color, path]);
  const props: LineChartProps = {
    lines,
    xKind: 'step',
    logY: look.scale.log,
    xLabel: board.page.t(about.unit === 'step' ? 'unit.step' : 'unit.epoch'),
    yLabel: label,
    title: board.page.t('chart'),
    cursorX: path.at[index] ?? null,
    theme: board.page.theme.value,
    locale: board.page.locale.value,
    description: board.page.t('chart.description', { count: path.at.length }),
    onClick: ({ nearest }) => nearest[0] && board.chosen.player.seek(nearest[0].index),
  };
  useChart(mountLineChart, props, host, chart);
  return <div class="chart" ref={host} data-testid="path-chart" />;
}
