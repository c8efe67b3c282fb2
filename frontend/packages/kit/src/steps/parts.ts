/** The parts of a tab whose cards show one record at a time: where sliders stand, and which card plays. */
import { steps as en } from '../locales/en.json';
import { steps as zh } from '../locales/zh-CN.json';
import {
  cardParts,
  type CardParts,
  codecs,
  type Page,
  type Setting,
  type SeriesChoice,
  RequestQueue,
  type XKind,
  type CardKey,
  PerCard,
  sameCard,
  type TabProps,
} from '@insight-host/kit/lab';
import { computed, type ReadonlySignal as Live, effect, signal } from '@preact/signals';
import { RecordTables, type Records } from './records';
import type { Codec, CursorAt, PluginContext } from '@insight-host/api';
import { indexOf, parseStand, positionAt, standText, type Stand } from './positions';

const AT_ONCE = 4; // requests

/** What a tab of cards with sliders is made of; without more, one card for each tag and run. */
export interface StepParts extends CardParts {
  /** How records are named: by step, by time since the first, by date. */
  readonly time: Setting<XKind>;
  readonly attempts: Setting<'last' | 'all'>;
  /** Whether attempts differ: the list of tags says so, or a table that leaves records out. */
  readonly hasRestarts: Live<boolean>;
  /** For what cards ask. */
  readonly queue: RequestQueue;
  readonly tables: RecordTables;
  readonly stands: Stands;
  readonly playback: Playback;
}

/** The parameters are those of `cardParts`. */
export function stepParts(page: Page, perTag: boolean | Live<boolean> = false, series?: SeriesChoice): StepParts {
  const parts = cardParts(page, perTag, series);
  const attempts = page.setting('attempts', codecs.attempts);
  const queue = new RequestQueue(AT_ONCE);
  const tables = new RecordTables(page, queue, attempts);
  return {
    ...parts,
    time: page.setting('time', codecs.xKind),
    attempts,
    hasRestarts: computed(() => attempts.value === 'all' || parts.tags.hasAttempts.value || tables.anyHidden.value),
    queue,
    tables,
    stands: new Stands(page, tables),
    playback: new Playback(page.ctx.memory),
  };
}

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

/** Texts of sliders and of times, for the catalogues of tabs that have them. */
export const stepMessages: TabProps<never>['messages'] = { en, 'zh-CN': zh };
