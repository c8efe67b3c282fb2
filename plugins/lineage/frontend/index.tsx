import { drag, Empty, tab, type Key } from '@insight-host/kit';
import { runTexts } from '@insight-host/kit/runs';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import en from '../insight_lineage/locales/en.json';
import zh from '../insight_lineage/locales/zh-CN.json';
import { Analysis } from './analysis/analysis';
import { lineageParts, type LineageParts } from './board';
import { Chooser } from './columns_dialog';
import { Diff } from './diff';
import styles from './lineage.css?inline';
import { Parallel } from './parallel/parallel';
import { PipelineDialog } from './pipeline_dialog';
import { Filters } from './saved_entries';
import { Problems, Status } from './status';
import { RunsTable } from './table';
import { diffOf, Toolbar } from './toolbar';

export default tab({
  messages: { en: { ...runTexts.en, ...en }, 'zh-CN': { ...runTexts['zh-CN'], ...zh } },
  styles,
  board: lineageParts,
  view: (board) => <App board={board} />,
  keys,
});

const [LOWEST, HIGHEST] = [160, 900];

function App({ board }: { readonly board: LineageParts }): JSX.Element {
  return (
    <div class="kit lineage" data-testid="lineage">
      <Toolbar board={board} />
      <Body board={board} />
      <Dialogs board={board} />
    </div>
  );
}

function Body({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const height = useSignal(clamped(board.page.ctx.memory.get('plot-height', 300)));
  const { value: frame } = board.frame;
  if (!frame && board.loading.failure.value) {
    return (
      <Empty title={say('failure')} text={board.loading.failure.value}>
        <button type="button" data-action="retry" onClick={() => void board.loading.load()}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (!frame) return <div class="waiting" aria-busy="true" />;
  if (frame.rows === 0) return <Empty title={say('empty.no_runs')} text={say('empty.no_runs.text')} />;
  const setHeight = (to: number): void => {
    height.value = clamped(to);
    board.page.ctx.memory.set('plot-height', height.value);
  };
  return (
    <div class="workspace">
      <div class={board.loading.busy.value ? 'main busy' : 'main'}>
        {board.plot.value && (
          <>
            <Parallel board={board} height={height.value} />
            <Divider label={say('plot.height')} value={height.value} onMove={setHeight} />
          </>
        )}
        <Status board={board} />
        {board.rows.shown.value.length === 0 && (
          <p class="nothing" data-testid="no-rows">
            {say('empty.no_match')}
          </p>
        )}
        <RunsTable board={board} />
      </div>
      {board.analysis.value && <Analysis board={board} />}
    </div>
  );
}

const clamped = (height: number): number => Math.round(Math.max(LOWEST, Math.min(HIGHEST, height || 0)));

/** Between plot and table: a drag, or arrow keys, make the one higher and the other lower. */
function Divider({
  label,
  value,
  onMove,
}: {
  readonly label: string;
  readonly value: number;
  readonly onMove: (to: number) => void;
}): JSX.Element {
  return (
    <div
      class="divider"
      role="separator"
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={LOWEST}
      aria-valuemax={HIGHEST}
      tabIndex={0}
      onPointerDown={(event) => {
        drag(event, { move: ({ clientY }) => onMove(value + clientY - event.clientY), cancel: () => onMove(value) });
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowUp') onMove(value - 20);
        else if (event.key === 'ArrowDown') onMove(value + 20);
        else return;
        event.preventDefault();
      }}
    />
  );
}

function Dialogs({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const { value: dialog } = board.dialog;
  const compared = board.diff.value.filter((run) => board.frame.value?.rowOf.has(run)); // a link may name others, too
  if (compared.length > 1) return <Diff board={board} runs={compared} />;
  if (dialog === 'columns') return <Chooser board={board} />;
  if (dialog === 'filters') return <Filters board={board} />;
  if (dialog === 'problems') return <Problems board={board} />;
  if (!dialog) return null;
  return <PipelineDialog board={board} run={dialog.pipeline} />;
}

function keys(board: LineageParts): readonly Key[] {
  return [
    ['v', 'keys.view', () => board.columns.view.set(board.columns.view.value === 'model' ? 'data' : 'model', 'push')],
    ['c', 'columns.title', () => (board.dialog.value = 'columns')],
    ['p', 'plot.hint', () => board.plot.set(!board.plot.value)],
    ['a', 'analysis.hint', () => board.analysis.set(!board.analysis.value)],
    ['d', 'keys.diff', () => diffOf(board)?.()],
    ['0', 'brushes.clear', () => board.brushing.clear()],
  ];
}
