import { render, type JSX } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CardGrid } from './card_grid';
import { cardId, type CardKey } from '../base/card_key';
import { Content } from './frame';
import { cardParts, type CardParts } from '../base/card_parts';
import { Page } from '../base/page';
import { fakeContext, type FakeContext } from '../testing';

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(3, '0')}`);
const WIDTH = 636; // two columns

describe('the cards of a board', () => {
  let host: HTMLElement;
  let board: CardParts;
  let ctx: FakeContext;
  let sizes: HTMLStyleElement;
  let measured: (() => void) | undefined;

  const show = async (runs: number, tags: number, rendered = (_: string): void => {}): Promise<void> => {
    const of = names('tag', tags);
    ctx = fakeContext(names('run', runs), {
      series: Object.fromEntries(names('run', runs).map((run) => [run, of])),
    });
    board = cardParts(new Page(ctx), false);
    const content = (card: CardKey): JSX.Element => {
      rendered(cardId(card));
      return <button type="button">{cardId(card)}</button>;
    };
    const view = <Content board={board}>{() => <CardGrid board={board} look="" card={content} />}</Content>;
    await act(() => render(view, host));
    await act(() => new Promise((resolve) => setTimeout(resolve)));
  };
  const scroll = (top: number): Promise<void> =>
    act(() => {
      host.scrollTop = top;
      host.dispatchEvent(new Event('scroll'));
    });
  const nextFrame = (): Promise<void> => act(() => new Promise<void>((done) => requestAnimationFrame(() => done())));
  const scrollTo = async (top: number): Promise<void> => {
    await scroll(top);
    while (cards().includes('')) await nextFrame();
  };
  const cards = (): readonly string[] =>
    [...host.querySelectorAll('[data-testid="card"]')].map((card) => card.textContent ?? '');

  beforeEach(() => {
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(private readonly told: () => void) {}
        observe(): void {
          measured = this.told;
        }
        disconnect(): void {}
      },
    );
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(WIDTH);
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(500);
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
      return new DOMRect(0, this === host ? 0 : -host.scrollTop, WIDTH, 500);
    });
    host = document.body.appendChild(document.createElement('div'));
    host.style.overflowY = 'auto';
    sizes = document.head.appendChild(document.createElement('style'));
    sizes.textContent = '.groups { --card-width: 300px; --card-height: 200px }';
  });
  afterEach(() => {
    render(null, host);
    host.remove();
    sizes.remove();
    board.page.dispose();
  });

  it('exist while they are near the screen, however many there are', async () => {
    await show(50, 40);
    expect(cards()).toEqual(names('run', 8).map((run) => `tag000;${run}`));
    await scrollTo(20_000);
    expect(cards().length).toBeLessThan(15);
    expect(cards()).toContain('tag003;run037');
    await scrollTo(0);
    expect(cards()).toEqual(names('run', 8).map((run) => `tag000;${run}`));
  });

  it('that are scrolled into sight get their contents frame by frame', async () => {
    await show(50, 40);
    await scroll(20_000);
    const [all, empty] = [cards().length, cards().filter((card) => card === '').length];
    expect([all, empty]).toEqual([all, all]);
    await nextFrame();
    expect(cards().filter((card) => card !== '').length).toBeLessThanOrEqual(2);
    await scrollTo(20_000);
    expect(cards().length).toBe(all);
  });

  it('are rendered again when something of theirs changes, not because the grid was scrolled', async () => {
    const rendered = vi.fn<(card: string) => void>();
    await show(50, 1, rendered);
    rendered.mockClear();
    await scrollTo(200);
    expect(cards().length).toBeGreaterThan(8);
    expect(rendered.mock.calls.flat()).toEqual(cards().slice(8));
  });

  it('keep what has the focus and what fills the screen', async () => {
    await show(50, 40);
    await act(() => host.querySelector<HTMLElement>('[data-card-run="run001"] button')?.focus());
    await act(() => board.cards.full.set({ tag: 'tag030', run: 'run049' }));
    await scrollTo(20_000);
    expect(cards()[0]).toBe('tag000;run001');
    expect(host.querySelector('.full')?.textContent).toBe('tag030;run049');
    await act(() => (document.activeElement as HTMLElement).blur());
    await act(() => board.cards.full.set(null));
    expect(cards()).not.toContain('tag000;run001');
    expect(host.querySelector('.full')).toBeNull();
  });

  it('of a hidden tab do not exist, and come back where they were', async () => {
    await show(50, 1);
    await scrollTo(2000);
    const before = cards();
    await act(() => void (ctx.visible.value = false));
    expect(cards()).toEqual([]);
    await act(() => void (ctx.visible.value = true));
    expect(cards()).toEqual(before);
  });

  it('of many runs come in portions', async () => {
    await show(100, 1);
    await scrollTo(30 * 212 - 300);
    expect(cards()).not.toContain('tag000;run060');
    await act(() => void host.querySelector<HTMLElement>('[data-action="more"]')?.click());
    await scrollTo(50 * 212 - 300);
    expect([cards().at(-1), host.querySelector('[data-action="more"]')]).toEqual(['tag000;run099', null]);
  });

  it('take another size with another look', async () => {
    await show(50, 1);
    sizes.textContent = '.groups { --card-width: 300px; --card-height: 600px }';
    await act(() => measured?.());
    expect(cards().length).toBe(4);
  });

  it('that do not exist are found by the tag filter', async () => {
    await show(2, 40);
    const kit = host.appendChild(document.createElement('div'));
    kit.className = 'kit';
    kit.append(...host.querySelectorAll('.groups'));
    const filter = kit.appendChild(document.createElement('input'));
    filter.className = 'tag-filter';
    const find = (): boolean =>
      dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, cancelable: true }));
    expect([find(), document.activeElement]).toEqual([false, filter]);
    expect(find()).toBe(true); // from there it is the browser's
    kit.replaceWith(...kit.querySelectorAll('.groups'));
  });

  it('close and are pinned by group', async () => {
    await show(2, 2);
    await act(() => void host.querySelector<HTMLElement>('[data-group="tag001"] [data-action="pin"]')?.click());
    expect([...host.querySelectorAll('[data-group]')].map((group) => group.getAttribute('data-group'))).toEqual([
      'tag001',
      'tag000',
    ]);
    await act(() => void host.querySelector<HTMLElement>('[data-group="tag001"] [aria-expanded]')?.click());
    expect([cards(), ctx.address.value.get('closed'), ctx.address.value.get('pins')]).toEqual([
      ['tag000;run000', 'tag000;run001'],
      'tag001',
      'tag001',
    ]);
  });

  it('are missing for a reason', async () => {
    await show(1, 1);
    const said = (): string | undefined => host.querySelector('h2')?.textContent ?? undefined;
    await act(() => board.filter.text.set('('));
    expect(said()).toBe('empty.no_match');
    await act(() => void host.querySelector<HTMLElement>('[data-action="clear-filter"]')?.click());
    expect(cards()).toEqual(['tag000;run000']);
    await act(() => ctx.runs.select([]));
    expect(said()).toBe('empty.none_selected');
    await act(() => void (ctx.runs.all.value = []));
    expect(said()).toBe('empty.no_runs');
  });
});
