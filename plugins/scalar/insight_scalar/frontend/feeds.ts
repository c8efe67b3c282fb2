import type { Board } from './board';
import { Feed } from './feed';
import { RequestQueue } from './requests';
import type { Series } from './series';

const AT_ONCE = 4;
const REMEMBERED = 200; // answers, so that stepping back and smoothing do not ask again

/** The feeds of all cards, and what they share: the request queue and recent answers. */
export class Feeds {
  readonly queue = new RequestQueue(AT_ONCE);
  private readonly feeds = new Map<string, Feed>();
  private readonly answers = new Map<string, { readonly tag: string; readonly series: readonly Series[] }>();

  constructor(private readonly board: Board) {}

  of(tag: string): Feed {
    let feed = this.feeds.get(tag);
    if (!feed) this.feeds.set(tag, (feed = new Feed(this.board, tag)));
    return feed;
  }

  changed(series: Readonly<Record<string, readonly string[]>> | null): void {
    if (!series) this.answers.clear();
    const byTag = new Map<string, string[]>();
    for (const [run, tags] of Object.entries(series ?? {})) {
      for (const tag of tags) byTag.set(tag, [...(byTag.get(tag) ?? []), run]);
    }
    for (const [key, answer] of this.answers) if (byTag.has(answer.tag)) this.answers.delete(key);
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
    this.answers.set(key, { tag, series });
    for (const oldest of this.answers.keys()) {
      if (this.answers.size <= REMEMBERED) break;
      this.answers.delete(oldest);
    }
  }

  dispose(): void {
    for (const feed of this.feeds.values()) feed.rest();
    this.feeds.clear();
  }
}
