import { boardKeys, cardStyles, onCard, stepKeys, stepMessages, stepStyles, tab } from '@insight-host/kit';
import { App } from './app';
import styles from './audio.css?inline';
import { AudioBoard } from './board';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: ({ ctx }) => new AudioBoard(ctx),
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['p', 'play', onCard(board, (card) => board.toggleSound(card))],
    ['l', 'loop', () => board.loop.set(!board.loop.value)],
  ],
});
