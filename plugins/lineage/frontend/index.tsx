import { tab } from '@insight-host/kit';
import { runTexts } from '@insight-host/kit/runs';
import { App } from './app';
import { lineageParts } from './board';
import { keys } from './keys';
import styles from './lineage.css?inline';
import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';

export default tab({
  messages: { en: { ...runTexts.en, ...en }, 'zh-CN': { ...runTexts['zh-CN'], ...zh } },
  styles,
  board: lineageParts,
  view: (board) => <App board={board} />,
  keys,
});
