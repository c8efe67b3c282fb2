import { signal, type ReadonlySignal as Live } from '@preact/signals';
import { cardId, type CardKey, type Tags } from '@insight-host/kit';

type Range = readonly [low: number, high: number];

/** The values of the cards that were looked at, for axes that all runs of a tag share. */
export class ValueRanges {
  private readonly ranges = signal<ReadonlyMap<string, Range>>(new Map());

  constructor(
    private readonly tags: Tags,
    private readonly shared: Live<boolean>,
  ) {}

  /** What a card has found out about its values. */
  set(card: CardKey, range: Range): void {
    const id = cardId(card);
    const old = this.ranges.value.get(id);
    if (old?.[0] !== range[0] || old[1] !== range[1]) this.ranges.value = new Map(this.ranges.value).set(id, range);
  }

  /** Of all runs of a tag; undefined: each card has its own axis. */
  of(tag: string): Range | undefined {
    if (!this.shared.value) return undefined;
    let [low, high] = [Infinity, -Infinity];
    for (const run of this.tags.runNames(tag)) {
      const range = this.ranges.value.get(cardId({ tag, run }));
      if (range) [low, high] = [Math.min(low, range[0]), Math.max(high, range[1])];
    }
    return low < high ? [low, high] : undefined;
  }
}
