import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { render, type JSX } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scalarParts, type ScalarParts } from '../board';
import { useLayouts } from './layouts';

function Asking({ board }: { readonly board: ScalarParts }): JSX.Element {
  useLayouts(board);
  return <></>;
}

function show(state: DocumentVisibilityState): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  document.dispatchEvent(new Event('visibilitychange'));
}

describe('layouts of logs', () => {
  const json = vi.fn(async () => ({ categories: [{ title: 'Overview', closed: false, charts: [] }] }));
  let board: ScalarParts;
  let host: HTMLElement;

  beforeEach(async () => {
    vi.useFakeTimers();
    json.mockClear();
    host = document.createElement('div');
    board = scalarParts(new Page(fakeContext(['a'], { json })));
    await act(() => render(<Asking board={board} />, host));
  });
  afterEach(() => {
    render(null, host);
    board.page.dispose();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('are asked for once, however often the page is hidden and seen', async () => {
    await vi.advanceTimersByTimeAsync(10_000);
    for (const state of ['hidden', 'visible'] as const) show(state);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(json).toHaveBeenCalledTimes(1);
    expect(board.panels.ofLogs.value.map(({ title }) => title)).toEqual(['Overview']);
  });

  it('are not asked for by a page that is hidden, but when it is seen', async () => {
    show('hidden');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(json).not.toHaveBeenCalled();
    show('visible');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(json).toHaveBeenCalledTimes(1);
  });
});
