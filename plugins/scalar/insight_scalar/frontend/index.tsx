import type { Plugin } from 'insight-host';
import { render } from 'preact';
import { App } from './app';
import { Board } from './board';
import { addShortcuts } from './keys';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import styles from './scalars.css?inline';

const plugin: Plugin = {
  apiVersion: 1,
  messages: { en, 'zh-CN': zh },
  mount(host, ctx) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    document.adoptedStyleSheets.push(sheet);
    const board = new Board(ctx);
    const stopKeys = addShortcuts(board, host);
    render(<App board={board} />, host);
    return () => {
      stopKeys();
      render(null, host);
      board.dispose();
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  },
};

export default plugin;
