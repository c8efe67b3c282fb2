/** The order of sections and of the cards in them, as the user arranged it. */
import { computed, effect } from '@preact/signals';
import { codecs, type CardGroup, type CardList, type Page, type Setting } from '@insight-host/kit';

/** Sorts by `order`; what is not in it follows, as it was. */
export function inOrder<T>(all: readonly T[], order: readonly string[], nameOf: (one: T) => string): readonly T[] {
  if (order.length === 0) return all;
  const places = new Map(order.map((name, place) => [name, place]));
  const placeOf = (one: T): number => places.get(nameOf(one)) ?? order.length;
  return [...all].sort((a, b) => placeOf(a) - placeOf(b));
}

/** A list in which `one` stands at the place `to`. */
export function moved<T>(all: readonly T[], one: T, to: number): readonly T[] {
  const others = all.filter((other) => other !== one);
  others.splice(Math.max(0, Math.min(others.length, to)), 0, one);
  return others;
}

/** The order as a list that is as short as it can be: nothing behind the last name that was moved. */
export function shortened(order: readonly string[], plain: readonly string[]): readonly string[] {
  let end = order.length;
  while (end > 0 && order[end - 1] === plain[end - 1]) end--;
  return order.slice(0, end);
}

export class Arrangement {
  private readonly sections: Setting<readonly string[]>;
  /** Tags, of all sections. */
  private readonly tags: Setting<readonly string[]>;
  private plain: readonly CardGroup[] = []; // before they are arranged
  /** Whether anything was arranged. */
  readonly isOn = computed(() => this.sections.value.length + this.tags.value.length > 0);

  constructor(
    page: Page,
    private readonly cards: CardList,
  ) {
    this.sections = page.setting('sections', codecs.names);
    this.tags = page.setting('arranged', codecs.names);
    page.until(
      effect(() => {
        const [sections, tags] = [this.sections.value, this.tags.value];
        cards.arrange.value = (groups) => this.arranged(groups, sections, tags);
      }),
    );
  }

  /** The sections that can be moved; what is pinned stays first. */
  get groups(): readonly CardGroup[] {
    return this.cards.groups.value.filter(({ kind }) => kind !== 'pinned');
  }

  groupOf(tag: string): CardGroup | undefined {
    return this.cards.groups.value.find(({ cards }) => cards.some((card) => card.tag === tag));
  }

  moveSection(name: string, to: number): void {
    const [now, plain] = [this.groups, this.plain.filter(({ kind }) => kind !== 'pinned')].map((groups) =>
      groups.map((group) => group.name),
    ) as [string[], string[]];
    this.sections.set(shortened(moved(now, name, to), plain));
  }

  /** Puts a card to this place in its section. */
  moveCard(tag: string, to: number): void {
    const group = this.groupOf(tag);
    if (!group) return;
    const order = moved(tagsOf(group), tag, to);
    if (group.kind === 'pinned') {
      const gone = this.cards.pins.value.filter((pin) => !order.includes(pin)); // of runs that are not selected
      return this.cards.pins.set([...order, ...gone]);
    }
    const plain = tagsOf(this.plain.find(({ name, kind }) => name === group.name && kind === group.kind) ?? group);
    const others = this.tags.value.filter((other) => !order.includes(other));
    this.tags.set([...others, ...shortened(order, plain)]);
  }

  reset(): void {
    this.sections.set([]);
    this.tags.set([]);
  }

  private arranged(
    groups: readonly CardGroup[],
    sections: readonly string[],
    tags: readonly string[],
  ): readonly CardGroup[] {
    this.plain = groups;
    const pinned = groups.filter(({ kind }) => kind === 'pinned');
    const others = inOrder(groups.slice(pinned.length), sections, ({ name }) => name);
    const inside = others.map((group) => ({ ...group, cards: inOrder(group.cards, tags, ({ tag }) => tag) }));
    return [...pinned, ...(tags.length > 0 ? inside : others)];
  }
}

export const tagsOf = ({ cards }: CardGroup): readonly string[] => cards.map(({ tag }) => tag);
