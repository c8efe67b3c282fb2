/** The page's own entry in the menus of cards: HTML that shows the card in another page. */
import type { ShownCardAction } from '@insight-host/api';
import { message } from '@insight-host/kit';
import type { Page } from '../state/page';
import { addressOf, type CardScope, specOf } from './cards';
import { words } from './words';

export function embedding(page: Page, scope: CardScope): ShownCardAction {
  const copy = async (card: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(codeOf(addressOf(specOf(scope, card)), words(page, 'title', { card })));
      page.toasts.show('info', words(page, 'embedded'));
    } catch (cause) {
      page.toasts.show('error', words(page, 'embed.refused', { reason: message(cause) }));
    }
  };
  return { id: 'embed', text: words(page, 'embed'), run: (card) => void copy(card) };
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function codeOf(address: string, title: string): string {
  return (
    `<iframe src="${escaped(address)}" title="${escaped(title)}" width="640" height="360" loading="lazy" ` +
    `style="border:0"></iframe>`
  );
}
