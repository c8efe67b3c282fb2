import { cardStyles, tab } from '@insight-host/kit';
import { stepMessages, stepStyles } from '@insight-host/kit/steps';
import { histogramMessages, histogramParts, histogramStyles } from '@insight-host/kit/histograms';
import { tableStyles } from '@insight-host/kit/table';
import { App } from './app';
import styles from './histograms.css?inline';
import { keys } from './keys';
import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';

export default tab({
  messages: {
    en: { ...stepMessages.en, ...histogramMessages.en, ...en },
    'zh-CN': { ...stepMessages['zh-CN'], ...histogramMessages['zh-CN'], ...zh },
  },
  styles: cardStyles + stepStyles + histogramStyles + tableStyles + styles,
  board: (page) => histogramParts(page),
  view: (board) => <App board={board} />,
  keys,
});
