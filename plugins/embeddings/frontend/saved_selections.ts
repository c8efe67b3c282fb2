import type { SavedEntry } from '@insight-host/api';
import { message, type Page } from '@insight-host/kit';
import { signal, type ReadonlySignal as Live } from '@preact/signals';

/** A selection as the host keeps it. */
interface Kept {
  readonly embedding: string;
  /** How many points the embedding had. */
  readonly of: number;
  readonly points: string;
}

/** Selections that users save under names, for everybody who opens these logs. */
export class SavedSelections {
  readonly entries: Live<readonly SavedEntry[] | null>;
  readonly writable: Live<boolean>;
  /** Why the last request failed, for the user. */
  readonly error = signal<string | null>(null);

  constructor(private readonly page: Page) {
    const entries = signal<readonly SavedEntry[] | null>(null);
    this.entries = entries;
    this.writable = page.follow(page.ctx.saved.writable);
    // the host is asked for them when the list is first seen
    let stop: (() => void) | undefined;
    this.watch = () => void (stop ??= page.ctx.saved.entries.subscribe((found) => (entries.value = found)));
    page.until(() => stop?.());
  }

  /** Follows the list from now on. */
  readonly watch: () => void;

  /** Saves points of an embedding with `of` points; an entry of this name is replaced. False if that failed. */
  async save(name: string, embedding: string, of: number, points: Uint32Array): Promise<boolean> {
    return this.attempt(async () => {
      const { saved } = this.page.ctx;
      const before = (await saved.list()).find((entry) => entry.name === name);
      const kept: Kept = { embedding, of, points: rangesOf(points) };
      await saved.set(name, kept, before?.version ?? null);
    });
  }

  /** The points of an entry; null where they do not fit an embedding of `count` points. */
  async load(name: string, count: number): Promise<Uint32Array | null> {
    let found: Uint32Array | null = null;
    await this.attempt(async () => {
      const entry = await this.page.ctx.saved.get<Partial<Kept> | null>(name);
      const kept = entry?.value;
      const points = kept ? pointsOfRanges(kept.points, count) : null;
      if (!points) throw new Error(this.page.t('saved.unreadable', { name }));
      if (kept?.of !== count)
        throw new Error(
          this.page.t('saved.other', {
            name,
            embedding: String(kept?.embedding ?? ''),
            of: Number(kept?.of ?? 0),
            count,
          }),
        );
      found = points;
    });
    return found;
  }

  async remove({ name, version }: SavedEntry): Promise<void> {
    await this.attempt(() => this.page.ctx.saved.remove(name, version));
  }

  private async attempt(work: () => Promise<unknown>): Promise<boolean> {
    this.error.value = null;
    try {
      await work();
      return true;
    } catch (error) {
      this.error.value = message(error);
      return false;
    }
  }
}

/** Ascending numbers as text: `0-4,9` is 0, 1, 2, 3, 4 and 9. */
export function rangesOf(points: Uint32Array): string {
  const found: string[] = [];
  for (let i = 0; i < points.length;) {
    let last = i;
    while (last + 1 < points.length && points[last + 1] === (points[last] as number) + 1) last++;
    found.push(last > i ? `${points[i]}-${points[last]}` : String(points[i]));
    i = last + 1;
  }
  return found.join(',');
}

/** The numbers below `count` that a text names; null for any other text. */
export function pointsOfRanges(text: unknown, count: number): Uint32Array | null {
  if (typeof text !== 'string') return null;
  const found = new Set<number>();
  for (const part of text === '' ? [] : text.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!match) return null;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    for (let point = first; point <= Math.min(last, count - 1); point++) found.add(point);
  }
  return Uint32Array.from(found).sort();
}
