import { Button, Empty, fullScreenKeys, Icon, tab, type Key } from '@insight-host/kit';
import { useAnswer } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import en from '../insight_graph/locales/en.json';
import zh from '../insight_graph/locales/zh-CN.json';
import type { GraphRecord } from './answers';
import { graphParts, type GraphParts } from './board';
import { AWAY } from './drawing/drawing';
import { Legend } from './drawing/legend';
import type { Scene } from './drawing/scene';
import { fit, Stage, zoomBy } from './drawing/stage';
import styles from './graph.css?inline';
import { Dialogs } from './panels/dialogs';
import { GraphPanel } from './panels/graph_panel';
import { NodePanel } from './panels/node_panel';
import { PipelinePanel } from './panels/pipeline_panel';
import { Toolbar, ZoomTools } from './panels/toolbar';
import { noticeText } from './texts';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  runs: 'one',
  board: (page) => graphParts(page),
  view: (board) => <App board={board} />,
  keys,
});

const NAMED_DUMPS = 5;

function App({ board }: { readonly board: GraphParts }): JSX.Element {
  return (
    <div class={board.screen.value ? 'kit graphs full' : 'kit graphs'} data-testid="graphs">
      <Toolbar board={board} />
      <Body board={board} />
      <Dialogs board={board} />
    </div>
  );
}

/** The drawing with its side panel, or an explanation without a graph. */
function Body({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const { explorer } = board;
  const scene = explorer.scene.value;
  const isPipeline = board.records.show.value === 'pipeline';
  const { value: pipeline, isFresh } = useAnswer(
    board.sources.pipeline.value?.key ?? null,
    () => board.sources.pipeline.value?.load() ?? Promise.reject(new Error('')),
  );
  if (board.records.failure.value !== null && !board.records.list.value) {
    return (
      <Empty title={say('failure')} text={board.records.failure.value}>
        <button type="button" data-action="retry" onClick={() => void board.records.load()}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (!board.records.list.value) return <div class="workspace" aria-busy="true" />;
  const runs =
    board.page.allRuns.value.length === 0 ? 'no_runs' : board.page.runs.value.length === 0 ? 'none_selected' : null;
  if (runs) return <Empty title={say(`empty.${runs}`)} text={say(`empty.${runs}.text`)} />;
  if (!board.sources.current.value) return <NoGraph board={board} />;
  if (isPipeline && isFresh && pipeline?.pipeline === null)
    return (
      <Empty
        title={say('empty.pipeline')}
        text={pipeline.notices.map((notice) => noticeText(board.page, notice)).join('\n') || say('empty.pipeline.text')}
      />
    );
  return (
    <div class="workspace">
      <div class={explorer.busy.value ? 'surface busy' : 'surface'}>
        {explorer.failure.value !== null && !scene ? (
          <Empty title={say('failure.graph')} text={explorer.failure.value}>
            <button type="button" data-action="retry" onClick={() => explorer.retry()}>
              {say('retry')}
            </button>
          </Empty>
        ) : !scene ? (
          <p class="loading">{say('loading')}</p>
        ) : (
          <>
            <div class="area">
              {scene.nodes.length === 0 && (
                <Empty
                  title={say('empty.drawing')}
                  text={say(board.readable.value ? 'empty.drawing.readable' : 'empty.drawing.text')}
                />
              )}
              <Stage board={board} scene={scene} />
              <ZoomTools board={board} />
            </div>
            <Status board={board} scene={scene} />
            {board.legend.value && <Legend board={board} scene={scene} />}
          </>
        )}
      </div>
      {board.panel.value && (scene || explorer.failure.value === null) && (
        <aside class="side" data-testid="panel">
          {isPipeline ? (
            <PipelinePanel board={board} id={board.looks.selected.value} />
          ) : board.looks.selected.value === null ? (
            <GraphPanel board={board} />
          ) : (
            <NodePanel board={board} id={board.looks.selected.value} />
          )}
        </aside>
      )}
    </div>
  );
}

/** How much of the graph is in sight, and what is wrong with it. */
function Status({ board, scene }: { readonly board: GraphParts; readonly scene: Scene }): JSX.Element {
  const { t: say } = board.page;
  const { nodes, edges, notices, removed } = scene.root.graph;
  const texts =
    board.records.show.value === 'pipeline'
      ? [say('status.pipeline', { count: nodes })]
      : [
          say('status.shown', { count: scene.nodes.filter(({ item }) => item.node).length }),
          say('status.open', { count: scene.frames.length }),
          say('status.nodes', { count: nodes }),
          say('status.edges', { count: edges }),
        ];
  if (scene.omitted > 0) texts.push(`${AWAY} ${scene.omitted.toLocaleString(board.page.locale.value)}`);
  return (
    <footer class="status">
      <span class="counts" data-testid="graph-status">
        {texts.join(' · ')}
      </span>
      {board.readable.value && removed > 0 && (
        <Button
          action="removed"
          text={say('removed.count', { count: removed })}
          label={say('removed.title')}
          onPress={() => (board.dialog.value = 'removed')}
        />
      )}
      {notices.length > 0 && (
        <button
          type="button"
          class="tool text warning"
          data-action="notices"
          title={say('notices.title')}
          onClick={() => (board.dialog.value = 'notices')}
        >
          <Icon name="warn" />
          {say('notices', { count: notices.length })}
        </button>
      )}
      <Button
        action="legend"
        icon={board.legend.value ? 'open' : 'closed'}
        text={say('legend')}
        label={say('legend')}
        pressed={board.legend.value}
        onPress={() => board.legend.set(!board.legend.value)}
      />
    </footer>
  );
}

/** Where the first dumps are, one a line. */
function dumpNames({ page }: GraphParts, dumps: readonly GraphRecord[]): string {
  const names = dumps.slice(0, NAMED_DUMPS).map(({ run, tag }) => `${page.nameOf(run)} · ${tag}`);
  if (dumps.length > NAMED_DUMPS) names.push(page.t('legend.more', { count: dumps.length - NAMED_DUMPS }));
  return names.join('\n');
}

/** What there is instead of a graph. */
function NoGraph({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const [missing, other] =
    board.records.show.value === 'graph' ? (['nothing', 'pipeline'] as const) : (['pipeline', 'graph'] as const);
  const dumps = board.records.dumps.value;
  if (missing === 'nothing' && dumps.length > 0) {
    return (
      <Empty title={say('empty.dumps', { count: dumps.length })} text={dumpNames(board, dumps)}>
        <button type="button" data-action="show-dumps" onClick={() => (board.dialog.value = 'precision')}>
          {say('precision.open')}
        </button>
      </Empty>
    );
  }
  const there = (other === 'graph' ? board.records.ownGraphs : board.records.ownPipelines).value.length > 0;
  return (
    <Empty title={say(`empty.${missing}`)} text={say(`empty.${missing}.text`)}>
      {there && (
        <button type="button" data-action="show-other" onClick={() => board.records.turn(other)}>
          {say(`show.${other}`)}
        </button>
      )}
    </Empty>
  );
}

/** Keys of the tab; those of the drawing itself (arrows, Enter, Escape) are the drawing's while it has the focus. */
function keys(board: GraphParts, host: HTMLElement): readonly Key[] {
  return [
    ['t', 'keys.search', () => host.querySelector<HTMLInputElement>('[data-control=search]')?.focus()],
    ['d', 'keys.drawing', () => host.querySelector<SVGElement>('svg.canvas')?.focus()],
    ['0', 'zoom.fit', () => fit(board)],
    ['+', 'zoom.in', () => zoomBy(board, 1.4)],
    ['-', 'zoom.out', () => zoomBy(board, 1 / 1.4)],
    ['o', 'keys.readable', () => board.readable.set(!board.readable.value)],
    ...fullScreenKeys(board.screen),
  ];
}
