import { boardKeys, cardStyles, tab } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import { markdownStyles } from '@insight-host/kit/markdown';
import { App } from './app';
import { textParts } from './board';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import reasons from './reasons.zh-CN.json';
import styles from './text.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh, ...reasons } },
  styles: cardStyles + stepStyles + markdownStyles + styles,
  board: textParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [...stepKeys(board), ...boardKeys(board, host)],
});
