import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CardParts } from '../base/card_parts';
import type { Place } from './card';
import { CardGrid } from './card_grid';
import * as codecs from '../base/codecs';
import type { CardKey } from '../base/card_key';
import { Content } from './content';
import { PluginCards } from './plugin_cards';
import { TagFilter } from './tag_filter';

export interface FrameProps {
  readonly board: CardParts;
  /** The tab's class, and its name for tests. */
  readonly name: string;
  /** More classes. */
  readonly look?: string;
  /** In the toolbar, behind the tag filter. */
  readonly tools: ComponentChildren;
  /** What is in a card; see `CardGrid`. */
  readonly card: (card: CardKey, place: Place) => JSX.Element;
  /** Above the cards, and scrolled with them. */
  readonly above?: JSX.Element;
  /** In the place of all cards. */
  readonly instead?: JSX.Element | false;
  /** False: the tab itself has `PluginCards` in another place. */
  readonly pluginCards?: boolean;
  /** Above all. */
  readonly children?: ComponentChildren;
}

/** A whole tab: its toolbar, cards that plugins add, and its grouped cards or an explanation if it is empty. */
export function Frame({
  board,
  name,
  look = '',
  tools,
  card,
  above,
  instead,
  pluginCards = true,
  children,
}: FrameProps): JSX.Element {
  return (
    <div class={`kit ${name} ${look}`.trimEnd()} data-testid={name}>
      <div class="toolbar" role="toolbar" aria-label={board.page.t('toolbar')}>
        <TagFilter board={board} />
        {tools}
      </div>
      {pluginCards && <Added page={board.page} />}
      <Content board={board}>
        {() =>
          instead || (
            <>
              {above}
              <CardGrid board={board} look={look} card={card} />
            </>
          )
        }
      </Content>
      {children}
    </div>
  );
}

function Added({ page }: { readonly page: CardParts['page'] }): JSX.Element {
  const [contributed, open] = useMemo(
    () => [page.follow(page.ctx.contributed), page.setting('plugins', codecs.flag(true))] as const,
    [page],
  );
  return <PluginCards page={page} cards={contributed.value.cards} open={open} />;
}
