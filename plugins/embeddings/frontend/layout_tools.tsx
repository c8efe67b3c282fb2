import { Button, NumberBox } from '@insight-host/kit';
import type { JSX } from 'preact';
import { MIN_DISTS, PERPLEXITIES, UMAP_NEIGHBOURS, type EmbeddingParts } from './board';

/** What t-SNE or UMAP begins with, and how far it is. */
export function LayoutTools({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const { t: say } = board.page;
  const { layouts } = board;
  const { value: progress } = layouts.progress;
  const isDone = progress !== null && progress.done === progress.steps;
  return (
    <>
      {board.method.value === 'umap' ? (
        <>
          <label class="range" title={say('umap.neighbours.hint')}>
            <span>{say('umap.neighbours')}</span>
            <NumberBox
              name="umap-neighbours"
              label={say('umap.neighbours')}
              value={board.umapNeighbours.value}
              low={UMAP_NEIGHBOURS[0]}
              high={UMAP_NEIGHBOURS[1]}
              onPick={(value) => board.umapNeighbours.set(value)}
            />
          </label>
          <label class="range" title={say('umap.distance.hint')}>
            <span>{say('umap.distance')}</span>
            <NumberBox
              name="umap-distance"
              label={say('umap.distance')}
              value={board.minDist.value}
              low={MIN_DISTS[0]}
              high={MIN_DISTS[1]}
              step={0.05}
              onPick={(value) => board.minDist.set(value)}
            />
          </label>
        </>
      ) : (
        <label class="range" title={say('tsne.perplexity.hint')}>
          <span>{say('tsne.perplexity')}</span>
          <NumberBox
            name="perplexity"
            label={say('tsne.perplexity')}
            value={board.perplexity.value}
            low={PERPLEXITIES[0]}
            high={PERPLEXITIES[1]}
            onPick={(value) => board.perplexity.set(value)}
          />
        </label>
      )}
      <span class="cluster">
        <Button
          action="layout-run"
          icon={layouts.running.value && !isDone ? 'pause' : 'play'}
          label={say(layouts.running.value ? 'layout.pause' : 'layout.continue')}
          disabled={progress === null || isDone}
          onPress={() => (layouts.running.value = !layouts.running.value)}
        />
        <Button action="layout-again" icon="back" label={say('layout.again')} onPress={() => layouts.restart()} />
      </span>
      <progress
        aria-label={say('layout.progress')}
        max={progress?.steps ?? 1}
        {...(progress ? { value: progress.done } : {})}
        data-done={isDone ? '1' : '0'}
      />
    </>
  );
}
