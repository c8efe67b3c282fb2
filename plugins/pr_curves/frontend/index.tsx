import { boardKeys, cardStyles, tab } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import { App } from './app';
import { prParts, VIEWS } from './board';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import reasons from './reasons.zh-CN.json';
import styles from './pr_curves.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh, ...reasons } },
  styles: cardStyles + stepStyles + styles,
  board: prParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['v', 'view.turn', () => board.view.set(VIEWS[(VIEWS.indexOf(board.view.value) + 1) % VIEWS.length] ?? 'pr')],
  ],
});
