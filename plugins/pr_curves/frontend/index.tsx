import { boardKeys, cardStyles, tab } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import { App } from './app';
import { prParts, VIEWS } from './board';
import en from '../insight_pr_curves/locales/en.json';
import zh from '../insight_pr_curves/locales/zh-CN.json';
import styles from './pr_curves.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: prParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['v', 'view.turn', () => board.view.set(VIEWS[(VIEWS.indexOf(board.view.value) + 1) % VIEWS.length] ?? 'pr')],
  ],
});
