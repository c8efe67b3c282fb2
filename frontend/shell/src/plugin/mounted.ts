/** One opened plugin: loads its module, mounts it once, and keeps it until a retry. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { API, type Disposer, type Plugin } from '@insight-host/api';
import type { Page } from '../state/page';
import type { Tab } from '../state/session';
import { pluginContext } from './context';

type MountState = 'waiting' | 'loading' | 'mounted' | 'failed';

/** The module was loaded but is not a plugin for this page. */
class NotAPlugin extends Error {
  override readonly name = 'NotAPlugin';
}

export type LoadModule = (url: string) => Promise<{ readonly default?: unknown }>;
export const importModule: LoadModule = (url) => import(/* @vite-ignore */ url);

/** Calls what a `mount` returned, if it is a function, when `signal` ends. */
export function disposeWith(signal: AbortSignal, dispose: Disposer | void): void {
  if (typeof dispose !== 'function') return;
  const end = (): void => {
    try {
      dispose();
    } catch (cause) {
      console.error(cause);
    }
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);
}

/** Seconds after which the page says that a plugin is not there yet. */
export const SLOW = 10;

/** Calls `say` if `signal` has not ended by then. */
export function whenSlow(signal: AbortSignal, say: () => void): void {
  const timer = setTimeout(say, SLOW * 1000);
  disposeWith(signal, () => clearTimeout(timer));
}

export class MountedPlugin {
  readonly state = signal<MountState>('waiting');
  /** It is not mounted after `SLOW` seconds; it may be later. */
  readonly isSlow = signal(false);
  /** Why it failed to mount, or what one of its callbacks threw later. */
  readonly failure = signal<unknown>(null);
  private ended = new AbortController();
  private attempt = 0;

  constructor(
    private readonly page: Page,
    readonly tab: Tab,
    private readonly visible: ReadonlySignal<boolean>,
    private readonly load: LoadModule = importModule,
  ) {}

  get moduleUrl(): string {
    return new URL(this.tab.loading_mechanism.module_path ?? '', document.baseURI).href;
  }

  async mount(host: HTMLElement): Promise<void> {
    this.state.value = 'loading';
    this.failure.value = null;
    this.isSlow.value = false;
    const controller = new AbortController();
    this.ended = controller;
    const waiting = new AbortController();
    whenSlow(AbortSignal.any([controller.signal, waiting.signal]), () => (this.isSlow.value = true));
    try {
      const plugin = this.checked(await this.load(this.address()));
      if (controller.signal.aborted) return;
      const context = pluginContext(this.page, {
        messages: plugin.messages ?? {},
        name: this.tab.name,
        signal: controller.signal,
        visible: this.visible,
        onError: (cause) => this.report(cause),
      });
      disposeWith(controller.signal, await plugin.mount(host, context));
      if (!controller.signal.aborted) this.state.value = 'mounted';
    } catch (cause) {
      if (controller.signal.aborted) return;
      controller.abort();
      host.replaceChildren();
      this.failure.value = cause ?? new Error('the plugin failed without a reason');
      this.state.value = 'failed';
      console.error(cause);
    } finally {
      waiting.abort();
      if (this.ended === controller) this.isSlow.value = false;
    }
  }

  /** A callback of the plugin threw: it stays on the page, below the card. */
  report(cause: unknown): void {
    if (this.ended.signal.aborted) return; // an aborted request is not a failure
    if (cause instanceof DOMException && cause.name === 'AbortError') return;
    this.failure.value = cause ?? new Error('the plugin failed without a reason');
    console.error(cause);
  }

  remount(host: HTMLElement): void {
    this.ended.abort();
    host.replaceChildren();
    this.attempt += 1;
    void this.mount(host);
  }

  /** Its place in the page goes, because the host now says that the plugin fails. */
  end(): void {
    this.ended.abort();
  }

  /** A module that failed once is remembered by the browser as failed; another query is another module. */
  private address(): string {
    return this.attempt ? `${this.moduleUrl}?attempt=${this.attempt}` : this.moduleUrl;
  }

  private checked(module: { readonly default?: unknown }): Plugin {
    const t = this.page.t.peek();
    const plugin = module.default as Partial<Plugin> | undefined;
    if (typeof plugin?.mount !== 'function') throw new NotAPlugin(t('plugin.noExport'));
    if (plugin.apiVersion !== API)
      throw new NotAPlugin(t('plugin.version', { found: String(plugin.apiVersion), known: String(API) }));
    return plugin as Plugin;
  }
}
