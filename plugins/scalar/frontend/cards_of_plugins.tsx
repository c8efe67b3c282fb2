import type { ShownCard } from '@insight-host/api';
import { PluginCards } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarParts } from './board';

/** Names the card of a plugin as a kind of panel, also after the plugin was built again. */
export function kindOf({ plugin, id }: Pick<ShownCard, 'plugin' | 'id'>): string {
  return `${plugin}${id.slice(id.lastIndexOf('#'))}`;
}

/** The cards that plugins add to this tab, but for those that the user made panels. */
export function CardsOfPlugins({ board }: { readonly board: ScalarParts }): JSX.Element {
  const own = new Set(board.panels.own.value.map(({ kind }) => kind));
  const cards = board.contributed.value.cards.filter((card) => !own.has(kindOf(card)));
  return <PluginCards page={board.page} cards={cards} open={board.pluginCards} />;
}
