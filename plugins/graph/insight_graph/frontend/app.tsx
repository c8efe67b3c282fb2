import { Empty } from 'insight-host/kit';
import type { JSX } from 'preact';
import type { GraphBoard } from './board';
import { Dialogs } from './dialogs';
import { AWAY } from './drawing';
import { GraphPanel } from './graph_panel';
import { Legend } from './legend';
import { NodePanel } from './node_panel';
import { PipelinePanel } from './pipeline_panel';
import { Stage } from './stage';
import { Toolbar, ZoomTools } from './toolbar';
import { useAnswer } from './use_answer';

export function App({ board }: { readonly board: GraphBoard }): JSX.Element {
  return (
    <div class={board.screen.value ? 'kit graphs full' : 'kit graphs'} data-testid="graphs">
      <Toolbar board={board} />
      <Body board={board} />
      <Dialogs board={board} />
    </div>
  );
}

/** The drawing with what is known of it at its side, or why there is none. */
function Body({ board }: { readonly board: GraphBoard }): JSX.Element {
  const say = board.t.bind(board);
  const { explorer } = board;
  const scene = explorer.scene.value;
  const isPipeline = board.show.value === 'pipeline';
  const { value: pipeline } = useAnswer(board.pipelineSource.value?.key ?? null, () => board.pipelineSource.value?.load() ?? Promise.reject(new Error('')));
  if (board.listFailure.value !== null && !board.list.value) {
    return (
      <Empty title={say('failure')} text={board.listFailure.value}>
        <button type="button" data-action="retry" onClick={() => void board.loadList()}>{say('retry')}</button>
      </Empty>
    );
  }
  if (!board.list.value) return <div class="workspace" aria-busy="true" />;
  const runs = board.allRuns.value.length === 0 ? 'no_runs' : board.runs.value.length === 0 ? 'none_selected' : null;
  if (runs) return <Empty title={say(`empty.${runs}`)} text={say(`empty.${runs}.text`)} />;
  if (!board.source.value) return <NoGraph board={board} />;
  if (isPipeline && pipeline?.pipeline === null) return <Empty title={say('empty.pipeline')} text={pipeline.notices.map(({ text }) => text).join('\n') || say('empty.pipeline.text')} />;
  return (
    <div class="workspace">
      <div class={explorer.busy.value ? 'surface busy' : 'surface'}>
        {explorer.failure.value !== null && !scene ? (
          <Empty title={say('failure.graph')} text={explorer.failure.value}>
            <button type="button" data-action="retry" onClick={() => explorer.retry()}>{say('retry')}</button>
          </Empty>
        ) : !scene ? (
          <p class="loading">{say('loading')}</p>
        ) : (
          <>
            {scene.nodes.length === 0 && <Empty title={say('empty.drawing')} text={say(board.readable.value ? 'empty.drawing.readable' : 'empty.drawing.text')} />}
            <Stage board={board} scene={scene} />
            <ZoomTools board={board} />
            <Legend board={board} scene={scene} />
            <footer class="counts" data-testid="graph-status">
              <Status board={board} />
            </footer>
          </>
        )}
      </div>
      {board.panel.value && <aside class="side" data-testid="panel">{isPipeline ? <PipelinePanel board={board} id={board.selected.value} /> : board.selected.value === null ? <GraphPanel board={board} /> : <NodePanel board={board} id={board.selected.value} />}</aside>}
    </div>
  );
}

/** How much of the graph is in sight. */
function Status({ board }: { readonly board: GraphBoard }): JSX.Element | null {
  const scene = board.explorer.scene.value;
  if (!scene) return null;
  const { nodes, edges } = scene.root.graph;
  const number = (value: number): string => value.toLocaleString(board.locale.value);
  const away = scene.omitted > 0 ? ` · ${AWAY} ${scene.omitted.toLocaleString(board.locale.value)}` : '';
  return <>{board.t(board.show.value === 'pipeline' ? 'status.pipeline' : 'status', { shown: scene.nodes.filter(({ item }) => item.node).length, frames: scene.frames.length, nodes: number(nodes), edges: number(edges) }) + away}</>;
}

function NoGraph({ board }: { readonly board: GraphBoard }): JSX.Element {
  const say = board.t.bind(board);
  const [missing, other] = board.show.value === 'graph' ? (['nothing', 'pipeline'] as const) : (['pipeline', 'graph'] as const);
  const there = (other === 'graph' ? board.graphs : board.pipelines).value.length > 0;
  return (
    <Empty title={say(`empty.${missing}`)} text={say(`empty.${missing}.text`)}>
      {there && <button type="button" data-action="show-other" onClick={() => board.show.set(other, 'push')}>{say(`show.${other}`)}</button>}
    </Empty>
  );
}
