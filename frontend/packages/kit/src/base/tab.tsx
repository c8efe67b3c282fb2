import { API, type Disposer, type Plugin, type PluginContext, type RunChoice } from '@insight-host/api';
import { effect } from '@preact/signals';
import { render, type JSX } from 'preact';
import { cardCodec, type CardKey } from './card_key';
import { addKeys, type Key } from './keys';
import kitStyles from './kit.css?inline';
import { base as en } from '../locales/en.json';
import { base as zh } from '../locales/zh-CN.json';
import { Page } from './page';
import { addStyles, addStylesFirst } from './styles';

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
