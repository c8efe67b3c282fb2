import { API, type Disposer, type Plugin, type PluginContext, type RunChoice } from '@insight-host/api';
import { effect } from '@preact/signals';
import { render, type JSX } from 'preact';
import { cardCodec, type CardKey } from './card_key';
import { addKeys, type Key } from './keys';
import kitStyles from './kit.css?inline';
import { base as en } from '../locales/en.json';
import { base as zh } from '../locales/zh-CN.json';
import { Page } from './page';

type Catalogue = Readonly<Record<string, string>>;

export interface TabProps<B> {
  /** Texts by locale; those of the kit are there already, and give way. */
  readonly messages: Readonly<Record<'en' | 'zh-CN', Catalogue>>;
  /** CSS text; it applies in this tab only, see `addStyles`. */
  readonly styles: string;
  /**
   * `one`: it is about one run of which the plugin has series, and which the run panel chooses: `page.oneOf`. Else what
   * the panel offers now, as `ctx.runs.offer` takes it.
   */
  readonly runs?: 'one' | ((board: B) => RunChoice | null);
  /** The parts of the tab; what they start ends with `page`. */
  readonly board: (page: Page) => B;
  readonly view: (board: B) => JSX.Element;
  /** One card alone, a `CardAlone`, for reports and the pages of others. */
  readonly card?: (board: B, card: CardKey) => JSX.Element;
  /** All keys of the tab, as the keyboard help and the palette list them; `boardKeys` are those of every board. */
  readonly keys: (board: B, host: HTMLElement) => readonly Key[];
}

/** Creates a plugin whose tab is a board of cards or another component that follows the page. */
export function tab<B>({ messages, styles, runs, board: make, view, card, keys }: TabProps<B>): Plugin {
  const open = (host: HTMLElement, ctx: PluginContext, draw: (board: B) => JSX.Element, isTab: boolean): Disposer => {
    const removeKit = addStylesFirst(kitStyles); // they have no scope
    const removeStyles = addStyles(ctx, styles);
    if (isTab && runs === 'one') ctx.runs.offer({});
    const page = new Page(ctx);
    const board = make(page);
    if (isTab && typeof runs === 'function') page.until(effect(() => ctx.runs.offer(runs(board))));
    const stopKeys = isTab ? addKeys(ctx, keys(board, host)) : undefined;
    render(draw(board), host);
    return () => {
      stopKeys?.();
      render(null, host);
      page.dispose();
      removeStyles();
      removeKit();
    };
  };
  return {
    apiVersion: API,
    messages: { en: { ...en, ...messages.en }, 'zh-CN': { ...zh, ...messages['zh-CN'] } },
    mount: (host, ctx) => open(host, ctx, view, true),
    ...(card && {
      renderCard: (host: HTMLElement, ctx: PluginContext, name: string) => {
        const key = cardCodec.parse(name);
        if (!key) throw new Error(ctx.t('card.unknown'));
        return open(host, ctx, (board) => card(board, key), false);
      },
    }),
  };
}

const sheets = new Map<string, { readonly sheet: CSSStyleSheet; readonly users: Set<Disposer> }>(); // by CSS text

/**
 * Adds CSS that applies within the plugin's own elements only, until the function that it returns is called. The
 * element around them is `:scope`: a rule for one theme is `:root[data-theme='dark'] :scope .name { … }`.
 */
export function addStyles({ name }: Pick<PluginContext, 'name'>, css: string): Disposer {
  // not into what another plugin shows within
  return adopt(`@scope ([data-plugin="${name}"]) to ([data-plugin]) {${css}\n}`);
}

/** Adds CSS before all other: rules of a tab win against rules of the same weight. */
export function addStylesFirst(css: string): Disposer {
  return adopt(css, true);
}

/** The page has one sheet of each text, however many cards and tables need it. */
function adopt(css: string, isFirst = false): Disposer {
  const before = sheets.get(css);
  const own = before ?? { sheet: new CSSStyleSheet(), users: new Set() };
  const end = (): void => {
    if (!own.users.delete(end) || own.users.size > 0) return;
    sheets.delete(css);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== own.sheet);
  };
  own.users.add(end);
  if (before) return end;
  sheets.set(css, own);
  own.sheet.replaceSync(css);
  document.adoptedStyleSheets[isFirst ? 'unshift' : 'push'](own.sheet);
  return end;
}
