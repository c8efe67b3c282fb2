/** What all plugins contribute to the page, and where cards lead from their menus; loaded when the page is idle. */
import { computed, effect, signal, untracked } from '@preact/signals';
import type { CardSpec, Cell, ColumnLook, Contributed, RunColumn, ShownCard, ShownCardAction } from '@insight-host/api';
import { type MenuItem, message } from '@insight-host/kit';
import type { GuardedLook } from '../columns/cells';
import { lateTexts } from '../i18n/texts';
import { embedding as en } from '../locales/en.json';
import { embedding as zh } from '../locales/zh-CN.json';
import { importModule, type LoadModule } from '../plugin/mounted';
import { formatHash, LOOK_KEYS } from '../state/browser';
import type { CardScope, Contributing, ListedCommand, Shower, Troubles } from '../state/late';
import type { Page } from '../state/page';
import { selectionCodec } from '../state/selection';
import type { Tab } from '../state/session';
import { Contribution } from './contribution';

const words = lateTexts({ en, 'zh-CN': zh });
const CARD_TABS: readonly string[] = ['scalar']; // of a card that names none

export class AllContributions implements Contributing {
  private readonly known = signal<readonly Contribution[]>([]);
  /** In the order of the tabs. */
  private readonly loaded = computed(() => this.known.value.filter((one) => one.given.value !== null));

  constructor(
    private readonly page: Page,
    private readonly importOne: LoadModule = importModule,
  ) {
    effect(() => {
      const { value: plugins } = page.session.plugins;
      untracked(() => this.follow(plugins ?? []));
    });
    addEventListener('online', this.retry);
    document.addEventListener('visibilitychange', this.retry);
  }

  get commands(): readonly ListedCommand[] {
    return this.loaded.value.flatMap((one) =>
      (one.given.value?.commands ?? []).map((command) => ({
        owner: one.tab.name,
        label: one.text(command.text),
        isAboutView: command.about === 'view',
        run: () => one.run(command),
      })),
    );
  }

  offer(to: string, text: string): void {
    const before = new Map(this.page.url.all());
    void import('../views/way_back').then((late) => late.offer(this.page, { to, text, before }));
  }

  troublesOf(plugin: string, title: string): Troubles | null {
    const found = this.known.value.find(({ tab }) => tab.name === plugin);
    if (!found || found.troubles.value.length === 0) return null;
    const said = { title: found.say('remark', { plugin: title }), lines: found.troubles.value };
    return found.isMissing.value ? { ...said, retry: () => found.retry() } : said;
  }

  /** Loads the modules again that could not be loaded. */
  private readonly retry = (): void => {
    if (document.visibilityState === 'visible') for (const one of this.known.peek()) one.retry();
  };

  uncaught(cause: unknown, trace: string): boolean {
    const found = this.known.peek().filter(({ url }) => trace.includes(url));
    for (const one of found) one.report('module', cause);
    return found.length > 0;
  }

  lookOf(column: RunColumn): GuardedLook | null {
    const isOwn = (one: Contribution): boolean => one.tab.name === column.plugin;
    const { value: loaded } = this.loaded;
    const { title } = column;
    for (const one of [...loaded.filter(isOwn), ...loaded.filter((other) => !isOwn(other))]) {
      const look = one.guarded('column', title, (given, ctx) => {
        const found = given.columns?.(column, ctx);
        if (!['string', 'undefined'].includes(typeof found?.title)) throw new Error(one.say('malformed'));
        return found;
      });
      if (!look) continue;
      const call = <N extends 'cell' | 'order'>(
        name: N,
        value: Cell,
        run: string,
        fits: (found: unknown) => boolean,
      ): ReturnType<NonNullable<ColumnLook[N]>> | null =>
        one.guarded('column', title, () => {
          const found = look[name]?.(value, run);
          if (look[name] && !fits(found)) throw new Error(one.say('malformed'));
          return (found ?? null) as ReturnType<NonNullable<ColumnLook[N]>> | null;
        });
      return {
        title: look.title,
        cell: (value, run) =>
          call('cell', value, run, (found) => typeof found === 'string' || found instanceof Element),
        order: (value, run) => call('order', value, run, (found) => /number|string/.test(typeof found)),
      };
    }
    return null;
  }

  /** For the menus of cards: first those of the page. */
  private cardActions(scope: CardScope): readonly ShownCardAction[] {
    const ofPlugins = this.loaded.value.flatMap((one) =>
      (one.given.value?.cardActions ?? []).map((action) => ({
        id: `${one.tab.name}-${action.id}`,
        text: one.text(action.text),
        run: (card: string) => one.act(action.text, (ctx) => action.run(specOf(scope, card), ctx)),
      })),
    );
    const isFile = 'snapshot' in document.documentElement.dataset; // other pages cannot show what is in it
    return isFile ? ofPlugins : [embedding(this.page, scope), ...ofPlugins];
  }

  runActionsOf(run: string): readonly MenuItem[] {
    return this.loaded.value.flatMap((one) =>
      (one.given.value?.runActions ?? []).map((action) => ({
        action: `${one.tab.name}-${action.id}`,
        text: one.text(action.text),
        onPress: () => one.act(action.text, (ctx) => action.run(run, ctx)),
      })),
    );
  }

  shownIn(scope: Shower): Contributed {
    const { visible, signal: until } = scope;
    const { value: loaded } = this.loaded;
    void this.page.preferences.locale.value; // in another language all is asked for again
    const cards = loaded.flatMap((one) =>
      (one.given.value?.cards ?? [])
        .filter(({ tabs = CARD_TABS }) => tabs.includes(scope.name))
        .map((card): ShownCard & { readonly order: number; readonly strip: boolean } => ({
          id: `${one.url}#${card.id}`,
          plugin: one.tab.name,
          title: one.text(card.title),
          order: card.order ?? 0,
          strip: card.strip === true,
          mount: (host, failed) => one.mount(card, { host, visible, until }, failed),
        })),
    );
    cards.sort((one, other) => one.order - other.order);
    return {
      cards: cards.filter(({ strip }) => !strip),
      strips: cards.filter(({ strip }) => strip),
      cardActions: this.cardActions(scope),
      markers: (chart, show) => {
        const marking = loaded.filter((one) => one.given.peek()?.markers);
        // at once what is known: nobody waits ten seconds for marks of a plugin that is gone to go, too
        const found = new Map(marking.map((one) => [one, one.lastOf(chart)]));
        show([...found.values()].flat());
        const stops = marking.map((one) =>
          one.watch(chart, (markers) => show([...found.set(one, markers).values()].flat())),
        );
        return () => stops.forEach((stop) => stop());
      },
    };
  }

  private follow(plugins: readonly Tab[]): void {
    const before = this.known.peek();
    const after = plugins.flatMap((tab) => {
      const path = tab.loading_mechanism.contributions_path;
      if (path === undefined || !tab.enabled || tab.error) return [];
      const { href } = new URL(path, document.baseURI);
      return before.find(({ url }) => url === href) ?? new Contribution(this.page, tab, path, this.importOne);
    });
    for (const one of before) if (!after.includes(one)) one.end();
    if (after.length !== before.length || after.some((one, at) => one !== before[at])) this.known.value = after;
  }
}

const KEPT = ['runs', ...LOOK_KEYS];
const TRANSIENT = /\.full$/; // whether a card fills the screen concerns its tab only

/** A card as JSON, to keep it in a report. */
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
