import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NumberBox } from './controls';

describe('a box for a number', () => {
  let host: HTMLElement;
  let value: number;
  let box: HTMLInputElement;
  const draw = async (live: boolean, step: number): Promise<void> => {
    const pick = (picked: number): void => {
      value = picked;
      void draw(live, step);
    };
    await act(() =>
      render(
        <NumberBox name="n" label="n" value={value} low={0} high={10} step={step} live={live} onPick={pick} />,
        host,
      ),
    );
    box = host.querySelector('input') as HTMLInputElement;
  };
  const type = (text: string): Promise<void> =>
    act(() => {
      box.value = text;
      box.dispatchEvent(new Event('input', { bubbles: true }));
    });
  /** As browsers do: first the change, then the focus goes. */
  const leave = (): Promise<void> =>
    act(() => {
      box.dispatchEvent(new Event('change', { bubbles: true }));
      box.dispatchEvent(new FocusEvent('blur'));
    });

  beforeEach(() => {
    value = 5;
    host = document.body.appendChild(document.createElement('div'));
  });
  afterEach(() => {
    render(null, host);
    host.remove();
  });

  it.each([true, false])('takes a number, and keeps it within its limits (live: %s)', async (live) => {
    await draw(live, 1);
    for (const [text, taken] of [
      ['7', 7],
      ['99', 10],
      ['98', 10],
      ['-3', 0],
    ] as const) {
      await type(text);
      await leave();
      expect([value, box.value]).toEqual([taken, String(taken)]);
    }
  });

  it.each(['', '2.5', '-'])('%j counts for nothing and does not stay', async (text) => {
    await draw(true, 1);
    await type(text);
    expect(value).toBe(5);
    await leave();
    expect([value, box.value]).toEqual([5, '5']);
  });

  it('waits until it is left, unless each key counts', async () => {
    await draw(false, 0.5);
    await type('2.5');
    expect(value).toBe(5);
    await leave();
    expect([value, box.value]).toEqual([2.5, '2.5']);
    await draw(true, 0.5);
    await type('1.5');
    expect(value).toBe(1.5);
  });
});
