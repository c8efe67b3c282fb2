import { cardStyles, tab } from '@insight-host/kit';
import { stepMessages, stepStyles } from '@insight-host/kit/steps';
import { App } from './app';
import { imageParts } from './board';
import styles from './images.css?inline';
import { keys } from './keys';
import { tab as en } from '../insight_image/locales/en.json';
import { tab as zh } from '../insight_image/locales/zh-CN.json';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: imageParts,
  view: (board) => <App board={board} />,
  keys,
});
