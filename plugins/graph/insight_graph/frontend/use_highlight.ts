import { useMemo } from 'preact/hooks';
import { useSignal, useSignalEffect } from '@preact/signals';
import { message } from 'insight-host/kit';
import type { TraceAnswer } from './answers';
import type { GraphBoard } from './board';
import { neighbours, traced, type Highlight } from './highlight';
import type { Scene } from './scene';

/** What stands out: neighbours at once; a trace once the server has followed the edges through closed scopes. */
export function useHighlight(board: GraphBoard, scene: Scene): Highlight | null {
  const answer = useSignal<{ readonly of: string; readonly scene: Scene; readonly trace: TraceAnswer } | null>(null);
  useSignalEffect(() => {
    const { value: id } = board.selected;
    const { value: source } = board.graphSource;
    const now = board.explorer.scene.value;
    if (id === null || source === null || now === null || board.trace.value === 'near') {
      answer.value = null;
      return;
    }
    const stop = new AbortController();
    source
      .trace(id, ['', ...now.frames.map((frame) => frame.node.id)], stop.signal)
      .then((trace) => (answer.value = { of: id, scene: now, trace }))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) board.ctx.notify('error', message(error));
      });
    return () => stop.abort();
  });
  const selected = board.selected.value;
  const trace = board.trace.value;
  const found = answer.value;
  return useMemo(() => {
    if (selected === null || !scene.places.has(selected)) return null;
    if (trace !== 'near' && found?.of === selected && found.scene === scene) return traced(scene, selected, found.trace, trace);
    return neighbours(scene, selected);
  }, [scene, selected, trace, found]);
}
