import { computed, effect, signal } from '@preact/signals';
import type { Codec, CursorAt, PluginContext } from '@insight-host/api';
import { Board, changed, type ChangedSeries, type TagInfo } from './board';
import { cardId, sameCard, type CardKey } from './cards';
import * as codecs from './codecs';
import { RecordTables, type Records } from './records';
import { RequestQueue } from './requests';
import { indexOf, parseStand, positionAt, standText, type Stand } from './steps';
import type { Setting } from './page';

export const SPEEDS = [1, 2, 5, 10, 25] as const; // steps a second
const AT_ONCE = 4;
const SETTLE = 300; // ms without a move before the URL says where a slider stands

const stand: Codec<Stand> = {
  parse: (text) => parseStand(text ?? 'last') ?? 'last',
  format: (value) => (value === 'last' ? null : standText(value)),
};

/** A board with one card per tag and run, each with a slider over its records. */
export class StepBoard<Info extends TagInfo = TagInfo> extends Board<Info> {
  /** How records are named: by step, by time since the first, by date. */
  readonly time = this.setting('time', codecs.xKind);
  readonly attempts = this.setting('attempts', codecs.attempts);
  /** All sliders stand at the same step. */
  readonly linked = this.setting('link', codecs.flag(false));
  /** Where the sliders stand that have no place of their own. */
  private readonly common = this.setting('step', stand, SETTLE);
  private readonly own: Setting<ReadonlyMap<string, Stand>> = this.setting(
    'steps',
    codecs.byCard(parseStand, standText),
    SETTLE,
  );
  /** The card whose slider moves by itself. */
  readonly playing = signal<CardKey | null>(null);
  readonly speed = signal(5);
  readonly tables: RecordTables;
  private readonly cursor = this.follow(this.ctx.cursor);
  private reached: CursorAt | null = null; // a slider that moved since stays where it is
  /** For what cards ask. */
  readonly queue = new RequestQueue(AT_ONCE);

  constructor(ctx: PluginContext) {
    super(ctx, 'series');
    this.tables = new RecordTables(ctx, this.queue, () => this.attempts.value);
    const speed = ctx.memory.get<unknown>('speed', 5);
    if (SPEEDS.some((known) => known === speed)) this.speed.value = speed as number;
    this.onChange(this.attempts, () => this.tables.refresh());
    this.until(this.visible.subscribe((visible) => visible && this.tables.wake()));
    this.until(effect(() => void (this.visible.value && this.goTo(this.cursor.value))));
  }

  /** Linked sliders stand at the step that another tab points to or has pinned. */
  private goTo(at: CursorAt | null): void {
    if (at?.step === undefined || at.from === this.ctx.name || at === this.reached || !this.linked.value) return;
    this.reached = at;
    this.common.set({ step: at.step, nth: 0 });
  }

  /** Takes a pinned cursor along, so that other tabs stay at the step of the linked sliders. */
  private pinAt(stand: Stand): void {
    if (stand !== 'last' && this.cursor.value?.pinned) this.ctx.cursor.pin({ step: stand.step });
  }

  protected override changed(series: ChangedSeries): void {
    this.tables.changed(series);
  }

  /** Whether attempts differ: the list of tags says so, or a table that leaves records out. */
  readonly hasRestarts = computed(
    () => this.attempts.value === 'all' || this.hasAttempts.value || this.tables.anyHidden.value,
  );

  /**
   * Index of the record at which a card's slider stands; -1 without records. Without a word of the user it is the last
   * one, also after more have come.
   */
  indexOf(card: CardKey, records: Records): number {
    return indexOf(records.steps, this.standOf(card));
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
    this.own.set(changed(this.own.value, cardId(card), to === 'last' && this.common.value === 'last' ? null : to));
  }

  /** Links all sliders at the place of the card that is looked at, or lets each go from where it stands. */
  link(linked: boolean): void {
    const { value: card } = this.current;
    if (linked && card) {
      this.common.set(this.standOf(card));
      this.pinAt(this.standOf(card));
    }
    this.own.set(new Map());
    this.linked.set(linked);
  }

  play(card: CardKey): void {
    this.playing.value = sameCard(this.playing.value, card) ? null : card;
  }

  setSpeed(speed: number): void {
    this.speed.value = speed;
    this.ctx.memory.set('speed', speed);
  }

  private standOf(card: CardKey): Stand {
    return (this.linked.value ? undefined : this.own.value.get(cardId(card))) ?? this.common.value;
  }
}
