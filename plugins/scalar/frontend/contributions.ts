/**
 * What this tab adds to the page without being opened; its texts are here alone, so that no module is shared for them.
 */
import { API, type Contributions, type PluginContext } from '@insight-host/api';
import { effect, signal } from '@preact/signals';
import { notesOf } from './notes';

const changed = signal(0);
const openNotes = (ctx: PluginContext): void => void ctx.open('scalar', { dialog: 'notes' });

export default {
  apiVersion: API,
  messages: {
    // as `first.title` and `notes.title` of the tab
    en: { first: 'Find the first step where…', notes: 'Notes on charts' },
    'zh-CN': { first: '查找首次出现的步…', notes: '图表笔记' },
  },
  commands: [
    { text: 'first', run: (ctx) => void ctx.open('scalar', { dialog: 'first' }) },
    { text: 'notes', run: openNotes },
  ],
  start(ctx) {
    const notes = notesOf(ctx);
    const stop = notes.follow();
    const stopMarks = effect(() => {
      void notes.all.value;
      changed.value = changed.peek() + 1;
    });
    return () => {
      stop();
      stopMarks();
    };
  },
  changed,
  markers: ({ tags, runs }, ctx) => notesOf(ctx).marks(tags, runs, () => openNotes(ctx)),
} satisfies Contributions;
