import { useSignal } from '@preact/signals';
import type { ShownCard } from '@insight-host/api';
import { Icon, message } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ScalarParts } from './board';

/** Names the card of a plugin as a kind of panel, also after the plugin was built again. */
export function kindOf({ plugin, id }: Pick<ShownCard, 'plugin' | 'id'>): string {
  return `${plugin}${id.slice(id.lastIndexOf('#'))}`;
}

/** Cards that plugins add to this tab, in a section of their own, but for those that the user made panels. */
export function PluginCards({ board }: { readonly board: ScalarParts }): JSX.Element | null {
  const own = new Set(board.panels.own.value.map(({ kind }) => kind));
  const cards = board.contributed.value.cards.filter((card) => !own.has(kindOf(card))); // others are panels
  const isOpen = board.pluginCards.value;
  const title = board.page.t('plugins.title');
  if (cards.length === 0) return null;
  return (
    <section class="group plugin-cards" aria-label={title}>
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          data-action="plugin-cards"
          onClick={() => board.pluginCards.set(!isOpen)}
        >
          <Icon name={isOpen ? 'open' : 'closed'} />
          <span class="name">{title}</span>
          <span class="count">{cards.length}</span>
        </button>
      </h2>
      {isOpen && (
        <div class="cards">
          {cards.map((card) => (
            <PluginCard key={card.id} board={board} card={card} />
          ))}
        </div>
      )}
    </section>
  );
}

function PluginCard({ board, card }: { readonly board: ScalarParts; readonly card: ShownCard }): JSX.Element {
  return (
    <section class="card" data-testid="plugin-card" data-from={card.plugin} aria-label={card.title}>
      <header>
        <h3 title={card.title}>{card.title}</h3>
      </header>
      <Mounted board={board} card={card} />
    </section>
  );
}

/** What a plugin shows in its card, or why it does not. */
export function Mounted({ board, card }: { readonly board: ScalarParts; readonly card: ShownCard }): JSX.Element {
  const { t: say } = board.page;
  const host = useRef<HTMLDivElement>(null);
  const failure = useSignal<string | null>(null);
  const attempt = useSignal(0);
  useEffect(() => {
    failure.value = null;
    return host.current ? card.mount(host.current, (cause) => (failure.value = message(cause))) : undefined;
  }, [attempt.value]);
  return (
    <>
      <div class="view" ref={host} hidden={failure.value !== null} />
      {failure.value !== null && (
        <div class="error-cell" role="alert">
          <Icon name="warn" />
          <strong>{say('plugins.failed', { plugin: card.plugin })}</strong>
          <span class="reason">{failure.value}</span>
          <button type="button" data-action="retry" onClick={() => (attempt.value += 1)}>
            {say('retry')}
          </button>
        </div>
      )}
    </>
  );
}
