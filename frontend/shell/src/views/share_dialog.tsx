/** The dialog that shares the page: a link, saved views, files, and what the menu of a chart offers. */
import { Dialog, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { getJson } from '../data/http';
import { lateTexts } from '../i18n/texts';
import { loadViews } from '../loading';
import { share as en } from '../locales/en.json';
import { share as zh } from '../locales/zh-CN.json';
import { SavedViews } from '../saved_views/saved_views';
import { ViewList } from '../saved_views/views_dialog';
import { usePage } from '../state/page';
import { isFile } from './docs';

export const words = lateTexts({ en, 'zh-CN': zh });

/** What the reader of a link needs. */
interface Link {
  readonly needs_token: boolean;
  readonly guest_token: string | null;
}

export function ShareDialog() {
  const page = usePage();
  const views = page.views.value;
  useEffect(() => loadViews(page), []);
  const close = (): void => void (page.dialog.value = null);
  const menu = chartMenu();
  return (
    <Dialog name="share" title={page.t.value('share')} close={page.t.value('close')} onClose={close}>
      {!isFile() && <LinkField />}
      <h3>{words(page, 'views')}</h3>
      {views instanceof SavedViews && <ViewList views={views} onClose={close} />}
      {menu && (
        <button
          type="button"
          class="ih-button ih-share-chart"
          data-action="share-chart"
          title={words(page, 'chart.hint')}
          onClick={() => {
            close();
            requestAnimationFrame(() => openMenu(menu)); // after the dialog has returned the focus
          }}
        >
          {words(page, 'chart')}
        </button>
      )}
    </Dialog>
  );
}

/** The menu of the first chart of the tab in front, if there is one. */
export function chartMenu(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.ih-panel:not([hidden]) [data-action="export"][aria-haspopup="menu"]');
}

export function openMenu(menu: HTMLElement): void {
  menu.scrollIntoView({ block: 'center' });
  menu.focus();
  menu.click();
}

function LinkField() {
  const page = usePage();
  const link = useSignal<Link | null>(null);
  const copied = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    getJson<Link>('data/link').then(
      (found) => (link.value = found),
      () => undefined, // the host is away, which the page says; the address is right all the same
    );
  }, []);
  const address = new URL(location.href);
  const guest = link.value?.guest_token;
  if (guest) address.searchParams.set('token', guest);
  const copy = async (): Promise<void> => {
    field.current?.select(); // for who copies by hand
    try {
      await navigator.clipboard.writeText(address.href);
      copied.value = true;
    } catch (cause) {
      page.toasts.show('warn', words(page, 'link.refused', { reason: message(cause) }));
    }
  };
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
  const needs = link.value?.needs_token ? (guest ? 'link.guest' : 'link.token') : 'link.open';
  return (
    <section class="ih-share-link">
      <div class="ih-row">
        <input
          ref={field}
          class="ih-input ih-mono"
          type="text"
          readOnly
          aria-label={words(page, 'link')}
          value={address.href}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <button type="button" class="ih-button ih-primary" data-action="copy-link" onClick={() => void copy()}>
          {words(page, copied.value ? 'link.copied' : 'link.copy')}
        </button>
      </div>
      <p class="ih-muted">
        {words(page, needs)} {isLocal && words(page, 'link.local', { host: location.hostname })}
      </p>
    </section>
  );
}
