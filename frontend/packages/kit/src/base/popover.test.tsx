import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Segments } from './controls';
import { Menu, place } from './popover';

const window = { width: 1000, height: 600 };
const size = { width: 200, height: 100 };
const button = (left: number, top: number) => ({ left, top, right: left + 24, bottom: top + 24 });

describe('the place of a box', () => {
  it('is below its button, their edges in line', () => {
    expect(place(button(400, 100), size, 'below-left', window)).toEqual({ left: 400, top: 128 });
    expect(place(button(400, 100), size, 'below-right', window)).toEqual({ left: 224, top: 128 });
  });

  it('is at the other side where its own lacks room', () => {
    expect(place(button(900, 550), size, 'below-left', window)).toEqual({ left: 724, top: 446 });
    expect(place(button(10, 100), size, 'below-right', window)).toEqual({ left: 10, top: 128 });
    const point = { left: 950, right: 950, top: 560, bottom: 560 };
    expect(place(point, size, 'beside', window)).toEqual({ left: 736, top: 446 });
  });

  it('is within the window', () => {
    expect(place(button(400, 300), { width: 2000, height: 2000 }, 'below-left', window)).toEqual({ left: 8, top: 8 });
  });
});

describe('the keyboard', () => {
  let host: HTMLElement;
  let chosen: string[];
  const press = (key: string): Promise<void> =>
    act(
      () =>
        void document.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        ),
    );
  const focused = (): string | undefined => (document.activeElement as HTMLElement).dataset['action'];

  beforeEach(() => {
    chosen = [];
    host = document.body.appendChild(document.createElement('div'));
  });
  afterEach(() => {
    render(null, host);
    host.remove();
  });

  const open = async (): Promise<void> => {
    const items = ['CSV', 'Copy', 'PNG'].map((text) => ({ action: text, text, onPress: () => void chosen.push(text) }));
    await act(() => render(<Menu action="export" icon="export" label="Export" items={() => items} />, host));
    host.querySelector<HTMLElement>('[data-action=export]')?.focus();
    await act(() => void (document.activeElement as HTMLElement).click());
  };

  it('moves in a menu by arrows, to its ends, and by letters', async () => {
    await open();
    const seen = [focused()];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'c', 'c']) {
      await press(key);
      seen.push(focused());
    }
    expect(seen).toEqual(['CSV', 'Copy', 'PNG', 'CSV', 'PNG', 'CSV', 'PNG', 'CSV', 'Copy']);
  });

  it('gets back to the button when the menu closes, and Escape closes nothing else', async () => {
    const pressed: string[] = [];
    const listen = (event: KeyboardEvent): void => void pressed.push(event.key);
    addEventListener('keydown', listen);
    for (const close of [() => press('Escape'), () => act(() => (document.activeElement as HTMLElement).click())]) {
      await open();
      expect(host.querySelector('[data-action=export]')?.getAttribute('aria-expanded')).toBe('true');
      await close();
      expect([focused(), host.querySelector('[role=menu]')]).toEqual(['export', null]);
      expect(host.querySelector('[data-action=export]')?.getAttribute('aria-expanded')).toBe('false');
    }
    removeEventListener('keydown', listen);
    expect([chosen, pressed]).toEqual([['CSV'], []]);
  });

  it('stays open for scrolling that was over before, and closes when its button is scrolled away', async () => {
    await open();
    const scroll = (): Promise<void> => act(() => void dispatchEvent(new Event('scroll')));
    await scroll();
    expect(host.querySelector('[role=menu]')).not.toBeNull();
    const button = host.querySelector<HTMLElement>('[data-action=export]');
    if (button) button.getBoundingClientRect = () => new DOMRect(0, 50);
    await scroll();
    expect(host.querySelector('[role=menu]')).toBeNull();
  });

  it('reaches one button of a choice by Tab, and the others by arrows, which choose', async () => {
    const options = ['a', 'b', 'c'].map((value) => ({ value, text: value }));
    await act(() =>
      render(
        <Segments name="n" label="n" value="b" options={options} onPick={(value) => void chosen.push(value)} />,
        host,
      ),
    );
    expect([...host.querySelectorAll('button')].map((button) => button.tabIndex)).toEqual([-1, 0, -1]);
    host.querySelector<HTMLElement>('[data-value=b]')?.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'End']) await press(key);
    expect(chosen).toEqual(['c', 'a', 'c']);
  });
});
