import type { ChangedSeries } from '@insight-host/kit';
import type { ScalarBoard } from './board';
import { Feed } from './feed';
import { Source } from './source';

/** The feeds of the cards near the screen, and the source that they share. */
export class Feeds {
  readonly source: Source;
  private readonly feeds = new Map<string, Feed>();

  constructor(private readonly board: ScalarBoard) {
    this.source = new Source(board);
  }

  of(tag: string): Feed {
    let feed = this.feeds.get(tag);
    if (!feed) this.feeds.set(tag, (feed = new Feed(this.board, tag)));
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

  /** Whether nothing else on the screen is kept up to date: the card fills it, or no other is near. */
  isAlone(feed: Feed): boolean {
    return [...this.feeds.values()].every((other) => other === feed || !other.isLookedAt);
  }

  changed(series: ChangedSeries): void {
    this.source.changed(series);
    const byTag = new Map<string, string[]>();
    for (const [run, tags] of Object.entries(series ?? {})) {
      for (const tag of tags) byTag.set(tag, [...(byTag.get(tag) ?? []), run]);
    }
    for (const feed of this.feeds.values()) feed.changed(series ? byTag : null);
  }

  dispose(): void {
    for (const feed of [...this.feeds.values()]) feed.rest();
    this.feeds.clear();
  }
}
