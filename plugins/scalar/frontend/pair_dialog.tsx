import { useSignal } from '@preact/signals';
import { byName, Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import { setPair } from './board';
import type { CardDialogProps } from './card_dialog';

const MOST = 200; // tags listed at once; the filter finds the others

/** Chooses a second tag for a card, on an axis of its own. */
export function PairDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const filter = useSignal('');
  const wanted = filter.value.toLowerCase();
  const tags = [...board.tags.runsByTag.value.keys()]
    .filter((name) => name !== tag && name.toLowerCase().includes(wanted))
    .sort(byName);
  const current = board.pairs.value.get(tag) ?? null;
  const pick = (second: string | null): void => {
    setPair(board, tag, second);
    onClose();
  };
  return (
    <Dialog name="pair" title={say('pair.title')} onClose={onClose}>
      <p class="hint">{say('pair.hint', { tag: board.page.titleOf(tag) })}</p>
      <input
        type="search"
        autofocus
        aria-label={say('pair.filter')}
        placeholder={say('pair.filter')}
        value={filter.value}
        onInput={(e) => (filter.value = e.currentTarget.value)}
      />
      <ul class="choices">
        {tags.slice(0, MOST).map((name) => (
          <li key={name}>
            <button type="button" data-tag={name} aria-pressed={name === current} onClick={() => pick(name)}>
              {board.page.titleOf(name)}
            </button>
          </li>
        ))}
      </ul>
      {tags.length > MOST && <p class="hint">{say('more', { count: tags.length - MOST })}</p>}
      <div class="row end">
        {current !== null && (
          <button type="button" data-action="unpair" onClick={() => pick(null)}>
            {say('pair.remove')}
          </button>
        )}
        <button type="button" data-action="cancel" onClick={onClose}>
          {say('cancel')}
        </button>
      </div>
    </Dialog>
  );
}
