import { type CardKey, codecs, type Page, type Setting, PerCard } from '@insight-host/kit/lab';
import { effect, type ReadonlySignal as Live } from '@preact/signals';
import type { Codec, CursorAt } from '@insight-host/api';
import type { Records, RecordTables } from './records';
import { indexOf, parseStand, positionAt, standText, type Stand } from './positions';

const SETTLE = 300; // ms without a move before the URL says where a slider stands

const stand: Codec<Stand> = {
  parse: (text) => parseStand(text ?? 'last') ?? 'last',
  format: (value) => (value === 'last' ? null : standText(value)),
};

/** Where the sliders of cards stand: each by itself, or all at one step, which is that of the other tabs too. */
export class Stands {
  /** All sliders stand at the same step. */
  readonly linked: Setting<boolean>;
  /** Where the sliders stand that have no place of their own. */
  private readonly common: Setting<Stand>;
  private readonly own: PerCard<Stand>;
  private readonly cursor: Live<CursorAt | null>;
  private reached: CursorAt | null = null; // a slider that moved since stays where it is

  constructor(
    private readonly page: Page,
    private readonly tables: RecordTables,
  ) {
    this.linked = page.setting('link', codecs.flag(false));
    this.common = page.setting('step', stand, SETTLE);
    this.own = new PerCard(page, 'steps', parseStand, standText, SETTLE);
    this.cursor = page.follow(page.ctx.cursor);
    page.until(effect(() => void (page.visible.value && this.goTo(this.cursor.value))));
  }

  /** Linked sliders stand at the step that another tab points to or has pinned. */
  private goTo(at: CursorAt | null): void {
    if (at?.step === undefined || at.from === this.page.ctx.name || at === this.reached || !this.linked.value) return;
    this.reached = at;
    this.common.set({ step: at.step, nth: 0 });
  }

  /** Takes a pinned cursor along, so that other tabs stay at the step of the linked sliders. */
  private pinAt(to: Stand): void {
    if (to !== 'last' && this.cursor.value?.pinned) this.page.ctx.cursor.pin({ step: to.step });
  }

  /**
   * Index of the record at which a card's slider stands; -1 without records. Without a word of the user it is the last
   * one, also after more have come.
   */
  indexOf(card: CardKey, records: Records): number {
    return indexOf(records.steps, this.of(card));
  }

  /** The step at which the user wants the linked sliders, if a card only has one near it. */
  missedBy(card: CardKey, records: Records): number | null {
    const to = this.of(card);
    if (to === 'last' || !this.linked.value) return null;
    return records.steps[indexOf(records.steps, to)] === to.step ? null : to.step;
  }

  move(card: CardKey, records: Records, index: number): void {
    const last = index >= records.steps.length - 1;
    if (this.linked.value) {
      // Where another card goes on, the last record of this one is a step like others.
      const end = last && (records.steps[index] as number) >= this.tables.lastStep;
      const to = positionAt(records.steps, index);
      this.common.set(end ? 'last' : to);
      this.pinAt(to);
      return;
    }
    const to = last ? 'last' : positionAt(records.steps, index);
    this.own.set(card, to === 'last' && this.common.value === 'last' ? null : to);
  }

  /** Links all sliders at the place of the card that is looked at, or lets each go from where it stands. */
  link(linked: boolean, card: CardKey | null): void {
    if (linked && card) {
      const to = this.of(card);
      this.common.set(to);
      this.pinAt(to);
    }
    this.own.clear();
    this.linked.set(linked);
  }

  private of(card: CardKey): Stand {
    return (this.linked.value ? undefined : this.own.of(card)) ?? this.common.value;
  }
}
