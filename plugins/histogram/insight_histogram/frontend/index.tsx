import { HistogramBoard, histogramMessages, histogramStyles, tab } from 'insight-host/kit';
import { App } from './app';
import styles from './histograms.css?inline';
import { keys } from './keys';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

export default tab({
  messages: { en: { ...histogramMessages.en, ...en }, 'zh-CN': { ...histogramMessages['zh-CN'], ...zh } },
  styles: histogramStyles + styles,
  board: (ctx) => new HistogramBoard(ctx),
  view: (board) => <App board={board} />,
  keys,
});
