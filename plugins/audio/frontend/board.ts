import { cardId, codecs, recordQuery, StepBoard, type CardKey, type Records } from '@insight-host/kit';
import type { PluginContext, Query } from '@insight-host/api';
import { clipOf, type Clip } from './clip';
import { Player } from './player';

const clipNumber = (text: string): number | null => (/^\d{1,6}$/.test(text) ? Number(text) : null);

export class AudioBoard extends StepBoard {
  readonly loop = this.setting('loop', codecs.flag(false));
  /** Which clip of a record is shown, by card; the first by default. */
  private readonly clips = this.setting('clip', codecs.byCard(clipNumber, String));
  readonly player = new Player();

  constructor(ctx: PluginContext) {
    super(ctx);
    this.until(this.loop.subscribe((loop) => this.player.setLoop(loop)));
    this.until(this.visible.subscribe((visible) => visible || this.player.pause()));
    this.until(() => this.player.dispose());
  }

  clipOf(card: CardKey): number {
    return this.clips.value.get(cardId(card)) ?? 0;
  }

  setClip(card: CardKey, clip: number): void {
    const next = new Map(this.clips.value);
    if (clip > 0) next.set(cardId(card), clip);
    else next.delete(cardId(card));
    this.clips.set(next);
  }

  queryOf(card: CardKey, records: Records, index: number): Query {
    return { ...recordQuery(card, records, index), clip: this.clipOf(card) || null };
  }

  /** The address of the recorded file. */
  urlOf(card: CardKey, records: Records, index: number): string {
    return this.ctx.data.href('audio', this.queryOf(card, records, index));
  }

  async picture(query: Query, signal: AbortSignal): Promise<Clip> {
    return clipOf(await this.ctx.data.columns('picture', query, { signal }));
  }

  /** Plays the record that a card shows, or pauses it. */
  toggleSound(card: CardKey): void {
    const { value: records } = this.tables.of(card).records;
    const index = records ? this.indexOf(card, records) : -1;
    if (records && index >= 0) this.player.toggle(this.urlOf(card, records, index));
  }
}
