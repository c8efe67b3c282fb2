import { RequestQueue } from 'insight-host/kit';
import type { ScalarBoard } from './board';
import { Feed } from './feed';
import type { Series } from './series';

const AT_ONCE = 4;
const REMEMBERED = 3_000_000; // points of recent answers, so that stepping back and smoothing do not ask again
const RESTING = 60; // cards off the screen that keep their picture

/** The feeds of all cards, and what they share: the request queue and recent answers. */
export class Feeds {
  readonly queue = new RequestQueue(AT_ONCE);
  private readonly feeds = new Map<string, Feed>();
  private points = 0; // in answers
  private readonly answers = new Map<string, { readonly tag: string; readonly series: readonly Series[] }>();

  constructor(private readonly board: ScalarBoard) {}

  of(tag: string): Feed {
    let feed = this.feeds.get(tag);
    if (!feed) this.feeds.set(tag, (feed = new Feed(this.board, tag)));
    return feed;
  }

  /** A card left the screen; of those that did, the ones that left first are forgotten. */
  rested(feed: Feed): void {
    if (this.feeds.get(feed.tag) !== feed) return;
    this.feeds.delete(feed.tag);
    this.feeds.set(feed.tag, feed);
    const resting = [...this.feeds.values()].filter((other) => !other.isAwake);
    for (const oldest of resting.slice(0, Math.max(0, resting.length - RESTING))) this.feeds.delete(oldest.tag);
  }

  changed(series: Readonly<Record<string, readonly string[]>> | null): void {
    if (!series) for (const key of [...this.answers.keys()]) this.forget(key);
    const byTag = new Map<string, string[]>();
    for (const [run, tags] of Object.entries(series ?? {})) {
      for (const tag of tags) byTag.set(tag, [...(byTag.get(tag) ?? []), run]);
    }
    for (const [key, answer] of [...this.answers]) if (byTag.has(answer.tag)) this.forget(key);
    for (const feed of this.feeds.values()) feed.changed(series ? byTag : null);
  }

  recall(key: string): readonly Series[] | undefined {
    const found = this.answers.get(key);
    if (found) {
      this.answers.delete(key);
      this.answers.set(key, found); // the latest used stays longest
    }
    return found?.series;
  }

  remember(key: string, tag: string, series: readonly Series[]): void {
    this.forget(key);
    this.answers.set(key, { tag, series });
    this.points += size(series);
    for (const oldest of this.answers.keys()) {
      if (this.points <= REMEMBERED || oldest === key) break;
      this.forget(oldest);
    }
  }

  dispose(): void {
    for (const feed of [...this.feeds.values()]) feed.rest();
    this.feeds.clear();
  }

  private forget(key: string): void {
    const answer = this.answers.get(key);
    if (answer && this.answers.delete(key)) this.points -= size(answer.series);
  }
}

function size(series: readonly Series[]): number {
  return series.reduce((sum, one) => sum + one.steps.length, 0);
}
