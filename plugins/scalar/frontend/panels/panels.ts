/** Panels: cards that users put together, kept as one value of the view in the URL. */
import type { Codec, ShownCard } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { computed, effect, signal, untracked, type Signal } from '@preact/signals';
import { moved } from '../card/arrangement';
import { chosenTags, metricTitle } from './choice';

/** A band around a tag: two more tags are its edges. */
export interface Margin {
  readonly value: string;
  readonly lower: string;
  readonly upper: string;
}

/** One panel. What its kind does not know is kept as it is. */
export interface Panel {
  readonly id: string;
  /** Which of the kinds shows it. */
  readonly kind: string;
  readonly title?: string;
  /** Twelfths of the width of the board. */
  readonly width?: number;
  /** In CSS pixels. */
  readonly height?: number;
  /** Tags by name. */
  readonly tags?: readonly string[];
  /** Tags that a regular expression matches. */
  readonly regex?: string;
  readonly margins?: readonly Margin[];
  /** What is shown of a metric of each run: `last/loss`, `min/loss`, `max/loss`, or a column, `column/lineage/lr`. */
  readonly x?: string;
  readonly y?: string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  /** Markdown of a note. */
  readonly text?: string;
}

/** A panel that has not been added yet. */
export type Draft = Omit<Panel, 'id'>;

export interface PanelLayer {
  readonly tag: string;
  readonly axis: 'left' | 'right';
  /** Not a line of its own, but an edge of the band around the line of another tag, or its error bars. */
  readonly edge?: { readonly of: string; readonly side: 'low' | 'high' | 'error'; readonly bars?: boolean };
}

export const COLUMNS = 12;
export const HEIGHT = { least: 120, most: 1600, step: 20, usual: 280 } as const;
export const MOST_TAGS = 50; // of a panel: more lines than that nobody tells apart
const MOST_PANELS = 200;
const MARK = '\u0000'; // no tag of a log begins with it

/** The key of a panel where cards are known by their tags. */
export const keyOf = ({ id }: Pick<Panel, 'id'>): string => MARK + id;
export const isPanelKey = (tag: string): boolean => tag.startsWith(MARK);

/** Names the card of a plugin as a kind of panel, also after the plugin was built again. */
export function kindOfCard({ plugin, id }: Pick<ShownCard, 'plugin' | 'id'>): string {
  return `${plugin}${id.slice(id.lastIndexOf('#'))}`;
}

// JSON whose quotes and braces are signs that a URL does not escape, and the other way round.
const PAIRS = [`"'`, '{(', '})'];
const SWAPPED = new Map(PAIRS.flatMap((pair) => [[pair[0], pair[1]] as const, [pair[1], pair[0]] as const]));
const swapped = (text: string): string => text.replace(/["'{}()]/g, (sign) => SWAPPED.get(sign) ?? sign);

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const within = (value: unknown, low: number, high: number): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(high, Math.max(low, Math.round(value))) : undefined;
const isMargin = (one: Partial<Margin> | null): one is Margin =>
  isText(one?.value) && isText(one?.lower) && isText(one?.upper);

/** A panel of what was read, with only what fits; null without a kind. */
export function panelOf(read: unknown): Draft | null {
  if (typeof read !== 'object' || read === null) return null;
  const given = read as Record<string, unknown>;
  if (!isText(given['kind'])) return null;
  const texts = ['title', 'regex', 'x', 'y', 'text'].filter((name) => isText(given[name]) && given[name] !== '');
  const flags = ['logX', 'logY'].filter((name) => given[name] === true);
  const { tags, margins } = given;
  const [width, height] = [within(given['width'], 1, COLUMNS), within(given['height'], HEIGHT.least, HEIGHT.most)];
  return {
    kind: given['kind'],
    ...Object.fromEntries([...texts, ...flags].map((name) => [name, given[name]])),
    ...(isTexts(tags) && tags.length > 0 ? { tags } : {}),
    ...(Array.isArray(margins) && margins.every(isMargin) && margins.length > 0 ? { margins } : {}),
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  };
}

/** A list of panels as a text that is short and readable in a URL; what is malformed is left out. */
export const panelsCodec: Codec<readonly Panel[]> = {
  parse(text) {
    const read: unknown = text ? JSON.parse(swapped(text)) : [];
    const byId = new Map<string, Panel>();
    for (const [at, one] of (Array.isArray(read) ? read : []).slice(0, MOST_PANELS).entries()) {
      const draft = panelOf(one);
      const given = (one as { readonly id?: unknown } | null)?.id;
      const id = isText(given) && given !== '' ? given : `p${at}`;
      if (draft && !byId.has(id)) byId.set(id, { id, ...draft });
    }
    return [...byId.values()];
  },
  format: (panels) => (panels.length > 0 ? swapped(JSON.stringify(panels)) : null),
  named: (panels) => ({
    tags: [...new Set(panels.flatMap(({ tags = [], margins = [] }) => [...tags, ...edgesOf(margins)]))],
  }),
};

export const edgesOf = (margins: readonly Margin[]): readonly string[] =>
  margins.flatMap(({ value, lower, upper }) => [value, lower, upper]);

/** A chart of the layout in a log. */
export interface LogPanel extends Panel {
  /** Whose layouts have it. */
  readonly runs: readonly string[];
  /** Expressions over tags as the layout has them; `regex` is all of them together. */
  readonly patterns: readonly string[];
}

/** Panels that the layout in a log describes, below one heading. */
export interface LogSection {
  readonly title: string;
  /** Folded until the user opens it. */
  readonly closed: boolean;
  readonly panels: readonly LogPanel[];
}

/** An id that no panel had: what the page keeps for a card by its id is not for the next one. */
function newId(taken: ReadonlySet<string>): string {
  const [id] = Array.from(crypto.getRandomValues(new Uint32Array(1)), (part) => `p${part.toString(36).slice(-5)}`);
  return id === undefined || taken.has(id) ? newId(taken) : id;
}

/** The panels of the board: those of the user, and those that the logs bring. */
export class Panels {
  readonly own: Setting<readonly Panel[]>;
  /** Headings that the user folded or unfolded. */
  readonly turned: Setting<readonly string[]>;
  readonly ofLogs = signal<readonly LogSection[]>([]);
  /** Of these, what the layouts of the selected runs have. */
  readonly ofSelected = computed(() => {
    const selected = new Set(this.page.runs.value.map(({ name }) => name));
    return this.ofLogs.value
      .map((one) => ({ ...one, panels: one.panels.filter(({ runs }) => runs.some((run) => selected.has(run))) }))
      .filter(({ panels }) => panels.length > 0);
  });
  private readonly byKey = computed(
    () =>
      new Map(
        [...this.own.value, ...this.ofLogs.value.flatMap(({ panels }) => panels)].map((one) => [keyOf(one), one]),
      ),
  );

  /** `keys` gets those of all panels. */
  constructor(
    private readonly page: Page,
    keys: Signal<ReadonlySet<string>>,
  ) {
    this.own = page.setting('panels', panelsCodec);
    this.turned = page.setting('turned', codecs.names);
    page.until(
      effect(() => {
        void page.locale.value;
        const { value: panels } = this.byKey;
        untracked(() => {
          keys.value = new Set(panels.keys());
          const titles = [...panels].map(([key, panel]) => [key, this.titleOf(panel)] as const);
          if (titles.length > 0) page.titles.value = new Map([...page.titles.value, ...titles]);
        });
      }),
    );
  }

  of(key: string): Panel | undefined {
    return this.byKey.value.get(key);
  }

  /** What people read for a panel: its title, or what is in it. */
  titleOf({ title, kind, tags = [], margins = [], regex, x, y }: Draft): string {
    if (title) return title;
    if (y && x) return this.page.t('panel.by', { x: metricTitle(this.page, x, x), y: metricTitle(this.page, y, y) });
    if (y) return metricTitle(this.page, y, y);
    const inside = [...tags, ...margins.map(({ value }) => value), ...(regex ? [`/${regex}/`] : [])];
    const named = `panel.kind.${kind}`;
    const known = this.page.t(named);
    return inside.join(', ') || (known === named ? kind : known); // a plugin that is not here had its own words
  }

  /** How many tags a panel leaves out. */
  hiddenTags(panel: Draft, known: Iterable<string>): number {
    return Math.max(0, chosenTags(panel, known).length - MOST_TAGS);
  }

  /** The layers of a panel of lines, of the tags that there are. */
  layersOf({ margins = [], ...panel }: Draft, known: Iterable<string>): readonly PanelLayer[] {
    const lines = chosenTags(panel, known).slice(0, MOST_TAGS);
    return [
      ...[...new Set([...margins.map(({ value }) => value), ...lines])].map((tag) => ({ tag, axis: 'left' as const })),
      ...margins.flatMap(({ value, lower, upper }) => [
        { tag: lower, axis: 'left' as const, edge: { of: value, side: 'low' as const } },
        { tag: upper, axis: 'left' as const, edge: { of: value, side: 'high' as const } },
      ]),
    ];
  }

  /** Adds panels at the end, as many as a view holds, and tells the user how many it does not; returns the first. */
  add(...drafts: readonly Draft[]): Panel | undefined {
    const taken = new Set(this.own.value.map(({ id }) => id));
    const room = Math.max(0, MOST_PANELS - this.own.value.length);
    if (drafts.length > room)
      this.page.ctx.notify('warn', this.page.t('panel.most', { count: drafts.length - room, most: MOST_PANELS }));
    const added = drafts.slice(0, room).map((draft) => {
      const id = newId(taken);
      taken.add(id);
      return { ...panelOf(draft), kind: draft.kind, id };
    });
    if (added.length > 0) this.own.set([...this.own.value, ...added], 'push');
    return added[0];
  }

  /** Puts a draft in the place of a panel. */
  change(id: string, draft: Draft): void {
    this.own.set(
      this.own.value.map((one) => (one.id === id ? { id, kind: draft.kind, ...panelOf(draft) } : one)),
      'push',
    );
  }

  /** A size makes no history: Back would undo each key of many. */
  resize(id: string, size: Pick<Panel, 'width' | 'height'>): void {
    this.own.set(this.own.value.map((one) => (one.id === id ? { ...one, ...size } : one)));
  }

  remove(id: string): void {
    this.own.set(
      this.own.value.filter((one) => one.id !== id),
      'push',
    );
  }

  /** Puts a panel to this place among the others. */
  move(id: string, to: number): void {
    const one = this.own.value.find((panel) => panel.id === id);
    if (one) this.own.set(moved(this.own.value, one, to));
  }

  /** Whether a heading is folded, which it is at first if `closed`. */
  isFolded(name: string, closed: boolean): boolean {
    return this.turned.value.includes(name) !== closed;
  }

  turn(name: string): void {
    const { value: names } = this.turned;
    this.turned.set(names.includes(name) ? names.filter((other) => other !== name) : [...names, name]);
  }
}
