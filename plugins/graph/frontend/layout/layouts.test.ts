import { describe, expect, it, vi } from 'vitest';
import type { Layout, LayoutInput } from './layout';
import { Layouts, type LayoutPort } from './layouts';

const empty: Layout = { width: 1, height: 1, places: [], routes: [], labels: [] };
const input = (): LayoutInput => ({ nodes: [], edges: [] });

function port(): LayoutPort & { readonly asked: number[]; answer(layout?: Layout): void; readonly ended: boolean } {
  const asked: number[] = [];
  return {
    asked,
    ended: false,
    onmessage: null,
    onerror: null,
    postMessage(message) {
      asked.push((message as { number: number }).number);
    },
    answer(layout) {
      const number = asked.shift() as number;
      this.onmessage?.({ data: layout ? { number, layout } : { number, error: 'too much' } } as MessageEvent);
    },
    terminate() {
      Object.assign(this, { ended: true });
    },
  };
}

describe('layouts', () => {
  it('are computed once', async () => {
    const worker = port();
    const layouts = new Layouts(() => worker);
    const first = layouts.get('a', input, new AbortController().signal);
    worker.answer(empty);
    expect(await first).toBe(empty);
    expect(await layouts.get('a', input, new AbortController().signal)).toBe(empty);
    expect(worker.asked).toEqual([]);
  });

  it('end their worker when they are cancelled, and the next layout has a new one', async () => {
    const workers = [port(), port()];
    const start = vi.fn(() => workers[start.mock.calls.length - 1] as LayoutPort);
    const layouts = new Layouts(start);
    const stop = new AbortController();
    const first = layouts.get('a', input, stop.signal);
    const refused = expect(first).rejects.toThrow('superseded');
    stop.abort();
    await refused;
    expect(workers[0]?.ended).toBe(true);
    const second = layouts.get('b', input, new AbortController().signal);
    workers[1]?.answer(empty);
    expect(await second).toBe(empty);
    expect(start).toHaveBeenCalledTimes(2);
  });

  it('report why a layout failed, and try again when asked again', async () => {
    const worker = port();
    const layouts = new Layouts(() => worker);
    const first = layouts.get('a', input, new AbortController().signal);
    worker.answer();
    await expect(first).rejects.toThrow('too much');
    const again = layouts.get('a', input, new AbortController().signal);
    worker.answer(empty);
    expect(await again).toBe(empty);
  });

  it('fail when the worker does', async () => {
    const worker = port();
    const layouts = new Layouts(() => worker);
    const first = layouts.get('a', input, new AbortController().signal);
    worker.onerror?.({ message: 'blocked' } as ErrorEvent);
    await expect(first).rejects.toThrow('blocked');
  });
});
