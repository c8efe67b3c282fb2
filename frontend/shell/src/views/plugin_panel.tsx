/** The panel of one tab. Mounted when first opened, afterwards hidden and shown. */
import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { MountedPlugin } from '../plugin/mounted';
import { usePage } from '../state/page';
import { isFramed, type Tab } from '../state/session';
import { ErrorCard, failureOf } from './parts';
import { Remarks } from '../loading';

export function PluginPanel({ tab }: { tab: Tab }) {
  const page = usePage();
  const inFront = useComputed(() => page.front.value?.name === tab.name && !page.isEmpty.value);
  const opened = useSignal(false);
  useSignalEffect(() => {
    if (inFront.value) opened.value = true;
  });
  return (
    <div
      id={`panel-${tab.name}`}
      role="tabpanel"
      aria-labelledby={`tab-${page.headOf(tab.name)?.name}`}
      class="ih-panel"
      data-plugin={tab.name}
      hidden={!inFront.value}
    >
      {opened.value && <Content tab={tab} visible={inFront} />}
    </div>
  );
}

function Content({ tab, visible }: { tab: Tab; visible: ReadonlySignal<boolean> }) {
  const page = usePage();
  const isMounted = tab.loading_mechanism.type === 'ES_MODULE' && !tab.error;
  useEffect(() => {
    if (!isMounted) page.isShown.value = true;
  }, [isMounted]);
  if (tab.error || !tab.loading_mechanism.module_path) return <Refused tab={tab} />;
  if (isFramed(tab)) return <Framed tab={tab} visible={visible} />;
  // another address is another build of the tab: its author saved a file, or the host came back with another version
  return tab.loading_mechanism.type === 'ES_MODULE' ? (
    <Opened key={tab.loading_mechanism.module_path} tab={tab} visible={visible} />
  ) : (
    <Refused tab={tab} />
  );
}

/** Made for TensorBoard: the code for it is loaded when the first such tab is opened. */
function Framed({ tab, visible }: { tab: Tab; visible: ReadonlySignal<boolean> }) {
  const page = usePage();
  const loaded = useSignal<typeof import('./plugin_frame') | null>(null);
  const failure = useSignal<unknown>(null);
  const load = (): void => {
    failure.value = null;
    import('./plugin_frame').then(
      (found) => (loaded.value = found),
      (cause: unknown) => (failure.value = cause),
    );
  };
  useEffect(load, []);
  if (loaded.value) return <loaded.value.PluginFrame tab={tab} visible={visible} />;
  if (failure.value === null) return null;
  return (
    <ErrorCard
      title={page.t.value('plugin.failed', { plugin: page.tabTitle(tab) })}
      failure={failureOf(failure.value)}
      onRetry={load}
    />
  );
}

/** A plugin that the server could not load, or that brings no view. */
function Refused({ tab }: { tab: Tab }) {
  const page = usePage();
  const t = page.t.value;
  const message = tab.error ?? t('plugin.noModule', { type: tab.loading_mechanism.type });
  const [first, ...rest] = message.split('\n');
  return (
    <ErrorCard
      title={t('plugin.failed', { plugin: page.tabTitle(tab) })}
      failure={{ message: first ?? '', ...(rest.length ? { details: rest.join('\n') } : {}) }}
      {...(tab.error ? { intro: t('plugin.server') } : {})}
    />
  );
}

function Opened({ tab, visible }: { tab: Tab; visible: ReadonlySignal<boolean> }) {
  const page = usePage();
  const t = page.t.value;
  const host = useRef<HTMLDivElement>(null);
  const mounted = useMemo(() => new MountedPlugin(page, tab, visible), []);
  useEffect(() => {
    if (host.current) void mounted.mount(host.current);
    const stopWatching = page.watchErrors(mounted);
    return () => {
      stopWatching();
      mounted.end();
    };
  }, []);
  const failure = mounted.failure.value;
  const state = mounted.state.value;
  const isSlow = mounted.isSlow.value;
  useEffect(() => {
    if (state === 'mounted' || state === 'failed' || isSlow) page.isShown.value = true;
  }, [state, isSlow]);
  const title = page.tabTitle(tab);
  return (
    <>
      {failure !== null && (
        <ErrorCard
          title={t(state === 'failed' ? 'plugin.failed' : 'plugin.failed.later', { plugin: title })}
          failure={failureOf(failure)}
          onRetry={() => host.current && mounted.remount(host.current)}
          {...(state === 'failed' ? {} : { onDismiss: () => void (mounted.failure.value = null) })}
        />
      )}
      {state === 'loading' && <p class="ih-late ih-muted ih-panel-wait">{t('plugin.loading', { plugin: title })}</p>}
      <div class="ih-plugin" ref={host} />
      <Remarks tab={tab} title={title} onSlow={isSlow && (() => host.current && mounted.remount(host.current))} />
    </>
  );
}
