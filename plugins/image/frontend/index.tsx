import { boardKeys, cardStyles, Frame, onCard, tab, type CardKey, type Key } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { tab as en } from '../insight_image/locales/en.json';
import { tab as zh } from '../insight_image/locales/zh-CN.json';
import { imageParts, type ImageParts } from './board';
import { CardBody } from './card';
import { Comparison } from './comparison';
import styles from './images.css?inline';
import { Tools } from './toolbar';
import { ACTUAL } from './viewport';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: imageParts,
  view: (board) => <App board={board} />,
  keys,
});

function App({ board }: { readonly board: ImageParts }): JSX.Element {
  const compared = board.comparing.card.value;
  return (
    <Frame
      board={board}
      name="images"
      tools={<Tools board={board} />}
      card={(card, place) => <CardBody board={board} card={card} place={place} />}
    >
      {compared && <Comparison board={board} card={compared} />}
    </Frame>
  );
}

function keys(board: ImageParts, host: HTMLElement): readonly Key[] {
  const [full, , filter] = boardKeys(board, host);
  /** The comparison, where there is one, stands above all cards. */
  const onShown = (run: (card: CardKey) => void): (() => void) => {
    const elsewhere = onCard(board, run);
    return () => (board.comparing.card.value ? run(board.comparing.card.value) : elsewhere());
  };
  return [
    ...stepKeys(board),
    full,
    ['a', 'zoom.actual', onShown((card) => board.zooms.set(card, board.zooms.of(card) ? null : ACTUAL))],
    [
      'c',
      'compare',
      onCard(board, (card) => board.comparing.wanted.set(board.comparing.wanted.value ? null : card, 'push')),
    ],
    ['Escape', 'full.leave', () => leave(board)],
    filter,
  ];
}

function leave(board: ImageParts): void {
  if (board.lights.lit.value) board.lights.lit.value = null;
  else if (board.comparing.card.value) board.comparing.wanted.set(null);
  else if (board.cards.full.value) board.cards.full.set(null);
}
