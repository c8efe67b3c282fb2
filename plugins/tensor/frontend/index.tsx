import { boardKeys, cardStyles, tab } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import { histogramMessages, histogramStyles } from '@insight-host/kit/histograms';
import { App } from './app';
import { tensorParts, turnShow } from './board';
import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';
import styles from './tensors.css?inline';

export default tab({
  messages: {
    en: { ...stepMessages.en, ...histogramMessages.en, ...en },
    'zh-CN': { ...stepMessages['zh-CN'], ...histogramMessages['zh-CN'], ...zh },
  },
  styles: cardStyles + stepStyles + histogramStyles + styles,
  board: (page) => tensorParts(page),
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['v', 'histogram.view.next', () => turnShow(board)],
    ['h', 'keys.show', () => board.show.set(board.show.value === 'table' ? 'histogram' : 'table')],
    ...stepKeys(board),
    ...boardKeys(board, host),
  ],
});
