import * as codecs from '../base/codecs';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CardParts } from '../base/card_parts';
import type { Contributed } from '@insight-host/api';
import { Card, type Place } from './card';
import { CardGrid } from './card_grid';
import { cardId, type CardKey } from '../base/card_key';
import type { MenuItem } from '../base/popover';
import { PluginCardBody, PluginCards } from './plugin_cards';
import { Button } from '../base/controls';
import { ToolbarLine } from '../base/toolbar';

export interface FrameProps {
  readonly board: CardParts;
  /** The tab's class, and its name for tests. */
  readonly name: string;
  /** More classes. */
  readonly look?: string;
  /** In the toolbar, behind the tag filter: what is changed often. On a phone they are in the drawer. */
  readonly tools: ComponentChildren;
  /** In a drawer that the toolbar opens: settings with words. */
  readonly display?: ComponentChildren;
  /** At the end of the toolbar: what adds something. */
  readonly actions?: ComponentChildren;
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
  display,
  actions,
  card,
  above,
  instead,
  pluginCards = true,
  children,
}: FrameProps): JSX.Element {
  return (
    <div class={`kit ${name} ${look}`.trimEnd()} data-testid={name}>
      <Strips page={board.page} />
      <ToolbarLine say={board.page.t} first={<TagFilter board={board} />} {...{ tools, display, actions }} />
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

function Strips({ page }: { readonly page: CardParts['page'] }): JSX.Element {
  const contributed = useMemo(() => page.follow(page.ctx.contributed), [page]);
  return (
    <>
      {contributed.value.strips?.map((card) => (
        <PluginCardBody key={card.id} page={page} card={card} />
      ))}
    </>
  );
}

function Added({ page }: { readonly page: CardParts['page'] }): JSX.Element {
  const [contributed, open] = useMemo(
    () => [page.follow(page.ctx.contributed), page.setting('plugins', codecs.flag(true))] as const,
    [page],
  );
  return <PluginCards page={page} cards={contributed.value.cards} open={open} />;
}

export interface ContentProps {
  readonly board: CardParts;
  /** Called when there is something to show. */
  readonly children: () => JSX.Element;
}

/**
 * The tab below its toolbar: cards, or an explanation if it is empty. The plugin's catalogue has the texts
 * `empty.nothing`, `empty.nothing.text` and `failure`.
 */
export function Content({ board, children }: ContentProps): JSX.Element {
  const { t: say } = board.page;
  const none = (why: string): JSX.Element => <Empty title={say(`empty.${why}`)} text={say(`empty.${why}.text`)} />;
  if (board.tags.failure.value && !board.tags.table.value) {
    return (
      <Empty title={say('failure')} text={board.tags.failure.value}>
        <button type="button" data-action="retry" onClick={() => board.tags.refresh()}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (!board.tags.table.value)
    return (
      <div class="cards" aria-busy="true">
        <section class="card" />
        <section class="card" />
        <section class="card" />
      </div>
    );
  if (board.page.allRuns.value.length === 0) return none('no_runs');
  if (board.page.runs.value.length === 0) return none('none_selected');
  if (board.tags.runsByTag.value.size === 0) return none('nothing');
  if (board.cards.groups.value.length === 0) {
    return (
      <Empty title={say('empty.no_match')} text={board.filter.error.value ?? board.filter.text.value}>
        <button type="button" data-action="clear-filter" onClick={() => board.filter.text.set('')}>
          {say('filter.clear')}
        </button>
      </Empty>
    );
  }
  return children();
}

export interface EmptyProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

/** A view without data says what is missing and what to do. */
export function Empty({ title, text, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty" data-testid="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}

/** The toolbar's field for a regular expression over tags, and how many match. */
export function TagFilter({ board }: { readonly board: Pick<CardParts, 'page' | 'tags' | 'filter'> }): JSX.Element {
  const { t: say } = board.page;
  const error = board.filter.error.value;
  return (
    <>
      <input
        class={error ? 'filter tag-filter bad' : 'filter tag-filter'}
        type="search"
        data-control="tag-filter"
        aria-label={say('filter.label')}
        placeholder={say('filter.label')}
        title={error ?? say('filter.hint')}
        aria-invalid={error !== null}
        value={board.filter.text.value}
        onInput={(e) => board.filter.text.set(e.currentTarget.value)}
      />
      <Button action="tag-tree" icon="tree" label={say('filter.tree')} onPress={() => board.page.ctx.browseTags()} />
      <span class={board.filter.text.value ? 'count' : 'count unseen'} data-testid="tag-count">
        {say('filter.count', {
          shown: board.filter.shown.value.length,
          count: board.tags.runsByTag.value.size,
        })}
      </span>
    </>
  );
}

export interface CardAloneProps {
  readonly board: CardParts;
  /** The tab's class. */
  readonly name: string;
  readonly card: CardKey;
  readonly content: (card: CardKey, place: Place) => JSX.Element;
  /** The dialogs that the card opens. */
  readonly children?: ComponentChildren;
}

/** A card outside of its tab: in a report, or in a page of others. It is as large as what it is in. */
export function CardAlone({ board, name, card, content, children }: CardAloneProps): JSX.Element {
  const { table } = board.tags;
  return (
    <div class={`kit alone ${name}`}>
      {table.value && !board.cards.has(card) ? (
        <Empty title={board.page.titleOf(card.tag)} text={board.page.t('card.gone')} />
      ) : (
        table.value && <Card board={board} card={card} content={content} />
      )}
      {children}
    </div>
  );
}

/** What the menu of a card offers beyond what its own plugin does. */
export function cardActions({ cardActions: actions }: Contributed, card: CardKey): readonly MenuItem[] {
  return actions.map(({ id, text, run }) => ({ action: id, text, onPress: () => run(cardId(card)) }));
}
