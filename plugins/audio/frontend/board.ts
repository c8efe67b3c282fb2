import { codecs, PerCard, type CardKey, type Page } from '@insight-host/kit';
import { recordQuery, type Records, stepParts } from '@insight-host/kit/steps';
import type { Query } from '@insight-host/api';
import { Player } from './player';

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
