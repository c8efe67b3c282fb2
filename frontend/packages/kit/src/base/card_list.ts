import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import { cardCodec, type CardKey } from './card_key';
import * as codecs from './codecs';
import type { Filter } from './filter';
import { seriesCards, tagCards, type CardGroup } from './groups';
import type { Page, Setting } from './page';
import type { Tags } from './tags';

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
    page: Page,
    private readonly tags: Tags,
    private readonly filter: Filter,
    private readonly perTag: Live<boolean>,
  ) {
    this.closed = page.setting('closed', codecs.names);
    this.pins = page.setting('pins', { ...codecs.names, named: (tags) => ({ tags }) });
    this.full = page.setting('full', cardCodec);
  }

  readonly groups = computed<readonly CardGroup[]>(() => {
    const byTag = this.tags.runsByTag.value;
    const pins = this.pins.value.filter((tag) => byTag.has(tag));
    const { value: shown } = this.filter.shown;
    return this.arrange.value(
      this.perTag.value ? tagCards(shown, pins) : seriesCards(shown, pins, (tag) => this.tags.runNames(tag)),
    );
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

  toggleGroup(name: string): void {
    toggle(this.closed, name);
  }
}

function toggle(setting: Setting<readonly string[]>, name: string): void {
  const { value } = setting;
  setting.set(value.includes(name) ? value.filter((n) => n !== name) : [...value, name]);
}
