import { sameCard, type CardKey } from '@insight-host/kit/lab';
import { signal } from '@preact/signals';
import type { PluginContext } from '@insight-host/api';

export const SPEEDS = [1, 2, 5, 10, 25] as const; // steps a second

/** The card whose slider moves by itself, and how fast; this browser remembers the speed. */
export class Playback {
  readonly playing = signal<CardKey | null>(null);
  readonly speed = signal(5);

  constructor(private readonly memory: PluginContext['memory']) {
    const speed = memory.get<unknown>('speed', 5);
    if (SPEEDS.some((known) => known === speed)) this.speed.value = speed as number;
  }

  /** Plays a card, or stops it. */
  toggle(card: CardKey): void {
    this.playing.value = sameCard(this.playing.value, card) ? null : card;
  }

  stop(): void {
    this.playing.value = null;
  }

  setSpeed(speed: number): void {
    this.speed.value = speed;
    this.memory.set('speed', speed);
  }
}
