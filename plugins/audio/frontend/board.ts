import type { Query } from '@insight-host/api';
import { codecs, PerCard, type CardKey, type Page } from '@insight-host/kit';
import { recordQuery, stepParts, type Records } from '@insight-host/kit/steps';
import { signal } from '@preact/signals';

const clipNumber = (text: string): number | null => (/^\d{1,6}$/.test(text) ? Number(text) : null);

export type AudioParts = ReturnType<typeof audioParts>;

/** Makes the parts of the audio tab: cards with sliders, and the player that they share. */
export function audioParts(page: Page) {
  const loop = page.setting('loop', codecs.flag(false));
  const player = new Player();
  page.until(loop.subscribe((on) => player.setLoop(on)));
  page.until(page.visible.subscribe((visible) => visible || player.pause()));
  page.until(() => player.dispose());
  return {
    ...stepParts(page),
    loop,
    player,
    /** The clip of a record that is shown; the first by default. */
    clips: new PerCard(page, 'clip', clipNumber, String),
  };
}

export function queryOf({ clips }: AudioParts, card: CardKey, records: Records, index: number): Query {
  return { ...recordQuery(card, records, index), clip: clips.of(card) ?? null };
}

/** The address of the recorded file. */
export function urlOf(board: AudioParts, card: CardKey, records: Records, index: number): string {
  return board.page.ctx.data.href('audio', queryOf(board, card, records, index));
}

/** Plays the record that a card shows, or pauses it. */
export function toggleSound(board: AudioParts, card: CardKey): void {
  const { value: records } = board.tables.of(card).records;
  const index = records ? board.stands.indexOf(card, records) : -1;
  if (records && index >= 0) board.player.toggle(urlOf(board, card, records, index));
}

/** Plays one file at a time. Another file goes on where the one before was, so that two runs are compared by ear. */
class Player {
  /** The address of the file that plays or is paused; null before the first. */
  readonly url = signal<string | null>(null);
  readonly playing = signal(false);
  /** Seconds from the beginning of the file. */
  readonly time = signal(0);
  /** The browser cannot play the file. */
  readonly failed = signal(false);
  private frame = 0;

  constructor(private readonly audio: HTMLAudioElement = new Audio()) {
    audio.preload = 'none';
    audio.addEventListener('play', () => {
      this.playing.value = true;
      this.follow();
    });
    for (const event of ['pause', 'ended', 'error']) audio.addEventListener(event, () => (this.playing.value = false));
  }

  toggle(url: string): void {
    if (this.url.value === url && this.playing.value) this.pause();
    else this.play(url);
  }

  /** From `at` on, in seconds; from where the file before was if nothing is said. */
  play(url: string, at?: number): void {
    const { audio } = this;
    if (this.url.value !== url) {
      const from = at ?? (this.playing.value ? audio.currentTime : 0);
      audio.src = url;
      audio.currentTime = from; // before anything is loaded, this is where it begins
      this.url.value = url;
    } else if (at !== undefined) {
      audio.currentTime = at;
    }
    this.time.value = audio.currentTime;
    this.failed.value = false;
    audio.play().catch((error: unknown) => {
      // not for a newer wish
      if (!(error instanceof DOMException && error.name === 'AbortError')) this.failed.value = true;
    });
  }

  pause(): void {
    this.audio.pause();
  }

  /** Stops the file, which is not shown any more, if it plays. */
  leave(url: string): void {
    if (this.url.value === url) this.pause();
  }

  setLoop(loop: boolean): void {
    this.audio.loop = loop;
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.audio.pause();
    this.audio.removeAttribute('src');
  }

  private follow(): void {
    cancelAnimationFrame(this.frame);
    const tick = (): void => {
      this.time.value = this.audio.currentTime;
      if (this.playing.value) this.frame = requestAnimationFrame(tick);
    };
    tick();
  }
}
