import { signal } from '@preact/signals';

/** Plays one file at a time. Another file goes on where the one before was, so that two runs are compared by ear. */
export class Player {
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
