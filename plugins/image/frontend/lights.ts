import { codecs, PerCard, type CardKey, type Page, type Setting } from '@insight-host/kit';
import { computed, signal } from '@preact/signals';
import { lightText, MOST_LIGHT, parseLight, PLAIN, sameLight, type Light } from './light';

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
