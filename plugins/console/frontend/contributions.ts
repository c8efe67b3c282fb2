/** Console beyond the tab: in the menu of a run, in the palette, and why a run failed in its row. */
import { API, type Contributions } from '@insight-host/api';
import en from '../insight_console/locales/en.json';
import zh from '../insight_console/locales/zh-CN.json';

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  commands: [{ text: 'command', run: (ctx) => void ctx.open('console') }],
  runActions: [{ id: 'console', text: 'command.run', run: (run, ctx) => void ctx.open('console', { run }) }],
  columns({ plugin, name }) {
    if (plugin !== 'console' || name !== 'failure') return null;
    return {
      cell(value) {
        const [said = '', , ...lines] = String(value).split('\n');
        const cell = document.createElement('span');
        cell.textContent = said;
        cell.title = lines.join('\n');
        cell.style.color = 'var(--danger)';
        return cell;
      },
    };
  },
} satisfies Contributions;
