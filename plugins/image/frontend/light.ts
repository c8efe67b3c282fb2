/** Brightness and contrast of pictures, in per cent, and of which cards they are set. */
import { codecs, PerCard, type CardKey, type Page, type Setting } from '@insight-host/kit';
import { computed, signal } from '@preact/signals';

/** Brightness and contrast in per cent; 100 leaves a picture as it is. */
export interface Light {
  readonly brightness: number;
  readonly contrast: number;
}

export const PLAIN: Light = { brightness: 100, contrast: 100 };
export const MOST_LIGHT = 300;

/** The CSS filter; empty when nothing changes. */
export function filterOf({ brightness, contrast }: Light): string {
  const parts: string[] = [];
  if (brightness !== 100) parts.push(`brightness(${brightness}%)`);
  if (contrast !== 100) parts.push(`contrast(${contrast}%)`);
  return parts.join(' ');
}

export function sameLight(a: Light, b: Light): boolean {
  return a.brightness === b.brightness && a.contrast === b.contrast;
}

/** Writes it for the URL: `120,100`. */
export function lightText({ brightness, contrast }: Light): string {
  return `${brightness},${contrast}`;
}

export function parseLight(text: string): Light | null {
  const [brightness = NaN, contrast = NaN] = text.split(',').map(Number);
  const known = [brightness, contrast].every((value) => value >= 0 && value <= MOST_LIGHT);
  return known ? { brightness, contrast } : null;
}

const SETTLE = 300; // ms without a change before the URL says it

/** Brightness and contrast: of all cards, and of those that have their own. */
export class Lights {
  readonly brightness: Setting<number>;
  readonly contrast: Setting<number>;
  /** The card whose brightness and contrast are being set. */
  readonly lit = signal<CardKey | null>(null);
  private readonly own: PerCard<Light>;
  private readonly common = computed<Light>(() => ({
    brightness: this.brightness.value,
    contrast: this.contrast.value,
  }));
  /** Nothing is set. */
  readonly isPlain = computed(() => sameLight(this.common.value, PLAIN) && this.own.isEmpty);

  constructor(page: Page) {
    this.brightness = page.setting('brightness', codecs.wholeNumber(0, MOST_LIGHT, 100), SETTLE);
    this.contrast = page.setting('contrast', codecs.wholeNumber(0, MOST_LIGHT, 100), SETTLE);
    this.own = new PerCard(page, 'light', parseLight, lightText, SETTLE);
  }

  of(card: CardKey): Light {
    return this.own.of(card) ?? this.common.value;
  }

  hasOwn(card: CardKey): boolean {
    return this.own.of(card) !== undefined;
  }

  set(card: CardKey, light: Light | null): void {
    this.own.set(card, light && !sameLight(light, this.common.value) ? light : null);
  }

  reset(): void {
    this.brightness.set(PLAIN.brightness);
    this.contrast.set(PLAIN.contrast);
    this.own.clear();
  }
}
