import { render } from 'preact';
import '@insight-host/kit';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/shell.css';
import './styles/runs.css';
import './styles/dialogs.css';
import { cardsWhenAsked } from './cards/start';
import { panelWhenAsked } from './panel/start';
import { columnsWhenShown } from './columns/start';
import { contributeWhenIdle } from './contributed/start';
import { viewsWhenShown } from './saved_views/start';
import { Page, PageProvider } from './state/page';
import { App } from './views/app';
import { whenIdle } from './when_idle';

const page = new Page();
page.session.start();
contributeWhenIdle(page);
panelWhenAsked(page);
cardsWhenAsked(page);
columnsWhenShown(page);
viewsWhenShown(page);
whenIdle(() => void import('./hovering').then(({ hoverRuns }) => hoverRuns(page.hovered)));
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
