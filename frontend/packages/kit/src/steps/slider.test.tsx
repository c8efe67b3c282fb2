import { type CardKey, Page } from '@insight-host/kit/lab';
import { fakeColumns, fakeContext, type FakeContext } from '../testing';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stepParts, type StepParts } from './parts';
import { recordNotes, StepSlider, timeLabel, useSteps } from './slider';

const CARD: CardKey = { run: 'r', tag: 'a' };

function Body({ board, busy }: { readonly board: StepParts; readonly busy: boolean }) {
  return <StepSlider board={board} card={CARD} steps={useSteps(board, CARD)} busy={busy} />;
}

describe('a slider over records', () => {
  let ctx: FakeContext;
  let board: StepParts;
  let host: HTMLElement;
  let count: number;
  let busy: boolean;
  /** Time goes by in pieces, each drawn. */
  const pass = async (ms: number): Promise<void> => {
    for (let gone = 0; gone < ms; gone += 50)
      await act(() => vi.advanceTimersByTimeAsync(50) as unknown as Promise<void>);
  };
  const draw = (): Promise<void> => act(() => render(<Body board={board} busy={busy} />, host));
  const press = (key: string, on = 'input'): Promise<void> =>
    act(
      () =>
        void host
          .querySelector(on)
          ?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })),
    );
  const label = (): string => host.querySelector('[data-testid="step-count"]')?.textContent ?? '';
  const place = (index: number): string => `steps.of {"index":${index},"count":${count}}`;

  it('names the step that was asked for where a card only has one near it', async () => {
    const said = (): unknown => host.querySelector('[data-testid="step-label"]')?.textContent;
    board.stands.link(true, null);
    await act(() => ctx.cursor.pin({ step: 30 }));
    ctx.cursor.pin(null);
    (ctx.cursor as unknown as { value: unknown }).value = { step: 22, pinned: true, from: 'scalar' };
    await pass(50);
    expect(said()).toBe('steps.nearest {"time":"time.step {\\"step\\":20}","step":22}');
    await press('ArrowRight');
    expect(said()).toBe('time.step {"step":30}');
  });

  beforeEach(async () => {
    vi.useFakeTimers();
    count = 5;
    busy = false;
    ctx = fakeContext(['r'], {
      series: { r: ['a'] },
      columns: async () => {
        const steps = Array.from({ length: count }, (_, i) => i * 10);
        return fakeColumns(
          { steps, wall_times: steps.map((step) => 100 + step), sizes: steps },
          { records: JSON.stringify({ points: 9, kept: 5, hidden: 2 }) },
        );
      },
    });
    board = stepParts(new Page(ctx));
    host = document.body.appendChild(document.createElement('div'));
    await draw();
    await pass(1000);
  });
  afterEach(() => {
    render(null, host);
    host.remove();
    board.page.dispose();
    vi.useRealTimers();
  });

  it('stands at the last record, moves by keys, and follows again from the end', async () => {
    expect(label()).toBe(place(5));
    await press('ArrowLeft');
    expect(label()).toBe(place(4));
    await press('Home');
    expect(label()).toBe(place(1));
    await press('ArrowDown');
    expect(label()).toBe(place(1));
    await press('End');
    count = 7;
    ctx.changes.value = { generation: 1, series: { r: ['a'] } };
    await pass(1000);
    expect(label()).toBe(place(7));
  });

  it('has nothing to press where there is one record, until there are more', async () => {
    count = 1;
    ctx.changes.value = { generation: 1, series: null };
    await pass(1000);
    expect(host.querySelectorAll('button, input')).toHaveLength(0);
    expect([label(), host.querySelector('[data-testid="step-label"]')?.textContent]).toEqual([
      '',
      'time.step {"step":0}',
    ]);
    count = 2;
    ctx.changes.value = { generation: 2, series: { r: ['a'] } };
    await pass(1000);
    expect(host.querySelectorAll('button, input')).toHaveLength(4);
    expect(label()).toBe(place(2));
  });

  it('leaves buttons their keys', async () => {
    await press('ArrowLeft', '[data-action="play"]');
    await press(' ', '[data-action="step-back"]');
    expect([label(), board.playback.playing.value]).toEqual([place(5), null]);
  });

  it('plays from the start when it is at the end, and stops there', async () => {
    await press(' ');
    expect([label(), board.playback.playing.value]).toEqual([place(1), CARD]);
    await pass(450);
    expect(label()).toBe(place(3));
    await pass(2000);
    expect([label(), board.playback.playing.value]).toEqual([place(5), null]);
  });

  it('plays no faster than what is asked for is shown', async () => {
    await press('Home');
    busy = true;
    await draw();
    await press(' ');
    await pass(2000);
    expect(label()).toBe(place(1));
    busy = false;
    await draw();
    await pass(450);
    expect(label()).toBe(place(3));
    await press('ArrowLeft'); // the user takes over
    expect([label(), board.playback.playing.value]).toEqual([place(2), null]);
  });

  it('plays no step before the one that is shown has been painted', async () => {
    await press('Home');
    const frames: FrameRequestCallback[] = [];
    const request = vi.spyOn(globalThis, 'requestAnimationFrame').mockImplementation((frame) => frames.push(frame));
    await press(' ');
    await pass(2000);
    expect([label(), frames.length]).toEqual([place(1), 1]);
    const paint = (): Promise<void> => act(() => void frames.pop()?.(0));
    await paint();
    expect(label()).toBe(place(1));
    await paint();
    expect(label()).toBe(place(2));
    request.mockRestore();
  });

  it('stops playing when the tab goes to the back', async () => {
    await press(' ');
    await act(() => void (ctx.visible.value = false));
    await pass(2000);
    expect([label(), board.playback.playing.value]).toEqual([place(1), null]);
  });

  it('names records by step, by time since the first, and by date, and says what is not there', () => {
    const records = board.tables.of(CARD).records.value;
    if (!records) throw new Error('no records');
    const t = (key: string, values?: object): string => `${key} ${JSON.stringify(values)}`;
    expect(timeLabel(records, 2, 'step', 'en', t)).toBe('time.step {"step":20}');
    expect(timeLabel(records, 2, 'relative', 'en', t)).toBe('20 s');
    expect(timeLabel(records, 2, 'wall', 'en', t)).toMatch(/1970/);
    expect(recordNotes(board.page, records)).toEqual(['steps.kept {"kept":5,"count":9}', 'steps.hidden {"hidden":2}']);
  });
});
