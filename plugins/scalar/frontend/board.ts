import { cardParts, codecs, message, type CardParts, type Page } from '@insight-host/kit';
import { changed } from '@insight-host/kit/lab';
import { computed, effect, signal, untracked, useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Arrangement } from './card/arrangement';
import { alongChanged, axisCodec, Cursors, type Axis } from './card/axis';
import { errorLayers, isOfErrors } from './card/bounds';
import { CardSize } from './card/card_size';
import { ORDERS, type TooltipOrder } from './card/reading';
import { Thresholds } from './card/thresholds';
import { Logs, Zooms } from './card/zooms';
import { Derived } from './derived';
import { Feeds } from './feed/feeds';
import { CENTRES, fitsCentre, Grouping, SPREADS, type Centre, type Spread } from './feed/query';
import { SMOOTHERS, smoothingCodec, type Smoother } from './feed/smoothing';
import { isPanelKey, Panels, type PanelLayer } from './panels/panels';

interface OpenDialog {
  readonly kind: 'threshold' | 'pair' | 'derived' | 'first' | 'limits' | 'axis' | 'panel' | 'notes' | 'arrange';
  readonly tag: string;
}

export type ScalarParts = ReturnType<typeof scalarParts>;

/** The tag on the right axis of a card, by the tag of the card. */
export const pairsCodec = codecs.byTag<string>(codecs.decoded, codecs.encoded);

/** What the scalar tab is made of. */
export function scalarParts(page: Page) {
  const derived = new Derived(page);
  const parts = cardParts(page, true, { from: derived.catalogue, isAside: isOfErrors });
  const x = page.setting('x', axisCodec);
  const link = page.setting('link', codecs.flag(false));
  const attempts = page.setting('attempts', codecs.attempts);
  /** Whether a shown run has restarts, so that attempts differ. */
  const hasRestarts = computed(() => attempts.value === 'all' || parts.tags.hasAttempts.value);
  const zooms = new Zooms(page, link);
  const centre = page.setting('centre', codecs.choice<Centre>(CENTRES, 'mean'));
  const spread = page.setting('spread', codecs.choice<Spread>(SPREADS, 'minmax'));
  const dialog = signal<OpenDialog | null>(null);
  const asked = page.setting('dialog', codecs.choice<'' | ForFirst>(['', 'first', 'notes'], ''));
  page.until(
    effect(() => {
      const { value: kind } = asked;
      if (kind === '' || firstTag(parts) === undefined) return; // its tags are not known yet
      untracked(() => {
        asked.set(''); // a reload does not open it again
        openForFirst({ ...parts, dialog }, kind);
      });
    }),
  );
  return {
    ...parts,
    /** What the horizontal axis of all cards shows. */
    x,
    smoothing: page.setting('smooth', smoothingCodec),
    smoother: page.setting('smoother', codecs.choice<Smoother>(SMOOTHERS, 'ema')),
    /** Whether the raw line is drawn behind a smoothed one. */
    raw: page.setting('raw', codecs.flag(true)),
    /** Series that are computed from others. */
    derived,
    /** The order of sections and cards. */
    arrangement: new Arrangement(page, parts.cards),
    /** Of all cards. */
    size: new CardSize(page),
    /** Cards that users put together. */
    panels: new Panels(page, parts.cards.others),
    /** Whether a few diverged runs stretch no y axis, */
    clipped: page.setting('outliers', codecs.flag(true)), // as addresses of the last release name it
    /** but for the cards of these tags. */
    whole: page.setting('whole', codecs.names),
    /** All cards have the same x. */
    link,
    tool: page.setting('tool', codecs.choice<'box' | 'pan'>(['box', 'pan'], 'box')),
    attempts,
    hasRestarts,
    grouping: new Grouping(page, page.setting('group', codecs.text), page.setting('by', codecs.names)),
    /** Runs that cards draw first, and orders to choose from. */
    drawing: page.drawing,
    /** What cards with many lines draw: the first ones, all, or their median and quartiles. */
    lines: page.setting('lines', codecs.choice<'first' | 'all' | 'band'>(['first', 'all', 'band'], 'first')),
    /** What the colours of the runs follow. */
    scale: page.follow(page.ctx.runs.colorScale),
    /** The groups of the run panel. */
    groups: page.follow(page.ctx.runs.groups),
    centre,
    spread,
    /** Of the lines in a reading. */
    tooltipOrder: page.setting('order', codecs.choice<TooltipOrder>(ORDERS, 'nearest')),
    /** The spread of the bands: quartiles, where the chosen one does not fit the centre. */
    shownSpread: computed((): Spread => (fitsCentre(spread.value, centre.value) ? spread.value : 'iqr')),
    layout: page.setting('show', codecs.choice<'charts' | 'table'>(['charts', 'table'], 'charts')),
    pairs: page.setting('pairs', pairsCodec),
    zooms,
    logs: new Logs(page, zooms),
    thresholds: new Thresholds(page.ctx.memory),
    /** Whether the cards of plugins are unfolded. */
    pluginCards: page.setting('cards', codecs.flag(true)),
    cursors: new Cursors(page),
    /** Other tabs that can show one step. */
    stepTabs: page.follow(page.ctx.stepTabs),
    /** What plugins add to this tab. */
    contributed: page.follow(page.ctx.contributed),
    dialog,
    feeds: new Feeds(parts, hasRestarts, (series) =>
      alongChanged(derived.affected(series), x.value, (run) => derived.tagsOf(run)),
    ),
  };
}

type Cards = Pick<CardParts, 'cards' | 'filter'>;

/** The tag of the card that keys act on, else of the first one. */
function firstTag({ cards, filter }: Cards): string | undefined {
  const { full, current, pins } = cards;
  const at = [full.value, current.value].find((card) => card && !isPanelKey(card.tag));
  return at?.tag ?? pins.value[0] ?? filter.shown.value[0];
}

/** Dialogs that are opened without a card, too. */
type ForFirst = 'first' | 'notes';

/** Opens a dialog for the card that keys act on, else for the first one. */
export function openForFirst(
  { dialog, ...cards }: Cards & { readonly dialog: Signal<OpenDialog | null> },
  kind: ForFirst,
): void {
  const tag = firstTag(cards);
  if (tag !== undefined) dialog.value = { kind, tag };
}

const LEARNING_RATE = /(^|[^a-z])(lr|learning.?rate)([^a-z]|$)/i;

/** Whether the y axis of this card leaves out a few diverged runs: what is set, such as a learning rate, is none. */
export function isClipped({ clipped, whole }: ScalarParts, tag: string): boolean {
  return clipped.value && !whole.value.includes(tag) && !LEARNING_RATE.test(tag);
}

export function setAxis({ x, zooms }: ScalarParts, axis: Axis): void {
  x.set(axis);
  zooms.clear();
}

export function setPair({ pairs }: ScalarParts, tag: string, second: string | null): void {
  pairs.set(changed(pairs.value, tag, second));
}

/** What a card draws: its tag and the one on its right axis, or the tags of a panel, each with its error bars. */
export function layersOf({ pairs, panels, tags }: ScalarParts, tag: string): readonly PanelLayer[] {
  const known = tags.runsByTag.value;
  const panel = isPanelKey(tag) ? panels.of(tag) : undefined;
  const second = pairs.value.get(tag);
  const layers: readonly PanelLayer[] = panel
    ? panels.layersOf(panel, known.keys())
    : [{ tag, axis: 'left' }, ...(second === undefined ? [] : [{ tag: second, axis: 'right' } as const])];
  return [...layers, ...layers.flatMap((layer) => (layer.edge ? [] : errorLayers(layer, known)))];
}

/** A part of the tab whose code is loaded when it is first shown; null until it is here. */
export function useLater<Module extends object>(board: ScalarParts, load: () => Promise<Module>): Module | null {
  const loaded = useSignal<Module | null>(null);
  useEffect(() => {
    load().then(
      (made) => (loaded.value = made),
      (error: unknown) => board.page.ctx.notify('error', message(error)),
    );
  }, []);
  return loaded.value;
}
