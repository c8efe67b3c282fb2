/** Says which pinned tags of a link no run has. */
import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import type { ScalarParts } from './board';

/** Nothing while runs are read, and if each pinned tag is there: in any run, not only in those selected. */
export function GonePins({ board }: { readonly board: ScalarParts }): JSX.Element | null {
  const { t: say } = board.page;
  const { pins } = board.cards;
  const isLoading = board.page.allRuns.value.some(({ loading }) => loading);
  const known = useComputed(() => {
    const { value } = board.derived.catalogue.value;
    const lists = new Set(value?.runs.map((run) => value.tagsOf(run))); // runs with equal tags share one
    return new Set([...lists].flat());
  });
  const gone = isLoading || known.value.size === 0 ? [] : pins.value.filter((tag) => !known.value.has(tag));
  if (gone.length === 0) return null;
  return (
    <p class="hint gone-pins" role="status" data-testid="gone-pins">
      <span title={gone.join('\n')}>{say('pins.gone', { count: gone.length })}</span>{' '}
      <button
        type="button"
        data-action="forget-pins"
        onClick={() => pins.set(pins.value.filter((tag) => !gone.includes(tag)))}
      >
        {say('pins.gone.forget')}
      </button>
    </p>
  );
}
