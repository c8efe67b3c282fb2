/** Describes cards as JSON, to keep them in reports, as addresses, to link to them, and as HTML for pages of others. */
import type { CardSpec, ShownCardAction } from '@insight-host/api';
import { message } from '@insight-host/kit';
import { formatHash, LOOK_KEYS } from '../state/browser';
import type { CardScope } from '../state/late';
import type { Page } from '../state/page';
import { selectionCodec } from '../state/selection';
import { lateTexts } from '../i18n/texts';
import { embedding as en } from '../locales/en.json';
import { embedding as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

const KEPT = ['runs', ...LOOK_KEYS];
const TRANSIENT = /\.full$/; // whether a card fills the screen concerns its tab only

export function specOf({ name, url, runs }: CardScope, card: string): CardSpec {
  const own = [...url.all()].filter(([key]) => KEPT.includes(key) || key.startsWith(`${name}.`));
  const state = Object.fromEntries(own.filter(([key]) => !TRANSIENT.test(key)));
  if (runs.filterText.value === '') return { plugin: name, card, state };
  // only the run list evaluates a filter: the card keeps its outcome
  const names = runs.selected.value.map((run) => run.name);
  return { plugin: name, card, state: { ...state, runs: selectionCodec.format({ kind: 'list', names }) ?? '' } };
}

/** The address of a page that shows the card alone. */
export function addressOf({ plugin, card, state }: CardSpec): string {
  return new URL(formatHash(new Map(Object.entries({ ...state, tab: plugin, embed: card }))), document.baseURI).href;
}

/** The page's own entry in the menus of cards: HTML that shows the card in another page. */
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
