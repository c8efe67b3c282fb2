import { render } from 'preact';
import '@insight-host/kit';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/shell.css';
import './styles/runs.css';
import './styles/messages.css';
import {
  cardsWhenAsked,
  columnsWhenShown,
  contributeWhenIdle,
  panelWhenAsked,
  viewsWhenShown,
  whenIdle,
} from './loading';
import { Page, PageProvider } from './state/page';
import { App } from './views/app';

const page = new Page();
page.session.start();
contributeWhenIdle(page);
panelWhenAsked(page);
cardsWhenAsked(page);
columnsWhenShown(page);
viewsWhenShown(page);
whenIdle(() => void import('./idle').then(({ startIdle }) => startIdle(page.hovered)));
addEventListener('error', (event) => page.uncaught(event.error, event.filename));
addEventListener('unhandledrejection', (event) => page.uncaught(event.reason, ''));

const root = document.getElementById('page');
if (root) {
  render(
    <PageProvider value={page}>
      <App />
    </PageProvider>,
    root,
  );
}
