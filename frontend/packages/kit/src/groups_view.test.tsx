import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Card } from './card';
import { cardId } from './cards';
import { Content } from './content';
import { Groups } from './groups_view';
import { StepBoard } from './step_board';
import { fakeContext, type FakeContext } from './testing';

const info = { display_name: '', description: '', points: 1, first_step: 0, last_step: 0 };
const names = (prefix: string, count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(3, '0')}`);

describe('the cards of a board', () => {
  let host: HTMLElement;
  let board: StepBoard;
  let ctx: FakeContext;
  let watched: Map<Element, (near: boolean) => void>;

  const show = async (runs: number, tags: number): Promise<void> => {
    const of = Object.fromEntries(names('tag', tags).map((tag) => [tag, info]));
    ctx = fakeContext(names('run', runs), { json: async () => Object.fromEntries(names('run', runs).map((run) => [run, of])) });
    board = new StepBoard(ctx);
    const view = (
      <Content board={board}>
        {() => <Groups board={board} card={(card) => <Card board={board} card={card}>{() => <p>{cardId(card)}</p>}</Card>} />}
      </Content>
    );
    await act(() => render(view, host));
    await act(() => new Promise((resolve) => setTimeout(resolve)));
  };
  const cards = (): number => host.querySelectorAll('[data-testid="card"]').length;
  const near = (element: Element | null, is = true): Promise<void> => act(() => void (element && watched.get(element)?.(is)));

  beforeEach(() => {
    watched = new Map();
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(private readonly told: (entries: readonly { isIntersecting: boolean }[]) => void) {}
        observe(element: Element): void {
          watched.set(element, (isIntersecting) => this.told([{ isIntersecting }]));
        }
        disconnect(): void {}
      },
    );
    host = document.body.appendChild(document.createElement('div'));
  });
  afterEach(() => {
    render(null, host);
    host.remove();
    board.dispose();
    vi.unstubAllGlobals();
  });

  it('are filled while they are near the screen', async () => {
    await show(2, 3);
    expect([cards(), host.querySelectorAll('p').length]).toEqual([6, 0]);
    const first = host.querySelector('[data-testid="card"]');
    await near(first);
    expect(first?.textContent).toBe('tag000;run000');
    await near(first, false);
    expect(first?.textContent).toBe('');
  });

  it('of many runs come in portions, the one that fills the screen always', async () => {
    await show(100, 1);
    expect(cards()).toBe(60);
    await act(() => board.full.set({ tag: 'tag000', run: 'run099' }));
    expect([cards(), host.querySelector('.full p')?.textContent]).toEqual([61, 'tag000;run099']);
    await act(() => void host.querySelector<HTMLElement>('[data-action="more"]')?.click());
    expect([cards(), host.querySelector('[data-action="more"]')]).toEqual([100, null]);
  });

  it('of very many series wait for their group to come near', async () => {
    await show(50, 30);
    expect([cards(), host.querySelectorAll('.waiting').length]).toEqual([0, 30]);
    await near(host.querySelector('[data-group="tag007"]'));
    expect([cards(), host.querySelectorAll('.waiting').length]).toEqual([50, 29]);
    await near(host.querySelector('[data-group="tag007"]'), false);
    expect(cards()).toBe(50);
  });

  it('close and are pinned by group', async () => {
    await show(2, 2);
    await act(() => void host.querySelector<HTMLElement>('[data-group="tag001"] [data-action="pin"]')?.click());
    expect([...host.querySelectorAll('[data-group]')].map((group) => group.getAttribute('data-group'))).toEqual(['tag001', 'tag000']);
    await act(() => void host.querySelector<HTMLElement>('[data-group="tag001"] [aria-expanded]')?.click());
    expect([cards(), ctx.address.value.get('closed'), ctx.address.value.get('pins')]).toEqual([2, 'tag001', 'tag001']);
  });

  it('are missing for a reason', async () => {
    await show(1, 1);
    const said = (): string | undefined => host.querySelector('h2')?.textContent ?? undefined;
    await act(() => board.filter.set('('));
    expect(said()).toBe('empty.no_match');
    await act(() => void host.querySelector<HTMLElement>('[data-action="clear-filter"]')?.click());
    expect(cards()).toBe(1);
    await act(() => ctx.runs.select([]));
    expect(said()).toBe('empty.none_selected');
    await act(() => void (ctx.runs.all.value = []));
    expect(said()).toBe('empty.no_runs');
  });
});
