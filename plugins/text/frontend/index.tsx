import { boardKeys, cardStyles, tab } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import { markdownStyles } from '@insight-host/kit/markdown';
import { App } from './app';
import { textParts } from './board';
import en from '../insight_text/locales/en.json';
import zh from '../insight_text/locales/zh-CN.json';
import styles from './text.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + markdownStyles + styles,
  board: textParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [...stepKeys(board), ...boardKeys(board, host)],
});
