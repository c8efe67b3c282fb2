import { boardKeys, cardStyles, onCard, tab } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import { App } from './app';
import styles from './audio.css?inline';
import { audioParts, toggleSound } from './board';
import en from '../insight_audio/locales/en.json';
import zh from '../insight_audio/locales/zh-CN.json';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: audioParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['p', 'play', onCard(board, (card) => toggleSound(board, card))],
    ['l', 'loop', () => board.loop.set(!board.loop.value)],
  ],
});
