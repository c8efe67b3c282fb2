import { useSignal } from '@preact/signals';
import type { ShownCard } from '@insight-host/api';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { FailureCell } from './error_cell';
import { Icon } from '../base/icons';
import { message } from '../base/texts';
import type { Page, Setting } from '../base/page';

export interface PluginCardsProps {
  readonly page: Page;
  /** Of `ctx.contributed`. */
  readonly cards: readonly ShownCard[];
  /** Whether the section is unfolded. */
  readonly open: Setting<boolean>;
}

/** Cards that plugins add to a tab, in a section of their own; nothing without cards. A `Frame` has it already. */
export function PluginCards({ page, cards, open }: PluginCardsProps): JSX.Element | null {
  const isOpen = open.value;
  const title = page.t('plugins.title');
  if (cards.length === 0) return null;
  return (
    <section class="group plugin-cards" aria-label={title}>
      <h2>
        <button type="button" aria-expanded={isOpen} data-action="plugin-cards" onClick={() => open.set(!isOpen)}>
          <Icon name={isOpen ? 'open' : 'closed'} />
          <span class="name">{title}</span>
          <span class="count">{cards.length}</span>
        </button>
      </h2>
      {isOpen && (
        <div class="cards">
          {cards.map((card) => (
            <section
              key={card.id}
              class="card"
              data-testid="plugin-card"
              data-from={card.plugin}
              aria-label={card.title}
            >
              <header>
                <h3 title={card.title}>{card.title}</h3>
              </header>
              <PluginCardBody page={page} card={card} />
            </section>
          ))}
        </div>
      )}
    </section>
  );
}

export interface PluginCardBodyProps {
  readonly page: Page;
  readonly card: ShownCard;
}

/** What a plugin shows in its card, or why it does not. */
export function PluginCardBody({ page, card }: PluginCardBodyProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const failure = useSignal<string | null>(null);
  const attempt = useSignal(0);
  useEffect(() => {
    failure.value = null;
    return host.current ? card.mount(host.current, (cause) => (failure.value = message(cause))) : undefined;
  }, [attempt.value]);
  return (
    <>
      <div class="added" ref={host} hidden={failure.value !== null} />
      {failure.value !== null && (
        <FailureCell
          page={page}
          title="card.failed"
          where={[card.plugin]}
          reason={failure.value}
          onRetry={() => (attempt.value += 1)}
        />
      )}
    </>
  );
}
