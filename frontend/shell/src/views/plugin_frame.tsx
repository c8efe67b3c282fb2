/** A plugin made for TensorBoard, or TensorBoard's own page: a document of the same origin in a frame. */
import { effect, type ReadonlySignal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { href } from '../data/http';
import { Spaced } from '@insight-host/kit/lab';
import { BOOTSTRAP, firstAddress, FrameChannel, keepPlace, type Surroundings } from '../plugin/frames';
import { type Page, usePage } from '../state/page';
import { isWholePage, type Tab } from '../state/session';
import { addStyles, ErrorCard, failureOf } from './parts';
import { Remarks } from '../loading';
import styles from './late.css?inline';
import { lateTexts } from '../i18n/texts';
import { plugin_frame as en } from '../locales/en.json';
import { plugin_frame as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

addStyles(styles);

const RELOADS_APART = 5000; // ms: a reload makes the plugin request all its data again

/** What each mechanism shows; TensorBoard's page is one too. */
function frameAddress({ name, loading_mechanism }: Tab): string | null {
  if (loading_mechanism.type === 'IFRAME') return href('data/plugin_entry.html', { name });
  if (loading_mechanism.type === 'PAGE') return href(loading_mechanism.module_path ?? '');
  return null;
}

/** Kept while hidden, so that a plugin stays as its reader left it, unless it asks for its DOM to be removed. */
export function PluginFrame({ tab, visible }: { tab: Tab; visible: ReadonlySignal<boolean> }) {
  const page = usePage();
  const t = page.t.value;
  const failure = useSignal<unknown>(null);
  const attempt = useSignal(0);
  const title = page.tabTitle(tab);
  if (tab.remove_dom && !visible.value) return null;
  const retry = (): void => {
    failure.value = null;
    attempt.value += 1;
  };
  return (
    <>
      {failure.value !== null && (
        <ErrorCard
          title={t('plugin.failed.later', { plugin: title })}
          failure={failureOf(failure.value)}
          onRetry={retry}
          onDismiss={() => void (failure.value = null)}
        />
      )}
      <Frame
        key={attempt.value}
        page={page}
        tab={tab}
        title={title}
        visible={visible}
        onFailure={(cause) => void (failure.value = cause)}
      />
      <Remarks tab={tab} title={title} />
    </>
  );
}

interface FrameProps {
  readonly page: Page;
  readonly tab: Tab;
  readonly title: string;
  readonly visible: ReadonlySignal<boolean>;
  readonly onFailure: (cause: unknown) => void;
}

function Frame({ page, tab, title, visible, onFailure }: FrameProps) {
  const host = useRef<HTMLIFrameElement>(null);
  const around = useMemo(() => surroundings(page, tab, visible), []);
  const address = useMemo(() => (around ? firstAddress(around) : frameAddress(tab)), []);
  // before the browser can have heard from the frame
  useLayoutEffect(() => {
    if (!host.current) return;
    const ends = [accompany(host.current, page, tab, visible, onFailure), around && keepPlace(host.current, around)];
    return () => ends.forEach((end) => end?.());
  }, []);
  return <iframe ref={host} class="ih-frame" title={title} src={address ?? 'about:blank'} />;
}

/** State passed to TensorBoard's page in its URL; plugins in frames get it by messages. */
function surroundings(page: Page, tab: Tab, visible: ReadonlySignal<boolean>): Surroundings | null {
  const base = frameAddress(tab);
  if (base === null || !isWholePage(tab)) return null;
  return { base, url: page.url, key: `${tab.name}.at`, mode: page.preferences.mode, visible };
}

/** Talks to the guest and watches for its errors until the frame goes; returns what ends that. */
function accompany(
  frame: HTMLIFrameElement,
  page: Page,
  tab: Tab,
  visible: ReadonlySignal<boolean>,
  onFailure: (cause: unknown) => void,
): () => void {
  const runs = (): string[] => page.runs.selected.value.map((run) => run.name);
  const channel = new FrameChannel({
    'experimental.GetRuns': runs,
    'experimental.GetURLPluginData': () => page.url.below(`p.${tab.name}.`),
  });
  const onMessage = (event: MessageEvent): void => {
    const [port] = event.ports;
    if (event.data === BOOTSTRAP && port && event.source === frame.contentWindow && event.origin === location.origin)
      channel.connect(port);
  };
  addEventListener('message', onMessage);

  let told = JSON.stringify(runs());
  const endRuns = effect(() => {
    const chosen = runs();
    const text = JSON.stringify(chosen);
    if (text === told) return;
    told = text;
    channel.tell('experimental.RunsChanged', chosen);
  });

  let loaded = page.session.generation.peek();
  const reload = new Spaced(RELOADS_APART, () => {
    if (!visible.peek()) return; // told when it is looked at again
    loaded = page.session.generation.peek();
    channel.tell('experimental.DataReloaded');
  });
  const endReloads = effect(() => {
    if (!tab.disable_reload && visible.value && page.session.generation.value !== loaded) reload.ask();
  });

  const onLoad = (): void => {
    const [window, document] = [frame.contentWindow, frame.contentDocument];
    if (!document) return onFailure(words(page, 'plugin.unreachable')); // it is the browser's page of errors
    if (document.contentType !== 'text/html') onFailure(refusal(document)); // the host's own words
    window?.addEventListener('error', ({ error }) => {
      if (error) onFailure(error); // without one it is the browser's remark, not the plugin's failure
    });
    window?.addEventListener('unhandledrejection', ({ reason }) =>
      onFailure(reason ?? new Error('the plugin failed without a reason')),
    );
  };
  frame.addEventListener('load', onLoad);
  return () => {
    removeEventListener('message', onMessage);
    frame.removeEventListener('load', onLoad);
    endRuns();
    endReloads();
    reload.cancel();
    channel.close();
  };
}

function refusal(document: Document): string {
  const text = document.body?.textContent?.trim() ?? '';
  try {
    return String((JSON.parse(text) as { error?: unknown }).error ?? text);
  } catch {
    return text;
  }
}
