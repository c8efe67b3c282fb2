import { render } from 'preact';
import { act } from 'preact/test-utils';
import type { JSX } from 'preact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Drawing, useParts } from './drawing';

const pressed: number[] = [];

function Three(): JSX.Element {
  const parts = useParts(100);
  return (
    <Drawing
      parts={parts}
      count={3}
      height={50}
      label="three"
      tip={(at) => ({ title: `part ${at}`, lines: [] })}
      middle={(at) => [10 * at, 5]}
      onPress={(at) => pressed.push(at)}
    >
      {(part) => [0, 1, 2].map((at) => <g key={at} {...part(at)} />)}
    </Drawing>
  );
}

describe('a drawing of parts', () => {
  let host: HTMLElement;
  const list = (): Element => host.querySelector('[role=listbox]') as Element;
  const chosen = (): number =>
    [...host.querySelectorAll('g')].findIndex((g) => g.getAttribute('aria-selected') === 'true');
  const tip = (): string | undefined => document.querySelector('strong')?.textContent;
  const press = (key: string): Promise<void> =>
    act(() => void list().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })));

  beforeEach(async () => {
    host = document.body.appendChild(document.createElement('div'));
    await act(() => render(<Three />, host));
  });
  afterEach(() => {
    render(null, host);
    host.remove();
  });

  it('is walked through by arrow keys, Home and End, which stay within it and show the tooltip', async () => {
    const seen: (readonly [number, string | undefined])[] = [];
    for (const key of ['ArrowRight', 'ArrowDown', 'End', 'ArrowRight', 'ArrowUp', 'Home', 'ArrowLeft']) {
      await press(key);
      seen.push([chosen(), tip()]);
    }
    expect(seen).toEqual([0, 1, 2, 2, 1, 0, 0].map((at) => [at, `part ${at}`]));
    expect(list().getAttribute('aria-activedescendant')).toBe(host.querySelector('g')?.id);
  });

  it('presses the part with Enter, and is left with Escape', async () => {
    await press('Enter');
    await press('End');
    await press('Enter');
    expect(pressed.splice(0)).toEqual([2]);
    await press('Escape');
    expect([chosen(), tip()]).toEqual([-1, undefined]);
  });

  it('has names of its own for its parts, next to another drawing', async () => {
    await act(() =>
      render(
        <>
          <Three />
          <Three />
        </>,
        host,
      ),
    );
    expect(new Set([...host.querySelectorAll('g')].map(({ id }) => id)).size).toBe(6);
  });
});
