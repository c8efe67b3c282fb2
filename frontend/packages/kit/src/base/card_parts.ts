import * as codecs from './codecs';
import { signal, type ReadonlySignal as Live, computed } from '@preact/signals';
import type { Page, Setting } from './page';
import { runsByTag, Tags, type SeriesChoice } from './tags';
import { LAST, SLOW, tagFilter, seriesCards, tagCards, type CardGroup } from './groups';
import { cardCodec, type CardKey } from './card_key';

/** What a tab of cards is made of. */
export interface CardParts {
  readonly page: Page;
  readonly tags: Tags;
  readonly filter: Filter;
  readonly cards: CardList;
}

/** `perTag`: one card for each tag, else one for each tag and run. */
export function cardParts(page: Page, perTag: boolean | Live<boolean>, series?: SeriesChoice): CardParts {
  const tags = new Tags(page, series);
  const filter = new Filter(page, tags, series?.isAside);
  const cards = new CardList(page, tags, filter, typeof perTag === 'boolean' ? signal(perTag) : perTag);
  return { page, tags, filter, cards };
}

/** The filter of tags: what the user typed, and the tags of the selected runs that match. */
export class Filter {
  readonly text: Setting<string>;
  readonly match = computed(() => tagFilter(this.text.value));
  /** Why what the user typed is searched as text, in the user's language where the page knows it. */
  readonly error = computed(() => {
    const { error } = this.match.value;
    return error === SLOW ? this.page.t('filter.slow') : error;
  });
  readonly shown = computed(() => {
    const found = new Set([...this.tags.runsByTag.value.keys()].filter(this.match.value.matches));
    return [...found].filter((tag) => !this.isAside?.(tag, found));
  });

  constructor(
    private readonly page: Page,
    private readonly tags: Tags,
    private readonly isAside?: SeriesChoice['isAside'],
  ) {
    this.text = page.setting('tags', codecs.text);
  }
}

/** The cards of a tab in their groups; which groups are closed, which tags pinned, and which card is looked at. */
export class CardList {
  readonly closed: Setting<readonly string[]>;
  readonly pins: Setting<readonly string[]>;
  /** The card that fills the screen. */
  readonly full: Setting<CardKey | null>;
  /** The card that keys act on: under the pointer or with the focus. */
  readonly current = signal<CardKey | null>(null);
  /** The groups and cards in the order of the tab; by default as they are. */
  readonly arrange = signal<(groups: readonly CardGroup[]) => readonly CardGroup[]>((groups) => groups);
  /** In the place of tags: cards that the tab shows next to those of the groups. */
  readonly others = signal<ReadonlySet<string>>(new Set());

  /** `perTag`: one card for each tag, else one for each tag and run. */
  constructor(
    private readonly page: Page,
    private readonly tags: Tags,
    private readonly filter: Filter,
    private readonly perTag: Live<boolean>,
  ) {
    this.closed = page.setting('closed', codecs.names);
    this.pins = page.setting('pins', { ...codecs.names, named: (tags) => ({ tags }) });
    this.full = page.setting('full', cardCodec);
  }

  /** The runs of each tag as the run panel lists them. */
  private readonly inOrder = computed(() =>
    runsByTag(this.tags.table.value, this.page.inPanelOrder(this.page.runs.value)),
  );

  readonly groups = computed<readonly CardGroup[]>(() => {
    const byTag = this.tags.runsByTag.value;
    const pins = this.pins.value.filter((tag) => byTag.has(tag));
    const { value: shown } = this.filter.shown;
    return this.arrange.value(this.perTag.value ? tagCards(shown, pins) : seriesCards(shown, pins, this.inOrder.value));
  });

  /** Whether a card is there to be acted on. */
  has({ tag, run }: CardKey): boolean {
    const runs = this.tags.runsByTag.value.get(tag);
    return (
      this.others.value.has(tag) || (runs !== undefined && (run === null || runs.some((other) => other.name === run)))
    );
  }

  togglePin(tag: string): void {
    toggle(this.pins, tag);
  }

  /** Whether there are groups that people look at before those that come last. */
  private readonly hasFirst = computed(() => this.groups.value.some(({ name }) => !LAST.includes(name)));

  /**
   * Whether the cards of a group are folded away, as those of the machine and single values are until the user opens
   * them: unless there is nothing else.
   */
  isClosed(name: string): boolean {
    const sign = this.signOf(name);
    return this.closed.value.includes(sign) === (sign === name);
  }

  toggleGroup(name: string): void {
    toggle(this.closed, this.signOf(name));
  }

  /** What stands for a group among those that are closed; of one that is closed at first, that it is open. */
  private signOf(name: string): string {
    return LAST.includes(name) && this.hasFirst.value ? `-${name}` : name;
  }
}

function toggle(setting: Setting<readonly string[]>, name: string): void {
  const { value } = setting;
  setting.set(value.includes(name) ? value.filter((n) => n !== name) : [...value, name]);
}
