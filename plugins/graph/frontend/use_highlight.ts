import { useEffect, useMemo } from 'preact/hooks';
import type { GraphParts } from './board';
import { neighbours, traced, type Highlight } from './highlight';
import type { Scene } from './scene';
import { useAnswer } from './use_answer';

/** What stands out: neighbours at once; a trace once the server has followed the edges through closed scopes. */
export function useHighlight(board: GraphParts, scene: Scene): Highlight | null {
  const selected = board.looks.selected.value;
  const trace = board.looks.trace.value;
  const source = board.sources.graph.value;
  const scopes = useMemo(() => ['', ...scene.frames.map((frame) => frame.node.id)], [scene]);
  // while another drawing is on its way, its scopes are not yet those that are known here
  const key =
    selected !== null && source && trace !== 'near' && !board.explorer.busy.value
      ? JSON.stringify([source.shape, selected, scopes])
      : null;
  const found = useAnswer(
    key,
    (signal) => source?.trace(selected ?? '', scopes, signal) ?? Promise.reject(new Error()),
  );
  useEffect(() => {
    if (found.error !== null) board.page.ctx.notify('error', found.error);
  }, [found.error]);
  return useMemo(() => {
    if (selected === null || !scene.places.has(selected)) return null;
    return trace !== 'near' && found.value && found.key === key
      ? traced(scene, selected, found.value, trace)
      : neighbours(scene, selected);
  }, [scene, selected, trace, found]);
}
