import { tab } from '@insight-host/kit';
import { App } from './app';
import { profilerParts } from './board';
import { keys } from './keys';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import reasons from './reasons.zh-CN.json';
import styles from './profiler.css?inline';

/** Why a profile cannot be read, as the cause of an error of the host. */
const causes = Object.fromEntries(
  Object.entries(zh)
    .filter(([key]) => key.startsWith('failure.'))
    .map(([key, text]) => [key.replace('failure.', 'reason.profiler_failure_'), text]),
);

export default tab({
  messages: { en, 'zh-CN': { ...zh, ...reasons, ...causes } },
  styles,
  board: profilerParts,
  view: (board) => <App board={board} />,
  keys,
});
