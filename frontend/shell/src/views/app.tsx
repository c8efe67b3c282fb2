import { message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { NARROW } from '../state/overlays';
import { usePage } from '../state/page';
import { Footer } from './status';
import { Header } from './header';
import { useLater, whenIdle } from '../loading';
import { PluginPanel } from './plugin_panel';
import { Sidebar } from './sidebar';

export function App() {
  const card = usePage().url.text('embed').value;
  return card === null ? <Whole /> : <Alone card={card} />;
}

/** Banners and toasts: loaded when there is one, and after the tab in front, for the time when the host is away. */
function useMessages(): typeof import('./messages') | null {
  const page = usePage();
  const { session, toasts } = page;
  const isAway = session.live.state.value === 'disconnected' || session.away.value !== null;
  const hasAny = isAway || toasts.list.value.length > 0 || (session.table.value?.notices.length ?? 0) > 0;
  return useLater(() => import('./messages'), page.isShown.value || hasAny);
}

function Banners() {
  const messages = useMessages();
  return messages && <messages.Banners />;
}

function Toasts() {
  const messages = useMessages();
  return messages && <messages.ToastList />;
}

/** One card in the place of the whole page; loaded then. */
function Alone({ card }: { readonly card: string }) {
  const embedded = useLater(() => import('../cards/embedded'));
  return (
    <>
      {embedded && <embedded.EmbeddedCard card={card} />}
      <Toasts />
    </>
  );
}

function Whole() {
  useShortcuts();
  return (
    <>
      <Header />
      <div class="ih-body">
        <Sidebar />
        <Main />
      </div>
      <Footer />
      <Dialogs />
      <Toasts />
    </>
  );
}

function Main() {
  const page = usePage();
  const t = page.t.value;
  const { session } = page;
  const started = session.table.value !== null;
  return (
    <main
      class="ih-main"
      onPointerDown={() => {
        if (innerWidth < NARROW) page.sidebarOpen.value = false; // there it lies over the view
      }}
    >
      <Banners />
      {!started && session.startError.value && (
        <div class="ih-empty" role="alert">
          <h2>{t('offline.start', { reason: session.startError.value })}</h2>
          <p class="ih-muted">{t('offline.start.hint')}</p>
        </div>
      )}
      {started && page.isEmpty.value && <NoRuns />}
      {started && page.hasRuns.value && page.tabs.value.length === 0 && (
        <div class="ih-empty">
          <h2>{t('plugin.empty')}</h2>
        </div>
      )}
      {page.tabs.value.map((tab) => (
        <PluginPanel key={tab.name} tab={tab} />
      ))}
    </main>
  );
}

/** Stands in for a view while the host has no runs; loaded then. */
function NoRuns() {
  const empty = useLater(() => import('./empty_logdir'));
  return empty && <empty.EmptyLogdir />;
}

function Dialogs() {
  const page = usePage();
  const loaded = useSignal<typeof import('./dialogs') | null>(null);
  const dialog = page.dialog.value;
  const load = (): void => {
    import('./dialogs').then(
      (found) => {
        loaded.value = found;
        page.nameField.value = found.NameField;
        page.comparing.value = found.comparingOf(page);
      },
      (cause: unknown) => {
        page.dialog.value = null;
        page.toasts.show('error', message(cause));
      },
    );
  };
  useEffect(() => {
    if (page.isShown.value) whenIdle(load);
  }, [page.isShown.value]);
  const typed = useRef(''); // while the dialog is loaded: meant for it, not for the field that has the focus
  useLayoutEffect(() => {
    if (!dialog) typed.current = '';
    if (!dialog || loaded.value) return undefined;
    load();
    const hold = (event: KeyboardEvent): void => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      typed.current += event.key;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('keydown', hold, true);
    return () => removeEventListener('keydown', hold, true);
  }, [dialog, loaded.value]);
  if (!dialog || !loaded.value) return null;
  const { OpenDialog } = loaded.value;
  return <OpenDialog dialog={dialog} typed={typed.current} />;
}

function useShortcuts(): void {
  const page = usePage();
  useEffect(() => {
    const focusFilter = (): void => {
      page.sidebarOpen.value = true;
      const focus = (): boolean => {
        const field = document.getElementById('run-filter');
        field?.focus();
        return field !== null;
      };
      if (!focus()) requestAnimationFrame(focus); // immediately if it exists: it must receive the next key
    };
    const toggleDialog = (kind: 'palette' | 'keyboard' | 'share'): void => {
      page.dialog.value = page.dialog.value?.kind === kind ? null : { kind };
    };
    const shortcuts = [
      { key: 'Mod+k', run: () => toggleDialog('palette'), always: true },
      { key: '/', run: focusFilter },
      { key: '[', run: () => page.turn(-1) },
      { key: ']', run: () => page.turn(1) },
      { key: '\\', run: () => void (page.sidebarOpen.value = !page.sidebarOpen.value) },
      { key: 'Shift+S', run: () => toggleDialog('share') },
      {
        key: '|',
        run: () => {
          page.sidebarOpen.value = true;
          page.tableOpen.set(!page.tableOpen.value);
        },
      },
      { key: '?', run: () => toggleDialog('keyboard') },
    ];
    const ends = shortcuts.map((shortcut) => page.shortcuts.add({ ...shortcut, description: '', owner: '' }));
    const onKeyDown = (event: KeyboardEvent): void =>
      page.shortcuts.press(event, page.front.value?.name ?? '', document.querySelector('dialog[open]') !== null);
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('keydown', onKeyDown);
      for (const end of ends) end();
    };
  }, []);
}
