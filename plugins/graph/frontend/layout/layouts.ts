/** Layouts of scopes, computed elsewhere and kept. */
import type { Layout, LayoutInput } from './layout';

/** The part of a worker that is used; tests bring their own. */
export interface LayoutPort {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<LayoutAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}
type LayoutAnswer = { readonly number: number; readonly layout?: Layout; readonly error?: string };

const KEPT = 300; // layouts

const startWorker = (): LayoutPort =>
  new Worker(new URL('./layout_worker', import.meta.url), { type: 'module', name: 'graph-layout' });

export class Layouts {
  private worker: LayoutPort | null = null;
  private number = 0;
  private readonly waiting = new Map<
    number,
    { readonly resolve: (layout: Layout) => void; readonly reject: (error: Error) => void }
  >();
  private readonly kept = new Map<string, Layout>();

  constructor(private readonly start: () => LayoutPort = startWorker) {}

  /** Starts the worker before it is needed. */
  warm(): void {
    this.worker ??= this.open();
  }

  known(key: string): Layout | undefined {
    const found = this.kept.get(key);
    if (found) {
      this.kept.delete(key); // to the end: it is used
      this.kept.set(key, found);
    }
    return found;
  }

  /**
   * Aborting ends the worker in the middle of what it does: a layout of hundreds of nodes does not hold up the next.
   */
  async get(key: string, input: () => LayoutInput, signal: AbortSignal): Promise<Layout> {
    const known = this.known(key);
    if (known) return known;
    signal.throwIfAborted();
    this.warm();
    const number = ++this.number;
    const stop = (): void => {
      if (this.waiting.has(number)) this.end(new DOMException('superseded', 'AbortError'));
    };
    signal.addEventListener('abort', stop);
    try {
      const layout = await new Promise<Layout>((resolve, reject) => {
        this.waiting.set(number, { resolve, reject });
        this.worker?.postMessage({ number, input: input() });
      });
      this.kept.set(key, layout);
      for (const old of this.kept.keys()) {
        if (this.kept.size <= KEPT) break;
        this.kept.delete(old);
      }
      return layout;
    } finally {
      this.waiting.delete(number);
      signal.removeEventListener('abort', stop);
    }
  }

  dispose(): void {
    this.end(new DOMException('closed', 'AbortError'));
  }

  private open(): LayoutPort {
    const worker = this.start();
    worker.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.number);
      if (data.layout) waiting?.resolve(data.layout);
      else waiting?.reject(new Error(data.error ?? 'no layout'));
    };
    worker.onerror = (event) => this.end(new Error(event.message || 'the layout worker could not be started'));
    return worker;
  }

  private end(reason: Error): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of [...this.waiting.values()]) reject(reason);
    this.waiting.clear();
  }
}
