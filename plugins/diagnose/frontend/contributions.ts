/** Findings beyond the tab: in the menu of a run, in the palette, and as columns of the run list. */
import { API, type Contributions } from '@insight-host/api';
import en from '../insight_diagnose/locales/en.json';
import zh from '../insight_diagnose/locales/zh-CN.json';

const COLORS: Readonly<Record<string, string>> = { error: 'var(--danger)', warning: 'var(--warn)' };
const RANKS = ['none', 'hint', 'warning', 'error'];

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  cards: [
    {
      id: 'answers',
      title: 'answers',
      strip: true,
      mount: async (host, ctx) => (await import('./answers_strip')).mountAnswers(host, ctx),
    },
  ],
  commands: [{ text: 'command', run: (ctx) => void ctx.open('diagnose') }],
  runActions: [
    {
      id: 'findings',
      text: 'command.run',
      run(run, ctx) {
        ctx.open('diagnose', { run });
      },
    },
  ],
  columns({ plugin, name }, ctx) {
    if (plugin !== 'diagnose' || name !== 'worst') return null;
    return {
      cell(value) {
        const cell = document.createElement('span');
        cell.textContent = ctx.t(`severity.${value}`);
        cell.style.color = COLORS[String(value)] ?? 'var(--muted)';
        return cell;
      },
      order: (value) => RANKS.indexOf(String(value)),
    };
  },
} satisfies Contributions;
