/** The `contributions.js` of one plugin: loaded once, and every call into it guarded. */
import { message } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { effect, signal, untracked, type ReadonlySignal as Signal } from '@preact/signals';
import {
  API,
  type CardAction,
  type Command,
  type ContributedCard,
  type Contributions,
  type Disposer,
  type MarkedChart,
  type Marker,
  type PluginContext,
  type RunAction,
} from '@insight-host/api';
import { lateTexts, pluginText, type Values } from '../i18n/texts';
import { pluginContext } from '../plugin/context';
import { disposeWith, type LoadModule, SLOW, whenSlow } from '../plugin/mounted';
import type { Page } from '../state/page';
import type { Tab } from '../state/session';
import { contributed as en } from '../locales/en.json';
import { contributed as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });
type WordKey = Parameters<typeof words>[1];

const AGAIN = 2000; // ms between two questions for the marks of a chart
const MOST_TROUBLES = 20;
const MOST_CHARTS = 200; // whose marks are remembered
const ALWAYS = signal(true); // commands, columns and marks are asked for while any tab is in front

type Part = 'module' | 'command' | 'column' | 'markers' | 'card';

const isText = (value: unknown): value is string => typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isCommand = (one: Command | null): boolean => isText(one?.text) && isFunction(one?.run);
const isAction = (one: CardAction | RunAction | null): boolean =>
  isText(one?.id) && isText(one?.text) && isFunction(one?.run);
const isNames = (names: unknown): boolean => names === undefined || (Array.isArray(names) && names.every(isText));
const isCard = (one: ContributedCard | null): boolean =>
  isText(one?.id) && isText(one?.title) && isFunction(one?.mount) && isNames(one?.tabs);
const isMarker = (one: Marker | null): boolean =>
  isText(one?.text) && (Number.isFinite(one?.step) || Number.isFinite(one?.wallTime));

export class Contribution {
  readonly given = signal<Contributions | null>(null);
  /** What failed, a line each. */
  readonly troubles = signal<readonly string[]>([]);
  readonly url: string;
  private readonly ended = new AbortController();
  /** The module could not be loaded: `retry` does it again. */
  readonly isMissing = signal(false);
  private attempt = 0;
  private readonly marks = new Map<string, readonly Marker[]>(); // the last answers, by chart
  private readonly unsaid = new Set<string>(); // lines that become troubles when the code that runs has ended
  private ctx: PluginContext | null = null;

  constructor(
    private readonly page: Page,
    readonly tab: Tab,
    path: string,
    private readonly importOne: LoadModule,
  ) {
    this.url = new URL(path, document.baseURI).href;
    void this.load();
  }

  /** Loads the module again if that failed. */
  retry(): void {
    if (!this.isMissing.peek() || this.isEnded) return;
    this.isMissing.value = false;
    this.troubles.value = [];
    this.attempt += 1;
    void this.load();
  }

  get isEnded(): boolean {
    return this.ended.signal.aborted;
  }

  end(): void {
    this.ended.abort();
  }

  say(key: WordKey, values?: Values): string {
    return words(this.page, key, values);
  }

  report(part: Part, cause: unknown, name = ''): void {
    if (this.isEnded || (cause instanceof DOMException && cause.name === 'AbortError')) return;
    const line = this.lineOf(part, cause, name);
    if (this.unsaid.has(line)) return; // a column may fail alike for each of many runs
    this.unsaid.add(line);
    console.error(cause);
    // later: it may fail while something is computed, which must not change what it depends on
    queueMicrotask(() => {
      this.unsaid.delete(line);
      const { value: before } = this.troubles;
      if (before.includes(line)) return;
      this.troubles.value = [line, ...before].slice(0, MOST_TROUBLES);
      // without a tab the page has no other place for it
      if (this.tab.tab === false) this.page.toasts.show('error', `${this.page.tabTitle(this.tab)}: ${line}`);
    });
  }

  private lineOf(part: Part, cause: unknown, name = ''): string {
    return this.say(`part.${part}`, { name, reason: message(cause) });
  }

  private lateLine(part: Part, name: string): string {
    return this.lineOf(part, new Error(this.say('late', { seconds: SLOW })), name);
  }

  /** What was late is there. */
  private arrived(part: Part, name = ''): void {
    const line = this.lateLine(part, name);
    if (this.troubles.peek().includes(line)) this.troubles.value = this.troubles.peek().filter((one) => one !== line);
  }

  /** What `call` returns for the module and its context; null if it throws. */
  guarded<T>(part: Part, name: string, call: (given: Contributions, ctx: PluginContext) => T): T | null {
    const { value: given } = this.given;
    if (!given || !this.ctx) return null;
    try {
      return call(given, this.ctx);
    } catch (cause) {
      this.report(part, cause, name);
      return null;
    }
  }

  /** A text of the plugin, in the language of the page. */
  text(key: string): string {
    return pluginText(this.given.value?.messages ?? {}, this.page.preferences.locale.value, key);
  }

  run(command: Command): void {
    this.act(command.text, (ctx) => command.run(ctx));
  }

  /** Does what users chose by the text of this key, and tells them if it fails. */
  act(text: string, work: (ctx: PluginContext) => void | Promise<void>): void {
    const name = this.text(text);
    const failed = (cause: unknown): void => {
      this.report('command', cause, name);
      this.page.toasts.show('error', this.say('part.command', { name, reason: message(cause) }));
    };
    this.guarded('command', name, async (_, ctx) => work(ctx))?.catch(failed);
  }

  /** The marks of a chart as they were last told. */
  lastOf(chart: Omit<MarkedChart, 'signal'>): readonly Marker[] {
    return this.marks.get(JSON.stringify(chart)) ?? [];
  }

  private remember(chart: Omit<MarkedChart, 'signal'>, markers: readonly Marker[]): void {
    const key = JSON.stringify(chart);
    this.marks.delete(key);
    this.marks.set(key, markers);
    const [oldest] = this.marks.keys();
    if (this.marks.size > MOST_CHARTS && oldest !== undefined) this.marks.delete(oldest);
  }

  /** Calls `show` with the marks of a chart, again when data of the plugin have changed. */
  watch(chart: Omit<MarkedChart, 'signal'>, show: (markers: readonly Marker[]) => void): Disposer {
    const ended = new AbortController();
    let [isAsking, isOutdated] = [false, false];
    const ask = async (): Promise<void> => {
      isOutdated = isAsking; // one question at a time: a slow answer is not overtaken by the next change
      if (isAsking) return;
      isAsking = true;
      const markers = await this.inTime(ended.signal, (signal) =>
        this.guarded('markers', '', (given, ctx) => given.markers?.({ ...chart, signal }, ctx)),
      );
      isAsking = false;
      if (ended.signal.aborted) return;
      this.remember(
        chart,
        this.checked('markers', markers ?? [], isMarker).map((marker) => this.leading(marker)),
      );
      show(this.lastOf(chart));
      if (isOutdated) spaced.ask();
    };
    const spaced = new Spaced(AGAIN, () => void ask());
    const stop = this.ctx?.changes.subscribe(() => spaced.ask());
    const stopOwn = this.guarded('markers', '', (given) => given.changed?.subscribe(() => spaced.ask()));
    const [tags, withUnclaimed] = [this.page.tags.of(this.tab.name), this.page.tags.of(this.tab.name, true)];
    let isFirst = true;
    // a series is in the catalogue only after its change was told; nobody asks the host for it here
    const stopTags = effect(() => {
      void [tags.table.value, withUnclaimed.table.value];
      if (!isFirst) untracked(() => spaced.ask());
      isFirst = false;
    });
    return () => {
      stop?.();
      stopOwn?.();
      stopTags();
      spaced.cancel();
      ended.abort();
    };
  }

  /** A mark whose way to elsewhere is guarded. */
  private leading(marker: Marker): Marker {
    if (!marker.open) return marker;
    return { ...marker, open: () => void this.guarded('markers', '', () => marker.open?.()) };
  }

  mount(
    card: ContributedCard,
    place: { readonly host: HTMLElement; readonly visible: Signal<boolean>; readonly until: AbortSignal },
    failed: (cause: unknown) => void,
  ): Disposer {
    const { host, visible, until } = place;
    const ended = new AbortController();
    const end = (): void => {
      ended.abort();
      host.replaceChildren();
    };
    const fail = (cause: unknown): void => {
      if (ends.aborted || (cause instanceof DOMException && cause.name === 'AbortError')) return;
      this.report('card', cause, this.text(card.title));
      end();
      failed(cause);
    };
    const ends = AbortSignal.any([ended.signal, until, this.ended.signal]);
    const waiting = new AbortController();
    const late = document.createElement('p');
    late.className = 'ih-muted';
    late.setAttribute('role', 'status');
    const waits = AbortSignal.any([ends, waiting.signal]);
    whenSlow(waits, () => {
      const title = this.text(card.title);
      late.textContent = this.lateLine('card', title);
      host.prepend(late);
      this.report('card', new Error(this.say('late', { seconds: SLOW })), title);
      disposeWith(waits, () => {
        late.remove();
        this.arrived('card', title);
      });
    });
    const inside = host.appendChild(document.createElement('div'));
    inside.dataset['plugin'] = this.tab.name; // its styles apply here, those of the tab around it do not
    inside.style.height = '100%';
    void (async () => {
      try {
        const { value: given } = this.given;
        if (given) disposeWith(ends, await card.mount(inside, this.context(given, { ends, visible }, fail)));
      } catch (cause) {
        fail(cause);
      }
      waiting.abort();
    })();
    return end;
  }

  private context(
    { messages = {} }: Contributions,
    { ends, visible }: { readonly ends: AbortSignal; readonly visible: Signal<boolean> },
    onError: (cause: unknown) => void,
  ): PluginContext {
    return pluginContext(this.page, { messages, name: this.tab.name, signal: ends, visible, onError });
  }

  private async load(): Promise<void> {
    const again = this.attempt ? `?attempt=${this.attempt}` : ''; // a browser remembers a module that failed
    const late = setTimeout(() => this.report('module', this.say('late', { seconds: SLOW })), SLOW * 1000);
    try {
      const { default: found } = await this.importOne(`${this.url}${again}`).catch((cause: unknown) => {
        this.isMissing.value = true;
        throw cause;
      });
      if (this.isEnded) return;
      this.take(found);
      this.arrived('module');
    } catch (cause) {
      this.report('module', cause);
    } finally {
      clearTimeout(late);
    }
  }

  private take(found: unknown): void {
    const given = found as Partial<Contributions> | null | undefined;
    if (typeof given !== 'object' || given === null) throw new Error(this.say('noExport'));
    if (given.apiVersion !== API)
      throw new Error(this.say('version', { found: String(given.apiVersion), known: String(API) }));
    const { commands = [], cards = [], cardActions = [], runActions = [], columns, markers, start } = given;
    if (![columns, markers, start].every((one) => one === undefined || isFunction(one)))
      throw new Error(this.say('malformed'));
    const checked: Contributions = {
      ...given,
      apiVersion: API,
      ...(columns && { columns: columns.bind(given) }),
      ...(markers && { markers: markers.bind(given) }),
      ...(start && { start: start.bind(given) }),
      commands: this.checked('command', commands, isCommand),
      cardActions: this.checked('command', cardActions, isAction),
      runActions: this.checked('command', runActions, isAction),
      cards: this.unique(this.checked('card', cards, isCard)),
    };
    this.ctx = this.context(checked, { ends: this.ended.signal, visible: ALWAYS }, (cause) =>
      this.report('module', cause),
    );
    this.given.value = checked; // last: now it is asked
    untracked(() =>
      disposeWith(this.ended.signal, this.guarded('module', '', (all, ctx) => all.start?.(ctx)) ?? undefined),
    );
  }

  /** The first card of each id; the others are reported. */
  private unique(cards: readonly ContributedCard[]): readonly ContributedCard[] {
    return cards.filter(({ id, title }, at) => {
      const isFirst = cards.findIndex((other) => other.id === id) === at;
      if (!isFirst) this.report('card', new Error(this.say('duplicate', { id })), title);
      return isFirst;
    });
  }

  /** Those of a list that are what they should be; the others are reported. */
  private checked<T>(part: Part, list: readonly T[], fits: (one: T) => boolean): readonly T[] {
    const good = Array.isArray(list) ? list.filter(fits) : [];
    if (!Array.isArray(list) || good.length < list.length) this.report(part, new Error(this.say('malformed')));
    return good;
  }

  /** What a question answers; null if it fails or takes too long. */
  private async inTime<T>(until: AbortSignal, question: (signal: AbortSignal) => T | Promise<T>): Promise<T | null> {
    const overdue = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(this.say('late', { seconds: SLOW }))), SLOW * 1000);
    });
    try {
      const answer = question(AbortSignal.any([until, overdue.signal, this.ended.signal]));
      void Promise.resolve(answer).then(
        () => this.arrived('markers'),
        () => undefined, // told below, unless it was late already
      );
      return await Promise.race([answer, late]);
    } catch (cause) {
      if (!until.aborted) this.report('markers', cause);
      overdue.abort();
      return null;
    } finally {
      clearTimeout(timer);
    }
  }
}
