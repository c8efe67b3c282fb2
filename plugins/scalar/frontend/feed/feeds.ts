import type { ReadonlySignal as Live } from '@preact/signals';
import type { CardParts, ChangedSeries } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { Feed } from './feed';
import { Source } from './source';

const REST = 500; // ms without a move of the smoothing slider
const SHARE = 0.5; // of the time that cards which grow may take, from their questions to the frame with the answers
const LONGEST = 3000; // ms between two of their questions

/** The feeds of the cards near the screen, and the source that they share. */
export class Feeds {
  readonly source: Source;
  private readonly feeds = new Map<string, Feed>();
  private readonly smoothed = new Set<Feed>(); // that the host is asked for when the slider rests
  private rest: ReturnType<typeof setTimeout> | undefined;
  private took: readonly number[] = [0, 0]; // ms of the last two refreshes: one alone may be slow by chance
  private readonly refreshes = new Spaced(
    () => Math.min(LONGEST, ...this.took.map((took) => took / SHARE)),
    () => void this.refresh(),
  );

  constructor(
    private readonly parts: CardParts,
    private readonly hasRestarts: Live<boolean>,
    /** Adds what depends on series that changed. */
    private readonly affected: (series: ChangedSeries) => ChangedSeries,
  ) {
    const { page, tags } = parts;
    this.source = new Source(page, tags);
    page.onChange(page.ctx.changes, ({ series }) => this.changed(this.affected(series)));
    page.until(() => {
      for (const feed of [...this.feeds.values()]) feed.rest();
      clearTimeout(this.rest);
      this.refreshes.cancel();
    });
  }

  of(tag: string): Feed {
    let feed = this.feeds.get(tag);
    if (!feed) this.feeds.set(tag, (feed = new Feed(this, tag)));
    return feed;
  }

  /** A card came near the screen, perhaps again. */
  woke(feed: Feed): void {
    this.feeds.set(feed.tag, feed);
  }

  /** A card left the screen: its picture goes, the series in it stay in the source as long as there is room. */
  rested(feed: Feed): void {
    if (this.feeds.get(feed.tag) === feed) this.feeds.delete(feed.tag);
  }

  /** The cards whose series have grown ask together: where a host or a page is busy, more seldom. */
  refreshSoon(): void {
    this.refreshes.ask();
  }

  /** Whether the tab is in front, and no other card fills the page. */
  isInSight(tag: string): boolean {
    const { page, cards } = this.parts;
    const { value: full } = cards.full;
    return page.visible.value && (full === null || full.tag === tag || !cards.has(full));
  }

  /**
   * The slider has moved, and the page cannot smooth a card as the host does: all such cards are asked for together.
   */
  smoothedAnew(feed: Feed): void {
    this.smoothed.add(feed);
    this.awaitRest();
  }

  /** The card is asked for, or need not be. */
  forget(feed: Feed): void {
    this.smoothed.delete(feed);
  }

  private awaitRest(): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      if (this.isHeld()) return this.awaitRest();
      for (const feed of [...this.smoothed]) {
        this.smoothed.delete(feed);
        feed.follow();
      }
    }, REST);
  }

  /** Whether the pointer holds the slider of the toolbar. */
  isHeld(): boolean {
    return document.querySelector('#smoothing:active') !== null;
  }

  /** Says of a series that it has restarts; the list of tags may be older than they are. */
  restarted(run: string, tag: string): void {
    const { tags } = this.parts;
    if (!this.hasRestarts.value && tags.infoOf(run, tag)?.attempts === 1) tags.refresh();
  }

  private async refresh(): Promise<void> {
    const due = [...this.feeds.values()].filter((feed) => feed.isDue);
    if (due.length === 0) return;
    const began = performance.now();
    await Promise.all(due.map((feed) => feed.load()));
    requestAnimationFrame(() => setTimeout(() => (this.took = [performance.now() - began, this.took[0] as number])));
  }

  private changed(series: ChangedSeries): void {
    this.source.changed(series);
    const byTag = new Map<string, string[]>();
    for (const [run, tags] of Object.entries(series ?? {})) {
      for (const tag of tags) byTag.set(tag, [...(byTag.get(tag) ?? []), run]);
    }
    for (const feed of this.feeds.values()) feed.changed(series ? byTag : null);
  }
}
